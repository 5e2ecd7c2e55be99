#include "exact/placing.hpp"

#include <algorithm>
#include <cstring>
#include <cstdlib>

namespace samebits::exact {
namespace {

template <class I>
I* memory(long n) {
  return static_cast<I*>(std::malloc(static_cast<size_t>(n) * sizeof(I)));
}

// What a pass over the indices shows.
struct Seen {
  bool inside = true;
  bool ascending = true;
  long kept = 0;
};

Seen look(const int64_t* index, long n, long count, int64_t skipped) {
  Seen seen;
  int64_t before = -1;
  for (long i = 0; i < n; ++i) {
    const int64_t place = index[i];
    seen.inside &= (place >= 0 && place < count) || place == skipped;
    seen.ascending &= place >= before;
    before = place;
    seen.kept += place != skipped;
  }
  return seen;
}

// Where the places begin, of contributions that are sorted: place_of(k) is that of number k.
template <class I, class PlaceOf>
bool cut(long n, PlaceOf place_of, ByPlace<I>* out) {
  long named = 0;
  for (long k = 0; k < n; ++k) named += k == 0 || place_of(k) != place_of(k - 1);
  out->begins = memory<I>(named + 1);
  out->places = memory<I>(named + 1);
  if (out->begins == nullptr || out->places == nullptr) return false;
  long s = 0;
  for (long k = 0; k < n; ++k) {
    if (k != 0 && place_of(k) == place_of(k - 1)) continue;
    out->begins[s] = static_cast<I>(k);
    out->places[s] = static_cast<I>(place_of(k));
    ++s;
  }
  out->begins[named] = static_cast<I>(n);
  out->count = named;
  for (s = 0; s < named; ++s) out->longest = std::max<long>(out->longest, out->begins[s + 1] - out->begins[s]);
  return true;
}

// By counting: the table is worth it where there are not many more places than contributions.
template <class I>
bool sort_by_counting(const int64_t* index, long n, int64_t skipped, long kept, I* next, long count, ByPlace<I>* out) {
  out->order = memory<I>(kept + 1);
  if (out->order == nullptr) return false;
  for (long i = 0; i < n; ++i) {
    if (index[i] != skipped) ++next[index[i]];
  }
  long named = 0;
  for (long p = 0; p < count; ++p) named += next[p] != 0;
  out->begins = memory<I>(named + 1);
  out->places = memory<I>(named + 1);
  if (out->begins == nullptr || out->places == nullptr) return false;
  I sum = 0;
  long s = 0;
  for (long p = 0; p < count; ++p) {
    // Which places are named cannot be foreseen: each is written, and the next one over it where it is not.
    const I own = next[p];
    next[p] = sum;
    out->begins[s] = sum;
    out->places[s] = static_cast<I>(p);
    s += own != 0;
    sum += own;
    out->longest = std::max<long>(out->longest, own);
  }
  out->begins[named] = sum;
  out->count = named;
  for (long i = 0; i < n; ++i) {
    if (index[i] != skipped) out->order[next[index[i]]++] = static_cast<I>(i);
  }
  return true;
}

struct Pair {
  int64_t place;
  long number;
};

template <class I>
bool sort_few(const int64_t* index, long n, int64_t skipped, long kept, Pair* pairs, ByPlace<I>* out) {
  out->order = memory<I>(kept + 1);
  if (out->order == nullptr) return false;
  long k = 0;
  for (long i = 0; i < n; ++i) {
    if (index[i] != skipped) pairs[k++] = {index[i], i};
  }
  std::sort(pairs, pairs + kept, [](const Pair& a, const Pair& b) {
    return a.place != b.place ? a.place < b.place : a.number < b.number;
  });
  for (k = 0; k < kept; ++k) out->order[k] = static_cast<I>(pairs[k].number);
  return cut(kept, [&](long i) { return pairs[i].place; }, out);
}

}  // namespace

bool all_below(const int64_t* index, long n, long count) {
  // The sign of one of them where an index is below 0 or beyond the last one: every processor has vectors for that.
  int64_t signs = 0;
  const int64_t last = static_cast<int64_t>(count) - 1;
  for (long i = 0; i < n; ++i) {
    const auto distance = static_cast<int64_t>(static_cast<uint64_t>(last) - static_cast<uint64_t>(index[i]));
    signs |= index[i] | distance;
  }
  return signs >= 0;
}

template <class I>
Sorting sort_by_place(const int64_t* index, long n, long count, int64_t skipped, ByPlace<I>* out) {
  const Seen seen = look(index, n, count, skipped);
  if (!seen.inside) return Sorting::kOutOfRange;
  bool good = false;
  if (seen.ascending && seen.kept == n) {
    good = cut(n, [&](long k) { return index[k]; }, out);
  } else if (count <= 32 * n) {
    auto* next = static_cast<I*>(std::calloc(static_cast<size_t>(count), sizeof(I)));
    good = next != nullptr && sort_by_counting(index, n, skipped, seen.kept, next, count, out);
    std::free(next);
  } else {
    auto* pairs = memory<Pair>(seen.kept + 1);
    good = pairs != nullptr && sort_few(index, n, skipped, seen.kept, pairs, out);
    std::free(pairs);
  }
  return good ? Sorting::kDone : Sorting::kNoMemory;
}

template <class I>
void forget(ByPlace<I>* places) {
  std::free(places->order);
  std::free(places->begins);
  std::free(places->places);
}

bool put_rows(char* target, long count, const int64_t* index, const char* rows, long n, size_t bytes) {
  if (!all_below(index, n, count)) return false;
  for (long i = 0; i < n; ++i) {
    std::memcpy(target + static_cast<size_t>(index[i]) * bytes, rows + static_cast<size_t>(i) * bytes, bytes);
  }
  return true;
}

template Sorting sort_by_place(const int64_t*, long, long, int64_t, ByPlace<uint32_t>*);
template Sorting sort_by_place(const int64_t*, long, long, int64_t, ByPlace<uint64_t>*);
template void forget(ByPlace<uint32_t>*);
template void forget(ByPlace<uint64_t>*);

}  // namespace samebits::exact
