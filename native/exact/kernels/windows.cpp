// Values that a place takes from a few neighbours: weighted, along one axis (interpolation and its
// derivative), or from a box of places (average pooling and its derivative). Each is a sum
// (docs/arithmetic.md, "Sums") over what the place takes, in row-major order.
#include "exact/kernels/builds.hpp"
#include "exact/kernels/few.hpp"
#include "exact/pool.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {
namespace {

constexpr long kTask = 16384;

template <class T>
T canonical_value(T x) {
  return x == x ? x : static_cast<T>(__builtin_nan(""));
}

// [n][inner] to [m][inner], inner more than one: down vectors of columns.
template <class T>
void weighted_columns(const Weighted<T>& w, const T* x, T* out) {
  using V = vec<T>;
  constexpr long count = VectorOf<T>::count;
  for (long j = 0; j < w.m; ++j) {
    const long begin = w.begins[j];
    const long n = w.begins[j + 1] - begin;
    for (long c = 0; c < w.inner; c += count) {
      const int here = static_cast<int>(w.inner - c < count ? w.inner - c : count);
      const V sum = sum_few<V>(n, [&](long k) {
        const T* from = x + w.sources[begin + k] * w.inner + c;
        const V own = here == count ? load<V>(from) : load_first<V>(from, here);
        return own * all<V>(w.weights[begin + k]);
      });
      const V found = canonical(sum + V{});
      if (here == count) {
        store(out + j * w.inner + c, found);
      } else {
        store_first(out + j * w.inner + c, found, here);
      }
    }
  }
}

template <class T>
void weighted_row(const Weighted<T>& w, const T* x, T* out) {
  for (long j = 0; j < w.m; ++j) {
    const long begin = w.begins[j];
    const T sum = sum_few<T>(w.begins[j + 1] - begin, [&](long k) {
      return x[w.sources[begin + k]] * w.weights[begin + k];
    });
    out[j] = canonical_value(sum + T{});
  }
}

template <class T>
void weighted(const Weighted<T>& w, int threads) {
  const long a_plane = (w.n + w.m) * w.inner;
  const long a_task = kTask / (a_plane + 1) + 1;
  parallel_apart((w.outer + a_task - 1) / a_task, threads, [&](long task) {
    const long end = (task + 1) * a_task < w.outer ? (task + 1) * a_task : w.outer;
    for (long i = task * a_task; i < end; ++i) {
      const T* from = w.x + i * w.n * w.inner;
      T* to = w.out + i * w.m * w.inner;
      if (w.inner == 1) weighted_row(w, from, to);
      else weighted_columns(w, from, to);
    }
  });
}

// The box of one place, whose parts beyond the plane hold +0.
template <class T>
T box_sum(const Boxes<T>& b, const T* x, long top, long bottom, long left, long right) {
  const long width = right - left;
  const long n = (bottom - top) * width;
  if (top >= 0 && left >= 0 && bottom <= b.height && right <= b.width) {
    const T* first = x + top * b.width + left;
    if (width == 1) return sum_few<T>(n, [&](long k) { return first[k * b.width]; });
    if (width == 2 && n == 4) {
      const T* second = first + b.width;
      return (first[0] + second[0]) + (first[1] + second[1]);
    }
    if (n == 2) return first[0] + first[1];
    if (n > 0 && n <= kLanes) {
      alignas(64) T own[kLanes] = {};
      T* to = own;
      for (long y = top; y < bottom; ++y, first += b.width) {
        for (long i = 0; i < width; ++i) *to++ = first[i];
      }
      return sum_lanes(own, static_cast<int>(n));
    }
  }
  T lanes[kLanes];
  const long used = n < kLanes ? n : kLanes;
  long k = 0;
  for (long y = top; y < bottom; ++y) {
    for (long i = left; i < right; ++i, ++k) {
      const bool inside = y >= 0 && y < b.height && i >= 0 && i < b.width;
      const T value = inside ? x[y * b.width + i] : T{};
      if (k < kLanes) lanes[k] = value;
      else lanes[k % kLanes] = lanes[k % kLanes] + value;
    }
  }
  return n == 0 ? T{} : tree(lanes, used);
}

template <class T>
void boxes(const Boxes<T>& b, int threads) {
  const long places = b.rows * b.columns;
  const long a_task = kTask / (places + b.height * b.width + 1) + 1;
  parallel_apart((b.planes + a_task - 1) / a_task, threads, [&](long task) {
    const long end = (task + 1) * a_task < b.planes ? (task + 1) * a_task : b.planes;
    for (long p = task * a_task; p < end; ++p) {
      const T* x = b.x + p * b.height * b.width;
      T* out = b.out + p * places;
      for (long i = 0; i < b.rows; ++i) {
        for (long j = 0; j < b.columns; ++j) {
          const T sum = box_sum(b, x, b.tops[i], b.bottoms[i], b.lefts[j], b.rights[j]) + T{};
          out[i * b.columns + j] = canonical_value(b.divisors == nullptr ? sum : sum / b.divisors[i * b.columns + j]);
        }
      }
    }
  });
}

}  // namespace

void weighted_f32(const Weighted<float>& w, int threads) { weighted(w, threads); }
void weighted_f64(const Weighted<double>& w, int threads) { weighted(w, threads); }
void boxes_f32(const Boxes<float>& b, int threads) { boxes(b, threads); }
void boxes_f64(const Boxes<double>& b, int threads) { boxes(b, threads); }

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
