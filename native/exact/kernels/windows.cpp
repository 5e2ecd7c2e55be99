// Values that a place takes from a few neighbours along one axis, weighted (interpolation and its
// derivative). Each is a sum (docs/arithmetic.md, "Sums") over what the place takes.
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

}  // namespace

void weighted_f32(const Weighted<float>& w, int threads) { weighted(w, threads); }
void weighted_f64(const Weighted<double>& w, int threads) { weighted(w, threads); }

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
