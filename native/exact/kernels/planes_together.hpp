// Planes to whose places the same indices send values (docs/arithmetic.md, "Places"), a vector of planes at a time:
// what a place gets is found once for all of them.
#pragma once

#include "exact/kernels/plane_of_places.hpp"
#include "exact/kernels/row_sums.hpp"
#include "exact/kernels/transpose.hpp"
#include "exact/placing.hpp"
#include "exact/pool.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

// Whether there are planes enough for each thread, and the second-level cache has a vector of them.
template <class T>
bool are_together(const AddPlanes<T>& a, int threads) {
  constexpr long count = VectorOf<T>::count;
  return a.fresh && 2 * a.planes >= count * threads && (a.n + a.size) * kBytes <= 1L << 20;
}

// Planes from `first` on, `here` of them, by way of memory with one vector for each value and each place. False where
// there is no memory.
template <class T, class I>
bool add_vector_of_planes(const AddPlanes<T>& a, const ByPlace<I>& sorted, long first, int here, T* memory) {
  using V = vec<T>;
  constexpr long count = VectorOf<T>::count;
  T* values = memory;
  T* sums = memory + a.n * count;
  transpose_rows(a.values + first * a.n, a.n, here, a.n, values, count);
  __builtin_memset(sums, 0, static_cast<size_t>(a.size * count) * sizeof(T));
  for (long s = 0; s < sorted.count; ++s) {
    const long begin = static_cast<long>(sorted.begins[s]);
    const I* order = sorted.order == nullptr ? nullptr : sorted.order + begin;
    const auto row = [&](long k) {
      return load<V>(values + (order == nullptr ? begin + k : static_cast<long>(order[k])) * count);
    };
    V sum;
    if (!sum_of_rows<T>(static_cast<long>(sorted.begins[s + 1]) - begin, row, &sum)) return false;
    store(sums + static_cast<long>(sorted.places[s]) * count, canonical(sum));
  }
  T* to = a.target + first * a.size;
  if (a.size > count) {
    transpose_rows(sums, count, static_cast<int>(a.size), here, to, a.size);
    return true;
  }
  // Rows so short would be written beyond the last one, where other planes lie, or no tensor at all.
  for (int plane = 0; plane < here; ++plane) {
    for (long i = 0; i < a.size; ++i) to[plane * a.size + i] = sums[i * count + plane];
  }
  return true;
}

template <class T, class I>
Placed add_together(const AddPlanes<T>& a, const ByPlace<I>& sorted, int threads) {
  constexpr long count = VectorOf<T>::count;
  bool good = true;
  parallel_apart((a.planes + count - 1) / count, threads, [&](long task) {
    T* memory = static_cast<T*>(scratch(static_cast<size_t>((a.n + a.size + 1) * kBytes)));
    const int here = static_cast<int>(smaller(count, a.planes - task * count));
    if (memory == nullptr || !add_vector_of_planes(a, sorted, task * count, here, memory)) {
      __atomic_store_n(&good, false, __ATOMIC_RELAXED);
    }
  });
  return good ? Placed::kDone : Placed::kNoMemory;
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
