// Single values added to the places of one plane (docs/arithmetic.md, "Places"), in one of three ways:
//
//   slots   some values for most places: each place keeps its values, a few at most, until all are there (slots.hpp)
//   lanes   many values for few places: each place keeps its 64 lanes
//   sorted  otherwise: values are moved to where their places have them, and summed there
//
// parted_values.hpp has the first of them for large planes and for several threads.
#pragma once

#include "exact/kernels/slots.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

enum class Way { kFourSlots, kEightSlots, kSixteenSlots, kLanes, kSorted };

// So many slots a place that few places get more values.
inline Way way_for(long n, long size) {
  if (n <= 2 * size) return Way::kFourSlots;
  if (n <= 5 * size) return Way::kEightSlots;
  if (size <= 4096 && n >= 8 * size) return Way::kLanes;
  return n <= 10 * size ? Way::kSixteenSlots : Way::kSorted;
}

template <class T, class I>
size_t room_for(Way way, long n, long size) {
  const size_t moved = Pieces::size<T>(n + n / kBlock + 1);
  if (way == Way::kFourSlots) return room_for_slots<T, I>(4, n, size);
  if (way == Way::kEightSlots) return room_for_slots<T, I>(8, n, size);
  if (way == Way::kSixteenSlots) return room_for_slots<T, I>(16, n, size);
  if (way == Way::kLanes) {
    const long blocks = n / kBlock + 1;
    return Pieces::size<T>(size * kLanes) + Pieces::size<I>(size) + Pieces::size<I>(blocks) + 2 * Pieces::size<T>(blocks + 1);
  }
  return moved + Pieces::size<I>(size);
}

template <class T, class I>
void add_by_lanes(const Plane<T>& plane, Pieces memory) {
  T* lanes = memory.of<T>(plane.size * kLanes);
  I* uses = memory.of<I>(plane.size);
  const long most = plane.n / kBlock + 1;
  I* whose = memory.of<I>(most);  // the places of blocks that are full, and their sums
  T* sums = memory.of<T>(most + 1);
  T* own_sums = memory.of<T>(most + 1);
  long full = 0;
  __builtin_memset(lanes, 0, static_cast<size_t>(plane.size * kLanes) * sizeof(T));
  __builtin_memset(uses, 0, static_cast<size_t>(plane.size) * sizeof(I));
  plane.each([&](int64_t place, T value) {
    const I own = uses[place];
    T& lane = lanes[place * kLanes + static_cast<long>(own % kLanes)];
    lane = lane + value;
    uses[place] = own + 1;
    if ((own + 1) % kBlock != 0) return;
    T* begin = lanes + place * kLanes;
    whose[full] = static_cast<I>(place);
    sums[full++] = sum_lanes(begin);
    __builtin_memset(begin, 0, kLanes * sizeof(T));
  });
  plane.begin();
  for (long p = 0; p < plane.size; ++p) {
    const long own = static_cast<long>(uses[p]);
    if (own == 0) continue;
    T* begin = lanes + p * kLanes;
    T sum;
    if (own < kBlock) {
      sum = sum_lanes(begin, static_cast<int>(smaller(own, kLanes)));
    } else {
      long count = 0;
      for (long b = 0; b < full; ++b) {
        if (static_cast<long>(whose[b]) == p) own_sums[count++] = sums[b];
      }
      if (own % kBlock != 0) own_sums[count++] = sum_lanes(begin, static_cast<int>(smaller(own % kBlock, kLanes)));
      sum = sum_of_blocks(own_sums, count);
    }
    plane.to[p] = canonical_value(plane.to[p] + sum);
  }
}

template <class T, class I>
void add_sorted(const Plane<T>& plane, Pieces memory) {
  I* next = memory.of<I>(plane.size);
  T* moved = memory.of<T>(plane.n + plane.n / kBlock + 1);
  __builtin_memset(next, 0, static_cast<size_t>(plane.size) * sizeof(I));
  plane.each([&](int64_t place, T) { ++next[place]; });
  plane.begin();
  I sum = 0;
  for (long p = 0; p < plane.size; ++p) {
    const I own = next[p];
    next[p] = sum;
    sum += own;
  }
  plane.each([&](int64_t place, T value) { moved[next[place]++] = value; });
  // Now next[p] is where place p ends.
  I begin = 0;
  for (long p = 0; p < plane.size; ++p) {
    const I end = next[p];
    T& to = plane.to[p];
    if (end != begin) to = canonical_value(to + sum_of_values(moved + begin, static_cast<long>(end - begin), moved + plane.n));
    begin = end;
  }
}

// `memory` has the room that `room_for` says.
template <class T, class I>
void add_plane(const Plane<T>& plane, Way way, char* memory) {
  if (way == Way::kFourSlots) {
    add_by_slots<T, I, 4>(plane, Pieces(memory));
  } else if (way == Way::kEightSlots) {
    add_by_slots<T, I, 8>(plane, Pieces(memory));
  } else if (way == Way::kSixteenSlots) {
    add_by_slots<T, I, 16>(plane, Pieces(memory));
  } else if (way == Way::kLanes) {
    add_by_lanes<T, I>(plane, Pieces(memory));
  } else {
    add_sorted<T, I>(plane, Pieces(memory));
  }
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
