// Functions of numbers with N times 64 bits: a reduction, then a series.
//
// Each is wrong by less than 2^30 units in the last place of what is said (itself, unless otherwise).
#pragma once

#include "exact/precise/constants.hpp"

namespace samebits::exact::precise {

// e^x for any |x| below 2^20: x = k ln(2) + r; r is halved until a few terms are enough.
template <int N>
Big<N> exp_big(const Big<N>& x) {
  if (x.is_zero() || x.exponent < -64 * N) return from_whole<N>(1);
  constexpr int halvings = 4 * N + 4;
  constexpr int terms = N <= 3 ? 12 : 3 * N - 2;
  const int64_t k = static_cast<int64_t>(__builtin_rint(approximate(x) * 0x1.71547652b82fep+0));
  const Big<N> r = scaled(x - resized<N>(from_whole<N + 1>(k) * ln2<N + 1>()), -halvings);
  const Big<N> one = from_whole<N>(1);
  Big<N> series = one;
  for (int n = terms; n >= 1; --n) series = one + over(r * series, static_cast<uint64_t>(n));
  for (int i = 0; i < halvings; ++i) series = series * series;
  return scaled(series, k);
}

// 2 atanh(z) for |z| below 0.18.
template <int N>
Big<N> twice_atanh(const Big<N>& z) {
  const int terms = 13 * N;  // a term is worth 5 bits
  const Big<N> square = z * z;
  const Big<N> one = from_whole<N>(1);
  Big<N> series = over(one, static_cast<uint64_t>(2 * terms + 1));
  for (int n = terms - 1; n >= 0; --n) series = over(one, static_cast<uint64_t>(2 * n + 1)) + square * series;
  return scaled(z * series, 1);
}

// log(x) for x > 0: x = 2^k m, log(m) = 2 atanh((m - 1) / (m + 1)).
template <int N>
Big<N> log_big(const Big<N>& x) {
  Big<N> m = x;
  m.exponent = 0;
  if (m.limbs[0] < 0xB504F333F9DE6484) m.exponent = 1;  // sqrt(1 / 2)
  const int64_t k = x.exponent - m.exponent;
  const Big<N> one = from_whole<N>(1);
  return twice_atanh((m - one) / (m + one)) + from_whole<N>(k) * ln2<N>();
}

// sin(r) / r or cos(r) for |r| up to pi / 4 and a little more.
template <int N>
Big<N> turned_series(const Big<N>& r, bool cosine) {
  const int terms = N <= 3 ? 23 : 7 * N - 2;
  const Big<N> square = r * r;
  const Big<N> one = from_whole<N>(1);
  Big<N> series = one;
  for (uint64_t n = static_cast<uint64_t>(terms); n >= 1; --n) {
    series = one - over(square * series, cosine ? (2 * n - 1) * (2 * n) : 2 * n * (2 * n + 1));
  }
  return series;
}
template <int N>
Big<N> sin_big(const Big<N>& r) {
  return r * turned_series(r, false);
}
template <int N>
Big<N> cos_big(const Big<N>& r) {
  return turned_series(r, true);
}

// x = quarter pi / 2 + rest, quarter modulo 4, |rest| up to pi / 4.
template <int N>
struct Turn {
  int quarter;
  Big<N> rest;
};
template <int N>
Turn<N> reduced(double x) {
  constexpr int M = N + 3;
  const Big<M> wide = from_double<M>(x);
  if (wide.exponent <= -1) return {0, resized<N>(wide)};  // below 1 / 2
  // Bits of 2 / pi that make multiples of 4 with x, whose lowest bit is 2^(exponent - 53), are left out.
  const int64_t lowest = wide.exponent - 53;
  const int skip = lowest > 66 ? static_cast<int>((lowest - 2) / 64) : 0;
  Limb window[M];
  for (int i = 0; i < M; ++i) window[i] = skip + i < kTwoOverPiLimbs ? kTwoOverPi[skip + i] : 0;
  Big<M> turns = wide * normalised<M>(false, -64 * skip, window);
  int quarter = 0;
  if (turns.exponent > 0) {  // what is above the point goes
    const int words = static_cast<int>(turns.exponent / 64);
    const int shift = static_cast<int>(turns.exponent % 64);
    const int unit = static_cast<int>(turns.exponent) - 1;  // the place of the last bit before the point
    quarter = static_cast<int>(turns.limbs[unit / 64] >> (63 - unit % 64) & 1);
    if (unit > 0) quarter |= static_cast<int>(turns.limbs[(unit - 1) / 64] >> (63 - (unit - 1) % 64) & 1) << 1;
    for (int i = 0; i < words; ++i) turns.limbs[i] = 0;
    if (shift != 0) turns.limbs[words] &= ~Limb{0} >> shift;
    turns = normalised<M>(turns.negative, turns.exponent, turns.limbs);
  }
  if (turns.exponent == 0 && !turns.is_zero()) {  // at least a half: nearer to the next quarter
    const Big<M> one = from_whole<M>(1);
    turns = turns.negative ? turns + one : turns - one;
    ++quarter;
  }
  if (x < 0) quarter = -quarter;
  return {quarter & 3, resized<N>(turns * half_pi<M>())};
}

// atan(q) for q >= 0: less a double near it, of which sine and cosine are known.
template <int N>
Big<N> atan_big(const Big<N>& q) {
  if (q.exponent > 1) return half_pi<N>() - atan_big(reciprocal(q));  // from 2 on
  const Big<N> one = from_whole<N>(1);
  Big<N> near;
  Big<N> d = q;
  if (q.exponent > -7) {
    const double t = approximate(q);
    near = from_double<N>(t <= 1 ? t / (1 + 0.28 * t * t) : 0x1.921fb54442d18p+0 - t / (t * t + 0.28));
    const Big<N> s = sin_big(near);
    const Big<N> c = cos_big(near);
    d = (q * c - s) / (c + q * s);
  }
  const int terms = 5 * N;  // d is below 2^-7: a term is worth 14 bits
  const Big<N> square = d * d;
  Big<N> series = over(one, static_cast<uint64_t>(2 * terms + 1));
  for (int n = terms - 1; n >= 0; --n) series = over(one, static_cast<uint64_t>(2 * n + 1)) - square * series;
  return near + d * series;
}

// erf(x) for |x| below 7: 2 / sqrt(pi) x e^(-x^2) (1 + 2 x^2 / 3 (1 + 2 x^2 / 5 (1 + ...))).
template <int N>
Big<N> erf_big(const Big<N>& x) {
  const Big<N> square = x * x;
  const Big<N> twice = scaled(square, 1);
  const double step = x.exponent < -300 ? 0 : approximate(twice);
  const double least = __builtin_ldexp(1, -64 * N - 8);
  uint64_t terms = 1;
  for (double term = step / 3; term > least; ++terms) term *= step / static_cast<double>(2 * terms + 3);
  const Big<N> one = from_whole<N>(1);
  Big<N> series = one;
  for (uint64_t n = terms + 4; n >= 1; --n) series = one + over(twice * series, 2 * n + 1);
  return two_over_root_pi<N>() * x * exp_big(negated(square)) * series;
}

// e^(x^2) erfc(x) for x >= 3: Laplace's continued fraction, from far enough behind.
template <int N>
Big<N> scaled_erfc_big(const Big<N>& x) {
  const double depth = 45.0 * N / (2 * approximate(x));
  Big<N> tail = x;
  for (int64_t n = static_cast<int64_t>(depth * depth * 0.75) + 20; n >= 1; --n) {
    tail = x + scaled(from_whole<N>(n), -1) / tail;
  }
  return scaled(two_over_root_pi<N>(), -1) / tail;
}

}  // namespace samebits::exact::precise
