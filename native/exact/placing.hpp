// Writing to places that indices name, and the order in which values are added there.
#pragma once

#include <cstddef>
#include <cstdint>

namespace samebits::exact {

// Contributions in the order of a stable sort by place: those to place `places[s]` are `order[begins[s]]`
// to `order[begins[s + 1] - 1]`. Without `order` they lie in that order already. Plain memory, as builds
// of other instruction sets read it.
template <class I>
struct ByPlace {
  I* order = nullptr;
  I* begins = nullptr;
  I* places = nullptr;
  long count = 0;    // of places that are named
  long longest = 0;  // of contributions to one place
};

enum class Sorting { kDone, kOutOfRange, kNoMemory };

// Sorts n contributions whose places are below `count`; those to place `skipped`, which may be any number,
// are left out. `out` is to be given to `forget` in any case.
template <class I>
Sorting sort_by_place(const int64_t* index, long n, long count, int64_t skipped, ByPlace<I>* out);
template <class I>
void forget(ByPlace<I>* places);

// Whether every index is at least 0 and below `count`.
bool all_below(const int64_t* index, long n, long count);

// target[index[i]] = rows[i], for i in order; rows of `bytes` bytes.
bool put_rows(char* target, long count, const int64_t* index, const char* rows, long n, size_t bytes);

}  // namespace samebits::exact
