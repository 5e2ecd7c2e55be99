// Vectors of pairs of doubles: the second of a pair is what the first has lost.
//
// The operations are Dekker's and Knuth's. A product or a quotient of pairs is wrong by some 2^-102
// of its value, a sum by as much of the larger operand.
#pragma once

#include "exact/kernels/functions.hpp"
#include "exact/vec.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

struct Pair {
  vd high, low;
};

SAMEBITS_INLINE Pair ordered(vd a, vd b) {  // a + b, |a| >= |b| or a = 0
  const vd sum = a + b;
  return {sum, b - (sum - a)};
}
SAMEBITS_INLINE Pair exact_sum(vd a, vd b) {
  const vd sum = a + b;
  const vd part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}
SAMEBITS_INLINE Pair exact_product(vd a, vd b) {
  const vd product = a * b;
  return {product, fma(a, b, -product)};
}
SAMEBITS_INLINE Pair operator+(Pair a, vd b) {
  const Pair sum = exact_sum(a.high, b);
  return ordered(sum.high, sum.low + a.low);
}
SAMEBITS_INLINE Pair operator+(Pair a, Pair b) {
  const Pair sum = exact_sum(a.high, b.high);
  return ordered(sum.high, sum.low + (a.low + b.low));
}
SAMEBITS_INLINE Pair operator-(Pair a) { return {-a.high, -a.low}; }
SAMEBITS_INLINE Pair operator*(Pair a, vd b) {
  const Pair product = exact_product(a.high, b);
  return ordered(product.high, fma(a.low, b, product.low));
}
SAMEBITS_INLINE Pair operator*(Pair a, Pair b) {
  const Pair product = exact_product(a.high, b.high);
  return ordered(product.high, product.low + fma(a.high, b.low, a.low * b.high));
}
SAMEBITS_INLINE Pair operator/(Pair a, Pair b) {
  const vd inverse = all<vd>(1.0) / b.high;
  const vd high = a.high * inverse;
  const vd rest = fma(-high, b.high, a.high) + fma(-high, b.low, a.low);
  return ordered(high, rest * inverse);
}
SAMEBITS_INLINE Pair root(Pair a) {
  const vd high = sqrt(a.high);
  const vd rest = fma(-high, high, a.high) + a.low;
  const vd half = all<vd>(0.5) / high;
  return ordered(high, a.high == vd{} ? a.high : rest * half);
}
SAMEBITS_INLINE Pair chosen(vl condition, Pair a, Pair b) {
  return {condition ? a.high : b.high, condition ? a.low : b.low};
}
SAMEBITS_INLINE Pair constant(double high, double low) { return {all<vd>(high), all<vd>(low)}; }

// table[index] for each lane.
#if defined(__AVX512F__)
SAMEBITS_INLINE vd looked_up(const double* table, vl index) {
  return (vd)_mm512_i64gather_pd((__m512i)index, table, 8);
}
#elif defined(__AVX2__) && defined(__FMA__)
SAMEBITS_INLINE vd looked_up(const double* table, vl index) {
  return (vd)_mm256_i64gather_pd(table, (__m256i)index, 8);
}
#else
SAMEBITS_INLINE vd looked_up(const double* table, vl index) {
  vd y;
  for (int i = 0; i < D; ++i) y[i] = table[index[i]];
  return y;
}
#endif

// y rounded to a double, where all that lies within `error` of it rounds to the same one and x is
// `ordinary`; for the others what `one` says of x (and of a second argument).
template <class One>
SAMEBITS_INLINE vd settled(Pair y, vd error, vl ordinary, One one) {
  vd result = y.high + (y.low - error);
  const vd above = y.high + (y.low + error);
  const vl same = result == above;
  const vl open = ~(same & ordinary);
  int64_t any = 0;
  for (int i = 0; i < D; ++i) any |= open[i];
  if (__builtin_expect(any != 0, 0)) {
    for (int i = 0; i < D; ++i) {
      if (open[i] != 0) result[i] = one(i);
    }
  }
  return result;
}

// The same with an error that is a part of the value.
template <class One>
SAMEBITS_INLINE vd settled(Pair y, double part, vl ordinary, One one) {
  return settled(y, magnitude(y.high) * all<vd>(part), ordinary, one);
}

// A pair as a double that rounds to a float as the pair does: what is lost sets the last bit ("round
// to odd", Boldo and Melquiond, 2008).
SAMEBITS_INLINE vd odd(Pair y) {
  const vl pattern = bits<vl>(y.high);
  const vl away = (bits<vl>(y.low) ^ pattern) < vl{};
  const vl changed = (away ? pattern - all_l(1) : pattern) | all_l(1);
  return y.low == vd{} || y.high == vd{} || y.high != y.high ? y.high : bits<vd>(changed);
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
