// Sums of a few values, or of a few vectors of them: as the tree over 64 lanes adds them, without those
// that hold nothing. A sum of nothing but -0 is left to the caller, who adds +0.
#pragma once

#include "exact/kernels/sums.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

// The tree over n lanes of which the others hold nothing.
template <class V>
SAMEBITS_INLINE V tree(V* lanes, long n) {
  long width = kLanes / 2;
  while (width >= n && width > 1) width /= 2;
  for (; width > 0; width /= 2) {
    for (long l = 0; l < width && l + width < n; ++l) lanes[l] = lanes[l] + lanes[l + width];
  }
  return lanes[0];
}

// The tree over N lanes, those from `first` on that are `step` apart: in registers, as N is known.
template <class V, int N, int first = 0, int step = 1, class Row>
SAMEBITS_INLINE V tree_of(Row row) {
  if constexpr (first + step >= N) return row(first);
  else return tree_of<V, N, first, 2 * step>(row) + tree_of<V, N, first + step, 2 * step>(row);
}

// Number n of rows, added as the tree over as many lanes does.
template <class V, class Row>
SAMEBITS_INLINE V sum_few(long n, Row row) {
  switch (n) {
    case 0: return V{};
    case 1: return row(0);
    case 2: return tree_of<V, 2>(row);
    case 3: return tree_of<V, 3>(row);
    case 4: return tree_of<V, 4>(row);
    case 8: return tree_of<V, 8>(row);
    case 9: return tree_of<V, 9>(row);
    case 16: return tree_of<V, 16>(row);
    default: break;
  }
  V lanes[kLanes];
  const long used = n < kLanes ? n : kLanes;
  for (long l = 0; l < used; ++l) lanes[l] = row(l);
  for (long i = kLanes; i < n; ++i) lanes[i % kLanes] = lanes[i % kLanes] + row(i);
  return tree(lanes, used);
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
