// One plane of places, the single values that are added to it, and memory for that.
#pragma once

#include "exact/kernels/few.hpp"

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

  // Calls visit(place, value) for each value, in order. From copies: what the plane says would be read again for each
  // value, as it might lie where `visit` writes.
  template <class Visit>
  SAMEBITS_INLINE void each(Visit visit) const {
    const int64_t* const own_index = index;
    const T* const own_values = values;
    const long own_n = n, own_width = width;
    if (own_width == 1) {
      for (long i = 0; i < own_n; ++i) visit(own_index[i], own_values[i]);
    } else {
      for (long i = 0; i < own_n; i += own_width) {
        for (long j = 0; j < own_width; ++j) visit(own_index[i + j] * own_width + j, own_values[i + j]);
      }
    }
  }
  void begin() const {
    if (fresh) __builtin_memset(to, 0, static_cast<size_t>(size) * sizeof(T));
  }
};

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
