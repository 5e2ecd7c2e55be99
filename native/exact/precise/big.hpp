// Floating-point numbers of N times 64 bits, in whole numbers alone: what decides where two doubles
// do not tell how a value rounds.
//
// A number is ±0.m × 2^exponent, m being its limbs, the first one the upper 64 bits and never below
// 2^63; zero has no bit at all. Each operation truncates: it is wrong by less than two units in the
// last of the 64 N bits.
#pragma once

#include <cstdint>
#include <cstring>

namespace samebits::exact::precise {

using Limb = uint64_t;
using TwoLimbs = unsigned __int128;

template <int N>
struct Big {
  bool negative = false;
  int64_t exponent = 0;
  Limb limbs[N] = {};

  bool is_zero() const { return limbs[0] == 0; }
};

// The number that lies in `limbs`, of which the first ones may be empty.
template <int N, int M>
Big<N> normalised(bool negative, int64_t exponent, const Limb (&limbs)[M]) {
  int empty = 0;
  while (empty < M && limbs[empty] == 0) ++empty;
  Big<N> result;
  if (empty == M) return result;
  const int shift = __builtin_clzll(limbs[empty]);
  for (int i = 0; i < N && empty + i < M; ++i) {
    const Limb next = empty + i + 1 < M ? limbs[empty + i + 1] : 0;
    result.limbs[i] = shift == 0 ? limbs[empty + i] : limbs[empty + i] << shift | next >> (64 - shift);
  }
  result.negative = negative;
  result.exponent = exponent - 64 * empty - shift;
  return result;
}

template <int N>
Big<N> from_whole(int64_t x) {
  const Limb limbs[1] = {x < 0 ? ~static_cast<Limb>(x) + 1 : static_cast<Limb>(x)};
  return normalised<N>(x < 0, 64, limbs);
}

template <int N>
Big<N> from_double(double x) {  // a finite one
  Limb pattern;
  std::memcpy(&pattern, &x, 8);
  const int field = static_cast<int>(pattern >> 52 & 0x7FF);
  const Limb fraction = pattern & 0xFFFFFFFFFFFFF;
  const Limb limbs[1] = {field == 0 ? fraction : fraction | Limb{1} << 52};
  return normalised<N>(pattern >> 63 != 0, (field == 0 ? 1 : field) - 1075 + 64, limbs);
}

// About its value: 53 bits, truncated. Only for exponents that a double has.
template <int N>
double approximate(const Big<N>& x) {
  const double size = __builtin_ldexp(static_cast<double>(x.limbs[0] >> 11), static_cast<int>(x.exponent) - 53);
  return x.negative ? -size : size;
}

template <int N, int M>
Big<N> resized(const Big<M>& x) {
  return normalised<N>(x.negative, x.exponent, x.limbs);
}

template <int N>
Big<N> negated(Big<N> x) {
  x.negative = !x.negative;
  return x;
}
template <int N>
Big<N> scaled(Big<N> x, int64_t exponent) {  // x 2^exponent
  x.exponent += exponent;
  return x;
}

template <int N>
bool smaller(const Big<N>& x, const Big<N>& y) {  // |x| < |y|
  if (x.is_zero() || y.is_zero()) return !y.is_zero();
  if (x.exponent != y.exponent) return x.exponent < y.exponent;
  for (int i = 0; i < N; ++i) {
    if (x.limbs[i] != y.limbs[i]) return x.limbs[i] < y.limbs[i];
  }
  return false;
}

template <int N>
Big<N> operator+(const Big<N>& x, const Big<N>& y) {
  if (x.is_zero()) return y;
  if (y.is_zero()) return x;
  const Big<N>& large = smaller(x, y) ? y : x;
  const Big<N>& small = smaller(x, y) ? x : y;
  const int64_t distance = large.exponent - small.exponent;
  if (distance > 64 * N) return large;
  // A limb in front for the carry, one behind for what the shift pushes out.
  Limb a[N + 2] = {}, b[N + 2] = {};
  for (int i = 0; i < N; ++i) a[i + 1] = large.limbs[i];
  const int words = static_cast<int>(distance / 64);
  const int shift = static_cast<int>(distance % 64);
  for (int i = 0; i < N; ++i) {
    const int to = i + 1 + words;
    if (to < N + 2) b[to] |= small.limbs[i] >> shift;
    if (to + 1 < N + 2 && shift != 0) b[to + 1] |= small.limbs[i] << (64 - shift);
  }
  Limb carry = 0;
  const bool same = x.negative == y.negative;
  for (int i = N + 1; i >= 0; --i) {
    const TwoLimbs sum = same ? static_cast<TwoLimbs>(a[i]) + b[i] + carry : static_cast<TwoLimbs>(a[i]) - b[i] - carry;
    a[i] = static_cast<Limb>(sum);
    carry = static_cast<Limb>(sum >> 64) & 1;
  }
  return normalised<N>(large.negative, large.exponent + 64, a);
}
template <int N>
Big<N> operator-(const Big<N>& x, const Big<N>& y) {
  return x + negated(y);
}

template <int N>
Big<N> operator*(const Big<N>& x, const Big<N>& y) {
  Limb product[2 * N] = {};
  for (int i = N - 1; i >= 0; --i) {
    Limb carry = 0;
    for (int j = N - 1; j >= 0; --j) {
      const TwoLimbs sum = static_cast<TwoLimbs>(x.limbs[i]) * y.limbs[j] + product[i + j + 1] + carry;
      product[i + j + 1] = static_cast<Limb>(sum);
      carry = static_cast<Limb>(sum >> 64);
    }
    product[i] = carry;
  }
  return normalised<N>(x.negative != y.negative, x.exponent + y.exponent, product);
}

template <int N>
Big<N> over(const Big<N>& x, uint64_t divisor) {  // x / divisor
  Limb quotient[N + 1];
  TwoLimbs rest = 0;
  for (int i = 0; i <= N; ++i) {
    rest = rest << 64 | (i < N ? x.limbs[i] : 0);
    quotient[i] = static_cast<Limb>(rest / divisor);
    rest %= divisor;
  }
  return normalised<N>(x.negative, x.exponent, quotient);
}

// Newton's steps, each of which doubles the bits of a double.
constexpr int kSteps = 4;

template <int N>
Big<N> reciprocal(const Big<N>& x) {
  Big<N> unit = x;
  unit.exponent = 0;
  Big<N> y = from_double<N>(1 / approximate(unit));
  const Big<N> one = from_whole<N>(1);
  for (int i = 0; i < kSteps; ++i) y = y + y * (one - unit * y);
  y.exponent -= x.exponent;
  return y;
}
template <int N>
Big<N> operator/(const Big<N>& x, const Big<N>& y) {
  return x * reciprocal(y);
}

template <int N>
Big<N> root(const Big<N>& x) {  // of a number that is not negative
  if (x.is_zero()) return x;
  Big<N> unit = x;
  unit.exponent = x.exponent & 1;
  Big<N> y = from_double<N>(1 / __builtin_sqrt(approximate(unit)));
  const Big<N> one = from_whole<N>(1);
  for (int i = 0; i < kSteps; ++i) y = y + scaled(y * (one - unit * y * y), -1);
  y = unit * y;
  y.exponent += (x.exponent - unit.exponent) / 2;
  return y;
}

}  // namespace samebits::exact::precise
