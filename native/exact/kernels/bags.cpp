// Sums of the rows that a bag names (docs/arithmetic.md, "Places").
#include "exact/kernels/few.hpp"
#include "exact/kernels/passes.hpp"
#include "exact/placing.hpp"
#include "exact/pool.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {
namespace {

// The sum of one bag's rows: `count` columns from j on, `here` of which exist.
template <class T, bool whole, bool weighted>
SAMEBITS_INLINE vec<T> sum_of_bag(const Bags<T>& p, const int64_t* index, const T* weights, long n, long j, int here) {
  using V = vec<T>;
  const auto row = [&](long k) {
    const T* from = p.table + index[k] * p.columns + j;
    const V values = whole ? load<V>(from) : load_first<V>(from, here);
    if constexpr (weighted) return values * all<V>(weights[k]);
    else return values;
  };
  return sum_few<V>(n, row) + V{};
}

template <class T, bool weighted>
Placed bags(const Bags<T>& p, int threads) {
  using V = vec<T>;
  constexpr long count = VectorOf<T>::count;
  if (!all_below(p.index, p.n, p.rows)) return Placed::kOutOfRange;
  if (p.bags > 0 && p.begins[0] != 0) return Placed::kOutOfRange;
  for (long b = 0; b < p.bags; ++b) {
    const int64_t next = b + 1 < p.bags ? p.begins[b + 1] : p.n;
    const int64_t rows = next - p.begins[b];
    if (rows < 0 || rows > kBlock || next > p.n) return Placed::kOutOfRange;
  }
  const long a_task = 16384 / (p.columns * (p.n / (p.bags + 1) + 1) + 1) + 1;
  parallel_apart((p.bags + a_task - 1) / a_task, threads, [&](long task) {
    const long end = (task + 1) * a_task < p.bags ? (task + 1) * a_task : p.bags;
    for (long b = task * a_task; b < end; ++b) {
      const int64_t begin = p.begins[b];
      const long n = static_cast<long>((b + 1 < p.bags ? p.begins[b + 1] : p.n) - begin);
      const int64_t* index = p.index + begin;
      const T* weights = weighted ? p.weights + begin : nullptr;
      T* to = p.out + b * p.columns;
      p.sizes[b] = n;
      for (long k = 0; k < n; ++k) p.bag[begin + k] = b;
      const V divisor = all<V>(static_cast<T>(p.mean && n > 0 ? n : 1));
      const auto finished = [&](V sum) { return canonical(p.mean ? canonical(sum) / divisor : sum); };
      // The rows of the bag after the next are asked for: they lie anywhere.
      const int64_t* ahead = index + 2 * n + 16 <= p.index + p.n ? index + n : nullptr;
      for (long k = 0; ahead != nullptr && k < n; ++k) {
        const T* row = p.table + ahead[k] * p.columns;
        for (long j = 0; j < p.columns && j < 256; j += 64 / static_cast<long>(sizeof(T))) __builtin_prefetch(row + j);
      }
      long j = 0;
      for (; j + count <= p.columns; j += count) {
        store(to + j, finished(sum_of_bag<T, true, weighted>(p, index, weights, n, j, static_cast<int>(count))));
      }
      if (j < p.columns) {
        const int rest = static_cast<int>(p.columns - j);
        store_first(to + j, finished(sum_of_bag<T, false, weighted>(p, index, weights, n, j, rest)), rest);
      }
    }
  });
  return Placed::kDone;
}

template <class T>
Placed bags_of(const Bags<T>& p, int threads) {
  return p.weights == nullptr ? bags<T, false>(p, threads) : bags<T, true>(p, threads);
}

}  // namespace

Placed bags_f32(const Bags<float>& p, int threads) { return bags_of(p, threads); }
Placed bags_f64(const Bags<double>& p, int threads) { return bags_of(p, threads); }

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
