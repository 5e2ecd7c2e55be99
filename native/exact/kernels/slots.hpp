// Single values added to places that get a few each (docs/arithmetic.md, "Places"): every place has a slot for each of
// its first L values. They are only stored as they come, which is less work than to read, add and store; once all
// are there, a vector of places at a time is summed.
#pragma once

#include "exact/kernels/plane_of_places.hpp"
#include "exact/kernels/transpose.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

// A value that came to a place whose slots were full; first the place, later the number that such a place has.
template <class T, class I>
struct Extra {
  I place;
  T value;
};

template <class T, class I>
size_t room_for_slots(long slots, long n, long size) {
  const long many = n / (slots + 1) + 1;  // places that get more values than that
  return Pieces::size<T>(size * slots) + Pieces::size<uint8_t>(size) + Pieces::size<Extra<T, I>>(n) +
         2 * Pieces::size<I>(many) + Pieces::size<T>(many * slots) + Pieces::size<T>(n + n / kBlock + 1);
}

// A byte for each value of a vector.
typedef uint8_t BytesOfFloats __attribute__((vector_size(W)));
typedef uint8_t BytesOfDoubles __attribute__((vector_size(D)));

// One step of the tree over the lanes of a place, L of which lie next to each other, for a vector of places: the
// upper half of the lanes is added to the lower one.
template <class T, int L>
SAMEBITS_INLINE vec<T> sum_of_lanes(vec<T>* lanes) {
  constexpr int count = VectorOf<T>::count;
  if constexpr (L / 2 >= count) {
    constexpr int half = L / 2 / count;  // vectors
    for (int i = 0; i < L / 2; ++i) {
      const int low = i / half * 2 * half + i % half;
      lanes[i] = lanes[low] + lanes[low + half];
    }
  } else {
    typename MaskOf<T>::type low, high;
    for (int i = 0; i < count; ++i) {
      low[i] = i / (L / 2) * L + i % (L / 2);
      high[i] = low[i] + L / 2;
    }
    for (int i = 0; i < L / 2; ++i) {
      const vec<T> first = lanes[2 * i], second = lanes[2 * i + 1];
      lanes[i] = __builtin_shuffle(first, second, low) + __builtin_shuffle(first, second, high);
    }
  }
  if constexpr (L == 2) return lanes[0];
  else return sum_of_lanes<T, L / 2>(lanes);
}

// Vector i of the slots of some places, with +0 in those that were not used.
template <class T, int L>
SAMEBITS_INLINE vec<T> used_slots(const T* slots, typename MaskOf<T>::type uses, int i) {
  constexpr int count = VectorOf<T>::count;
  typename MaskOf<T>::type place, slot;
  for (int k = 0; k < count; ++k) {
    place[k] = (i * count + k) / L;
    slot[k] = (i * count + k) % L;
  }
  return slot < __builtin_shuffle(uses, place) ? load<vec<T>>(slots + i * count) : vec<T>{};
}

// to[p] = to[p] + the sum of its slots for all places p with uses but those that have more than L. A vector at a time:
// which places have none cannot be foreseen.
template <class T, int L, class Values>
void add_slots(const Values& plane, const T* slots, const uint8_t* uses) {
  using V = vec<T>;
  constexpr int count = VectorOf<T>::count;
  using Whole = typename MaskOf<T>::type;
  using Uses = std::conditional_t<sizeof(T) == 4, BytesOfFloats, BytesOfDoubles>;
  long p = 0;
  for (; p + count <= plane.size; p += count) {
    const Whole used = __builtin_convertvector(load<Uses>(uses + p), Whole);
    V own[L];
#pragma GCC unroll 16
    for (int i = 0; i < L; ++i) own[i] = used_slots<T, L>(slots + p * L, used, i);
    const V sum = sum_of_lanes<T, L>(own) + V{};  // +0 of nothing but -0
    const V old = load<V>(plane.to + p);
    store(plane.to + p, (used != 0) & (used <= L) ? canonical(old + sum) : old);
  }
  for (; p < plane.size; ++p) {
    if (uses[p] == 0 || uses[p] > L) continue;
    const T sum = sum_few<T>(uses[p], [&](long k) { return slots[p * L + k]; }) + T{};
    plane.to[p] = canonical_value(plane.to[p] + sum);
  }
}

// The first place from p on that has so many uses; n where none has.
SAMEBITS_INLINE long next_with(const uint8_t* uses, long p, long n, uint8_t many) {
  if (p >= n) return n;
  const void* found = __builtin_memchr(uses + p, many, static_cast<size_t>(n - p));
  return found == nullptr ? n : static_cast<const uint8_t*>(found) - uses;
}

// Adds to the places whose slots were not enough: their values are moved to where they follow each other.
template <class T, class I, int L, class Values>
void add_extra(const Values& plane, T* slots, const uint8_t* uses, Extra<T, I>* extra, long count, Pieces memory) {
  const long most = plane.n / (L + 1) + 1;
  I* places = memory.of<I>(most);
  I* next = memory.of<I>(most);
  T* first = memory.of<T>(most * L);
  T* moved = memory.of<T>(plane.n + plane.n / kBlock + 1);
  long many = 0;
  for (long p = 0; (p = next_with(uses, p, plane.size, L + 1)) < plane.size; ++p, ++many) {
    places[many] = static_cast<I>(p);
    next[many] = L;
    __builtin_memcpy(first + many * L, slots + p * L, L * sizeof(T));
    // A place's number is found where its values were.
    const I number = static_cast<I>(many);
    static_assert(sizeof(I) <= L * sizeof(T), "a number has room in a place's slots");
    __builtin_memcpy(slots + p * L, &number, sizeof number);
  }
  for (long k = 0; k < count; ++k) {
    __builtin_memcpy(&extra[k].place, slots + static_cast<long>(extra[k].place) * L, sizeof(I));
    ++next[extra[k].place];
  }
  I sum = 0;
  for (long s = 0; s < many; ++s) {
    const I own = next[s];
    __builtin_memcpy(moved + sum, first + s * L, L * sizeof(T));
    next[s] = sum + L;
    sum += own;
  }
  for (long k = 0; k < count; ++k) moved[next[extra[k].place]++] = extra[k].value;
  I begin = 0;
  for (long s = 0; s < many; ++s) {
    T& to = plane.to[places[s]];
    to = canonical_value(to + sum_of_values(moved + begin, static_cast<long>(next[s] - begin), moved + plane.n));
    begin = next[s];
  }
}

template <class T, class I, int L, class Values>
void add_by_slots(const Values& plane, Pieces memory) {
  T* slots = memory.of<T>(plane.size * L);
  auto* uses = memory.of<uint8_t>(plane.size);
  auto* extra = memory.of<Extra<T, I>>(plane.n);
  long count = 0;
  __builtin_memset(uses, 0, static_cast<size_t>(plane.size));
  plane.each([&](int64_t place, T value) {
    const uint8_t own = uses[place];
    if (__builtin_expect(own < L, 1)) {
      slots[place * L + own] = value;
      uses[place] = static_cast<uint8_t>(own + 1);
    } else {
      extra[count++] = {static_cast<I>(place), value};
      uses[place] = L + 1;
    }
  });
  plane.begin();
  add_slots<T, L>(plane, slots, uses);
  if (count != 0) add_extra<T, I, L>(plane, slots, uses, extra, count, memory);
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
