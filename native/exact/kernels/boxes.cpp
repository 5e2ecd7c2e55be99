// Values that a place takes from a box of places (average pooling and its derivative): each is a sum
// (docs/arithmetic.md, "Sums") over what the place takes, in row-major order.
#include "exact/kernels/builds.hpp"
#include "exact/kernels/few.hpp"
#include "exact/kernels/single_values.hpp"
#include "exact/kernels/transpose.hpp"
#include "exact/pool.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {
namespace {

constexpr long kTask = 16384;
constexpr long kBand = 8192;  // places of a band whose vectors stay in the second-level cache

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

// Plane by plane: for few of them.
template <class T>
void one_by_one(const Boxes<T>& b, int threads) {
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

// As many planes at a time as a vector has lanes, band after band of rows.
template <class T>
class Lanes {
  using V = vec<T>;
  static constexpr long kCount = VectorOf<T>::count;

 public:
  explicit Lanes(const Boxes<T>& b) : b_(b) {
    for (long i = 0; i < b.rows; i = band_end(i)) {
      const Rows own = read_by(i, band_end(i));
      most_read_ = larger(most_read_, (own.end - own.begin) * b.width);
      most_written_ = larger(most_written_, (band_end(i) - i) * b.columns);
    }
  }

  size_t room() const { return static_cast<size_t>((most_read_ + most_written_) * kCount) * sizeof(T); }

  // Planes from `first` on.
  void run(long first, T* memory) const {
    const long here = smaller(kCount, b_.planes - first);
    T* written = memory + most_read_ * kCount;
    for (long i = 0; i < b_.rows; i = band_end(i)) {
      const long end = band_end(i);
      const Rows own = read_by(i, end);
      const T* x = b_.x + (first * b_.height + own.begin) * b_.width;
      transpose_rows(x, b_.height * b_.width, static_cast<int>(here), (own.end - own.begin) * b_.width, memory, kCount);
      T* to = written;
      for (long row = i; row < end; ++row) {
        for (long j = 0; j < b_.columns; ++j, to += kCount) store(to, place(memory, own, row, j));
      }
      give_back(written, (end - i) * b_.columns, here, b_.out + (first * b_.rows + i) * b_.columns);
    }
  }

 private:
  struct Rows {
    long begin, end;
  };

  static long larger(long a, long b) { return a > b ? a : b; }

  // A band is a number of rows that fit; it reads as many places or a few more.
  long band_end(long i) const {
    long end = i;
    long read = 0;
    do {
      read += larger(b_.columns, (b_.bottoms[end] - b_.tops[end]) * b_.width);
      ++end;
    } while (end < b_.rows && read < kBand);
    return end;
  }

  // The rows of the planes, as far as there are any, that rows [i, end) read.
  Rows read_by(long i, long end) const {
    Rows own{b_.height, 0};
    for (; i < end; ++i) {
      own.begin = smaller(own.begin, larger(b_.tops[i], 0));
      own.end = larger(own.end, smaller(b_.bottoms[i], b_.height));
    }
    return own.begin < own.end ? own : Rows{0, 0};
  }

  SAMEBITS_INLINE V place(const T* read, const Rows& own, long row, long j) const {
    const V sum = box(read, own, b_.tops[row], b_.bottoms[row], b_.lefts[j], b_.rights[j]) + V{};
    return canonical(b_.divisors == nullptr ? sum : sum / all<V>(b_.divisors[row * b_.columns + j]));
  }

  SAMEBITS_INLINE V box(const T* read, const Rows& own, long top, long bottom, long left, long right) const {
    const long width = right - left;
    const long n = (bottom - top) * width;
    if (n == 0) return V{};
    if (top >= 0 && left >= 0 && bottom <= b_.height && right <= b_.width) {
      const T* first = read + ((top - own.begin) * b_.width + left) * kCount;
      const long line = b_.width * kCount;
      if (width == 1) return sum_few<V>(n, [&](long k) { return load<V>(first + k * line); });
      if (width == n) return sum_few<V>(n, [&](long k) { return load<V>(first + k * kCount); });
      if (width == 2 && n == 4) {
        const T* second = first + line;
        return (load<V>(first) + load<V>(second)) + (load<V>(first + kCount) + load<V>(second + kCount));
      }
    }
    V lanes[kLanes];
    long k = 0;
    for (long y = top; y < bottom; ++y) {
      const bool row_inside = y >= 0 && y < b_.height;
      const T* line = row_inside ? read + (y - own.begin) * b_.width * kCount : read;
      for (long x = left; x < right; ++x, ++k) {
        const V value = row_inside && x >= 0 && x < b_.width ? load<V>(line + x * kCount) : V{};
        if (k < kLanes) lanes[k] = value;
        else lanes[k % kLanes] = lanes[k % kLanes] + value;
      }
    }
    return tree(lanes, smaller(n, kLanes));
  }

  // [places][lanes] to the planes, whose places are [rows * columns].
  void give_back(const T* written, long places, long here, T* out) const {
    const long plane = b_.rows * b_.columns;
    const long whole = places / kCount * kCount;
    transpose_rows(written, kCount, static_cast<int>(whole), here, out, plane);
    for (long k = whole; k < places; ++k) {
      for (long p = 0; p < here; ++p) out[p * plane + k] = written[k * kCount + p];
    }
  }

  const Boxes<T>& b_;
  long most_read_ = 0;
  long most_written_ = 0;
};

template <class T>
bool side_by_side(const Boxes<T>& b, int threads) {
  constexpr long count = VectorOf<T>::count;
  const Lanes<T> lanes(b);
  bool good = true;
  parallel_apart((b.planes + count - 1) / count, threads, [&](long task) {
    auto* memory = static_cast<T*>(scratch(lanes.room()));
    if (memory == nullptr) __atomic_store_n(&good, false, __ATOMIC_RELAXED);
    else lanes.run(task * count, memory);
  });
  return good;
}

template <class T>
void boxes(const Boxes<T>& b, int threads) {
  if (b.planes < VectorOf<T>::count || !side_by_side(b, threads)) one_by_one(b, threads);
}

}  // namespace

void boxes_f32(const Boxes<float>& b, int threads) { boxes(b, threads); }
void boxes_f64(const Boxes<double>& b, int threads) { boxes(b, threads); }

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
