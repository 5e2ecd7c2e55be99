// x to the power of y, with the powers that are doubles, or the middle between two, found exactly.
#include "exact/precise/functions.hpp"
#include "exact/precise/rounding.hpp"
#include "exact/precise/series.hpp"

namespace samebits::exact::precise {
namespace {

// x = odd 2^exponent, for x > 0.
struct Odd {
  uint64_t odd;
  int64_t exponent;
};
Odd odd_part(double x) {
  const Big<1> big = from_double<1>(x);
  const int zeros = __builtin_ctzll(big.limbs[0]);
  return {big.limbs[0] >> zeros, big.exponent - 64 + zeros};
}

// The root of a whole number, where it is one; else 0.
uint64_t whole_root(uint64_t x) {
  uint64_t y = static_cast<uint64_t>(__builtin_sqrt(static_cast<double>(x)));
  while (y * y > x) --y;
  while ((y + 1) * (y + 1) <= x) ++y;
  return y * y == x ? y : 0;
}

// a^y as a whole number of at most 54 bits, if it is one, times 2^exponent. Only such powers can lie in
// the middle between two doubles.
bool is_short(double a, double y, Odd& result) {
  Odd base = odd_part(a);
  Odd power = odd_part(__builtin_fabs(y));
  if (base.odd > 1 && y < 0) return false;
  // a^(n 2^f): for f < 0 the odd part and the exponent must have that many roots.
  for (; power.exponent < 0; ++power.exponent) {
    if (base.odd == 1 && base.exponent == 0) break;
    base.odd = whole_root(base.odd);
    if (base.odd == 0 || base.exponent % 2 != 0) return false;
    base.exponent /= 2;
  }
  if (power.exponent > 12 || power.odd >> 12 != 0) return false;  // 2^4096: beyond every double
  const uint64_t times = power.odd << power.exponent;
  TwoLimbs odd = 1;
  if (base.odd > 1) {
    for (uint64_t i = 0; i < times; ++i) {
      odd *= base.odd;
      if (odd >> 54 != 0) return false;
    }
  }
  const int64_t exponent = base.exponent * static_cast<int64_t>(times);
  result = {static_cast<uint64_t>(odd), y < 0 ? -exponent : exponent};
  return true;
}

}  // namespace

double pow(double x, double y) {
  const double infinite = __builtin_inf();
  if (y == 0 || x == 1) return 1;
  if (x != x || y != y) return __builtin_nan("");
  const double a = __builtin_fabs(x);
  if (y == infinite || y == -infinite) {
    if (a == 1) return 1;
    return (a > 1) == (y > 0) ? infinite : 0;
  }
  const bool whole = __builtin_floor(y) == y;
  const bool odd = whole && __builtin_fabs(y) < 0x1p53 && (static_cast<int64_t>(y) & 1) != 0;
  const double sign = __builtin_signbit(x) && odd ? -1.0 : 1.0;
  if (a == 0 || a == infinite) return sign * ((a == 0) == (y > 0) ? 0 : infinite);
  if (x < 0 && !whole) return __builtin_nan("");
  if (a == 1) return sign;
  const Big<3> about = from_double<3>(y) * log_big(from_double<3>(a));
  if (about.exponent > 10) return sign * (about.negative ? 0 : infinite);
  Odd exact;
  if (is_short(a, y, exact)) {
    const Big<1> value = scaled(from_whole<1>(static_cast<int64_t>(exact.odd)), exact.exponent);
    return sign * nearest(value);
  }
  return sign * decided([&](auto kind) {
    constexpr int N = sizeof(decltype(kind)::limbs) / sizeof(Limb);
    return Found<N>{exp_big(from_double<N>(y) * log_big(from_double<N>(a))), 44};
  });
}

}  // namespace samebits::exact::precise
