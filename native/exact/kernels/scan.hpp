// Scans of a fixed shape: what is summed so far, for every value of a sequence (docs/arithmetic.md,
// "Running sums").
//
//   blocks     64 values each. For d = 1, 2, 4 … 32: a value with bit d in its number gets what has been
//              summed to the last value before it whose number lacks that bit and has all lower ones
//   totals     of the blocks are scanned the same way, and what they sum to so far is added to every
//              value of the next block
//
// The same text serves sums, products, and logarithms of sums: each has a Value, which is what D
// sequences, or D neighbours in one, hold; the value that changes nothing; and `join` of two.
#pragma once

#include "exact/kernels/rounded.hpp"
#include "exact/kernels/sums.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

// Values a block of a scan: its steps double.
constexpr int kScanBlock = 64;
constexpr int kScanSteps = 6;

// D values of a type, in binary64.
SAMEBITS_INLINE vd load_wide(const float* x) { return widen(load<vh>(x)); }
SAMEBITS_INLINE vd load_wide(const double* x) { return load<vd>(x); }
SAMEBITS_INLINE void store_rounded(float* to, vd x) { store(to, narrow(canonical(x))); }
SAMEBITS_INLINE void store_rounded(double* to, vd x) { store(to, canonical(x)); }

template <class V, class I>
SAMEBITS_INLINE I lanes_before(int step) {
  constexpr int count = sizeof(I) / sizeof(V);
  I from;
  for (int l = 0; l < count; ++l) from[l] = l & step ? l / (2 * step) * (2 * step) + step - 1 : count + l;
  return from;
}

// In each lane with this bit: the last lane before it that lacks the bit. In others: `nothing`.
template <int step>
SAMEBITS_INLINE vd from_before(vd x, vd nothing) {
  return __builtin_shuffle(x, nothing, (lanes_before<int64_t, vl>(step)));
}
template <int step>
SAMEBITS_INLINE vh from_before(vh x, vh nothing) {
  return __builtin_shuffle(x, nothing, (lanes_before<int32_t, vhi>(step)));
}
SAMEBITS_INLINE vd last_lane(vd x) { return all<vd>(x[D - 1]); }
SAMEBITS_INLINE vh last_lane(vh x) { return x[D - 1] - vh{}; }

struct Adding {
  using Value = vd;
  static SAMEBITS_INLINE Value nothing() { return vd{}; }
  static SAMEBITS_INLINE Value join(Value a, Value b) { return a + b; }
};

struct Multiplying {
  using Value = vd;
  static SAMEBITS_INLINE Value nothing() { return all<vd>(1.0); }
  static SAMEBITS_INLINE Value join(Value a, Value b) { return a * b; }
};

// log(sum): the largest value so far, and the sum of exponentials of what lies below it.
struct LogAdding {
  struct Value {
    vh most;
    vd sum;
  };
  static SAMEBITS_INLINE Value nothing() { return {vh{} - __builtin_inff(), vd{}}; }
  static SAMEBITS_INLINE Value join(Value a, Value b) {
    const vhi larger = a.most > b.most;
    const vhi equal = a.most == b.most;
    const vh most = larger ? a.most : b.most;
    const vh least = larger ? b.most : a.most;
    // Of two equal ones neither fades, infinite ones included.
    const vh below = equal ? vh{} : least - most;
    const vd fading = widen(narrow(exp_of(widen(below))));
    const vl wide = __builtin_convertvector(larger, vl);
    return {most, fading * (wide ? b.sum : a.sum) + (wide ? a.sum : b.sum)};
  }
};

template <int step>
SAMEBITS_INLINE LogAdding::Value from_before(LogAdding::Value x, LogAdding::Value nothing) {
  return {from_before<step>(x.most, nothing.most), from_before<step>(x.sum, nothing.sum)};
}
SAMEBITS_INLINE LogAdding::Value last_lane(LogAdding::Value x) { return {last_lane(x.most), last_lane(x.sum)}; }

template <class Way, int step = 1>
SAMEBITS_INLINE void steps_within(typename Way::Value& x) {
  if constexpr (step < D) {
    x = Way::join(from_before<step>(x, Way::nothing()), x);
    steps_within<Way, 2 * step>(x);
  }
}

// The steps from D on, for vectors that follow each other: `last` is what a vector gives to later ones.
template <class Way, int N, class Last>
SAMEBITS_INLINE void steps_between(typename Way::Value (&x)[N], Last last) {
#pragma GCC unroll 6
  for (int half = 1; half < N; half *= 2) {
#pragma GCC unroll 32
    for (int first = half; first < N; first += 2 * half) {
      const auto before = last(x[first - 1]);
#pragma GCC unroll 32
      for (int j = first; j < first + half; ++j) x[j] = Way::join(before, x[j]);
    }
  }
}
// Rows of D columns: each lane is a sequence of its own.
template <class Way, int N>
SAMEBITS_INLINE void steps_between(typename Way::Value (&x)[N]) {
  steps_between<Way>(x, [](const typename Way::Value& value) { return value; });
}

// A block of a scan whose values are neighbours.
template <class Way>
SAMEBITS_INLINE void scan_neighbours(typename Way::Value (&x)[kScanBlock / D]) {
#pragma GCC unroll 32
  for (int j = 0; j < kScanBlock / D; ++j) steps_within<Way>(x[j]);
  steps_between<Way>(x, [](const typename Way::Value& value) { return last_lane(value); });
}

// A scan that is given one value after the other.
template <class Way>
class Counter {
 public:
  using Value = typename Way::Value;

  // The value joined with what the block holds before it; `local` is that without what came before
  // the block. Returns whether the block is full now.
  SAMEBITS_INLINE bool take(Value value, Value* local) {
    int step = 0;
    for (; place_ >> step & 1; ++step) value = Way::join(partial_[step], value);
    // All steps below are done: the value is what a later one with this bit gets.
    if (step < kScanSteps) partial_[step] = value;
    for (++step; step < kScanSteps; ++step) {
      if (place_ >> step & 1) value = Way::join(partial_[step], value);
    }
    *local = value;
    place_ = (place_ + 1) % kScanBlock;
    return place_ == 0;
  }

 private:
  Value partial_[kScanSteps];
  int place_ = 0;
};

// The scans over totals of blocks, over totals of those, and so on.
template <class Way>
class Totals {
 public:
  using Value = typename Way::Value;

  // What all blocks up to this one come to.
  Value add(Value total, int level = 0) {
    if (level == levels_) {
      counters_[level] = {};
      before_[level] = Way::nothing();
      ++levels_;
    }
    Value local;
    const bool full = counters_[level].take(total, &local);
    const Value so_far = Way::join(before_[level], local);
    if (full) before_[level] = add(local, level + 1);
    return so_far;
  }

 private:
  static constexpr int kLevels = 9;  // 64^10 values are more than there are
  Counter<Way> counters_[kLevels];
  Value before_[kLevels];
  int levels_ = 0;
};

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
