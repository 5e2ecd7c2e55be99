// Single values added to the places of one plane (docs/arithmetic.md, "Places"), in one of three ways:
//
//   few     some values for most places: they are added as they come. The tree over 2 L lanes adds lane l + L
//           to lane l first, so that L numbers a place are enough for twice as many values
//   lanes   many values for few places: each place keeps its 64 lanes
//   sorted  otherwise: values are moved to where their places have them, and summed there
//
// parted_values.hpp has the first of them for large planes.
#pragma once

#include "exact/kernels/few.hpp"
#include "exact/kernels/transpose.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

SAMEBITS_INLINE long smaller(long a, long b) { return a < b ? a : b; }

template <class T>
SAMEBITS_INLINE T canonical_value(T x) {
  return x == x ? x : static_cast<T>(__builtin_nan(""));
}

// The sum of n values that lie next to each other; room for one value a block follows them at `sums`.
template <class T>
T sum_of_values(const T* values, long n, T* sums) {
  if (n <= 16) {
    return sum_few<T>(n, [&](long k) { return values[k]; }) + T{};
  }
  return sum_run(values, n, sums);
}

// Memory that is given out piece by piece.
class Pieces {
 public:
  explicit Pieces(char* memory) : next_(memory) {}
  template <class T>
  T* of(long n) {
    char* piece = next_;
    next_ += size<T>(n);
    return reinterpret_cast<T*>(piece);
  }
  template <class T>
  static size_t size(long n) {
    return (static_cast<size_t>(n) * sizeof(T) + 63) / 64 * 64;
  }

 private:
  char* next_;
};

// What is added to one plane: value i goes to place index[i] * width + i % width of `to`.
template <class T>
struct Plane {
  const int64_t* index;
  const T* values;
  long n;
  long width;
  T* to;
  long size;
  bool fresh;  // whether `to` is to begin with zeros

  // Calls visit(place, value) for each value, in order.
  template <class Visit>
  SAMEBITS_INLINE void each(Visit visit) const {
    if (width == 1) {
      for (long i = 0; i < n; ++i) visit(index[i], values[i]);
    } else {
      for (long i = 0; i < n; i += width) {
        for (long j = 0; j < width; ++j) visit(index[i + j] * width + j, values[i + j]);
      }
    }
  }
  void begin() const {
    if (fresh) __builtin_memset(to, 0, static_cast<size_t>(size) * sizeof(T));
  }
};

enum class Way { kTwo, kFour, kEight, kLanes, kSorted };

// So many numbers a place that few places get more than twice as many values.
inline Way way_for(long n, long size) {
  if (n <= 2 * size) return Way::kTwo;
  if (n <= 5 * size) return Way::kFour;
  if (size <= 4096 && n >= 8 * size) return Way::kLanes;
  return n <= 10 * size ? Way::kEight : Way::kSorted;
}

// Values for places that get more than there are numbers for, by the number that such a place has among them.
template <class T, class I>
struct Extra {
  I number;
  T value;
};

template <class T, class I>
size_t room_for_few(long lanes, long n, long size) {
  const long many = n / (2 * lanes) + 1;  // places that get more values than that
  return Pieces::size<T>(size * lanes) + Pieces::size<uint8_t>(size) + Pieces::size<Extra<T, I>>(n) +
         2 * Pieces::size<I>(many + 1) + Pieces::size<T>(n + n / kBlock + 1);
}

template <class T, class I>
size_t room_for(Way way, long n, long size) {
  const size_t moved = Pieces::size<T>(n + n / kBlock + 1);
  if (way == Way::kTwo) return room_for_few<T, I>(2, n, size);
  if (way == Way::kFour) return room_for_few<T, I>(4, n, size);
  if (way == Way::kEight) return room_for_few<T, I>(8, n, size);
  if (way == Way::kLanes) {
    const long blocks = n / kBlock + 1;
    return Pieces::size<T>(size * kLanes) + Pieces::size<I>(size) + Pieces::size<I>(blocks) + 2 * Pieces::size<T>(blocks + 1);
  }
  return moved + Pieces::size<I>(size);
}

// Values for places with too many for their lanes: `number_of(place)` is a place's own among `many` such places.
template <class T, class I, class Values, class NumberOf>
SAMEBITS_INLINE void add_extra(const Values& plane, const I* places, long many, Pieces memory, NumberOf number_of) {
  auto* extra = memory.of<Extra<T, I>>(plane.n);
  I* next = memory.of<I>(many + 1);
  T* moved = memory.of<T>(plane.n + plane.n / kBlock + 1);
  __builtin_memset(next, 0, static_cast<size_t>(many + 1) * sizeof(I));
  long count = 0;
  plane.each([&](int64_t place, T value) {
    I number;
    if (!number_of(place, &number)) return;
    extra[count++] = {number, value};
    ++next[number];
  });
  I sum = 0;
  for (long s = 0; s < many; ++s) {
    const I own = next[s];
    next[s] = sum;
    sum += own;
  }
  for (long k = 0; k < count; ++k) moved[next[extra[k].number]++] = extra[k].value;
  I begin = 0;
  for (long s = 0; s < many; ++s) {
    T& to = plane.to[places[s]];
    to = canonical_value(to + sum_of_values(moved + begin, static_cast<long>(next[s] - begin), moved + plane.n));
    begin = next[s];
  }
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

// to[p] = to[p] + the sum of its lanes for all places p with uses but those that have `many`. A vector at a time:
// which places have none cannot be foreseen.
template <class T, int L, class Values>
void add_lanes(const Values& plane, T* lanes, const uint8_t* uses, uint8_t many) {
  using V = vec<T>;
  constexpr int count = VectorOf<T>::count;
  using Whole = typename MaskOf<T>::type;
  using Uses = std::conditional_t<sizeof(T) == 4, BytesOfFloats, BytesOfDoubles>;
  long p = 0;
  for (; p + count <= plane.size; p += count) {
    V own[L];
    for (int i = 0; i < L; ++i) own[i] = load<V>(lanes + p * L + i * count);
    const V sum = sum_of_lanes<T, L>(own);
    const Whole used = __builtin_convertvector(load<Uses>(uses + p), Whole);
    const V old = load<V>(plane.to + p);
    store(plane.to + p, (used != 0) & (used != static_cast<int>(many)) ? canonical(old + sum) : old);
  }
  for (; p < plane.size; ++p) {
    if (uses[p] != 0 && uses[p] != many) plane.to[p] = canonical_value(plane.to[p] + tree(lanes + p * L, L));
  }
}

// The first place from p on that has so many uses; n where none has.
SAMEBITS_INLINE long next_with(const uint8_t* uses, long p, long n, uint8_t many) {
  if (p >= n) return n;
  const void* found = __builtin_memchr(uses + p, many, static_cast<size_t>(n - p));
  return found == nullptr ? n : static_cast<const uint8_t*>(found) - uses;
}

template <class T, class I, int L, class Values>
void add_few_each(const Values& plane, Pieces memory) {
  constexpr uint8_t kMany = 2 * L + 1;
  T* lanes = memory.of<T>(plane.size * L);
  auto* uses = memory.of<uint8_t>(plane.size);
  I* places = memory.of<I>(plane.n / (2 * L) + 2);
  __builtin_memset(lanes, 0, static_cast<size_t>(plane.size * L) * sizeof(T));
  __builtin_memset(uses, 0, static_cast<size_t>(plane.size));
  plane.each([&](int64_t place, T value) {
    const uint8_t own = uses[place];
    T& lane = lanes[place * L + own % L];
    lane = lane + value;
    uses[place] = static_cast<uint8_t>(own + (own < kMany));
  });
  plane.begin();
  add_lanes<T, L>(plane, lanes, uses, kMany);
  long many = 0;
  for (long p = 0; (p = next_with(uses, p, plane.size, kMany)) < plane.size; ++p) {
    const I number = static_cast<I>(many);
    static_assert(sizeof(I) <= L * sizeof(T), "a number has room in a place's lanes");
    __builtin_memcpy(lanes + p * L, &number, sizeof number);
    places[many++] = static_cast<I>(p);
  }
  if (many == 0) return;
  add_extra<T, I>(plane, places, many, memory, [&](int64_t place, I* number) {
    if (uses[place] != kMany) return false;
    __builtin_memcpy(number, lanes + place * L, sizeof(I));
    return true;
  });
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
  if (way == Way::kTwo) {
    add_few_each<T, I, 2>(plane, Pieces(memory));
  } else if (way == Way::kFour) {
    add_few_each<T, I, 4>(plane, Pieces(memory));
  } else if (way == Way::kEight) {
    add_few_each<T, I, 8>(plane, Pieces(memory));
  } else if (way == Way::kLanes) {
    add_by_lanes<T, I>(plane, Pieces(memory));
  } else {
    add_sorted<T, I>(plane, Pieces(memory));
  }
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
