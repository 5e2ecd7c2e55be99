// A power with 94 bits, for arguments for which 43 do not decide the float.
//
// Where even these do not (x^y is the middle between two floats), whole numbers tell whether it is
// so. Numbers are pairs of doubles: the second is what the first has lost.
#include "exact/kernels/power.hpp"

#include <cstring>

namespace samebits::exact::SAMEBITS_EXACT_BUILD {
namespace {

struct Pair {
  double high, low;
};

// Exact where |a| >= |b|, or a is 0.
Pair ordered(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}
Pair sum(double a, double b) {
  const double total = a + b;
  const double part = total - a;
  return {total, (a - (total - part)) + (b - part)};
}
Pair sum(Pair a, Pair b) {
  const Pair high = sum(a.high, b.high);
  const Pair low = sum(a.low, b.low);
  const Pair joined = ordered(high.high, high.low + low.high);
  return ordered(joined.high, joined.low + low.low);
}
Pair product(Pair a, Pair b) {
  const double high = a.high * b.high;
  const double low = __builtin_fma(a.high, b.high, -high) + (a.high * b.low + a.low * b.high);
  return ordered(high, low);
}
Pair product(Pair a, double b) { return product(a, Pair{b, 0}); }
Pair quotient(Pair a, double b) {
  const double high = a.high / b;
  const double rest = __builtin_fma(-high, b, a.high) + a.low;
  return ordered(high, rest / b);
}

constexpr Pair kOne{1, 0};
constexpr Pair kLog2OfE{0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};
constexpr Pair kLogOf2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
constexpr int kLogTerms = 24;  // z is below 2^-5: the next term is below 2^-120
constexpr int kExpTerms = 13;  // of numbers below 2^-7.5
constexpr int kHalvings = 6;
constexpr double kSplit = 0x1.6a09e667f3bcdp+0;  // sqrt(2)

uint64_t pattern(double x) {
  uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
double from_pattern(uint64_t bits) {
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}
double power_of_two(int exponent) { return from_pattern(static_cast<uint64_t>(exponent + 1023) << 52); }

// log2(a) for a positive float: 2^k m, and log(m) = 2 atanh((m - 1) / (m + 1)).
Pair log2_of_one(double a) {
  int k = static_cast<int>(pattern(a) >> 52) - 1023;
  double m = from_pattern((pattern(a) & 0xFFFFFFFFFFFFFu) | (uint64_t{1023} << 52));
  if (m > kSplit) {
    m *= 0.5;
    ++k;
  }
  const Pair t = quotient({m - 1, 0}, m + 1);  // both are exact: m has 24 bits
  const Pair z = product(t, t);
  Pair series = quotient(kOne, 2 * kLogTerms + 1);
  for (int n = kLogTerms - 1; n >= 0; --n) series = sum(quotient(kOne, 2 * n + 1), product(z, series));
  const Pair log_of_m = product(product(t, series), 2);
  return sum({static_cast<double>(k), 0}, product(log_of_m, kLog2OfE));
}

// e^g for |g| below 0.35.
Pair exp_of_one(Pair g) {
  const double scale = 1.0 / (1 << kHalvings);
  const Pair h{g.high * scale, g.low * scale};
  Pair series = kOne;
  for (int n = kExpTerms; n >= 1; --n) series = sum(kOne, quotient(product(h, series), n));
  for (int n = 0; n < kHalvings; ++n) series = product(series, series);
  return series;
}

// The odd part of a positive number that has no more bits than 63.
uint64_t odd_part(double x) {
  const uint64_t m = (pattern(x) & 0xFFFFFFFFFFFFFu) | (uint64_t{1} << 52);
  return m >> __builtin_ctzll(m);
}

uint64_t repeated(uint64_t base, int times) {
  uint64_t result = 1;
  for (int i = 0; i < times; ++i) result *= base;
  return result;
}

// Whether a^y is exactly `middle`, of which it is known to be near. With an odd part above 1, a power of at
// most 25 bits has an exponent j / 8 with j <= 8 × 15: 3^16 has 26 bits, and a 16th root has no float.
bool is_exactly(double a, double y, double middle) {
  const double eighths = y * 8;
  if (!(eighths > 0 && eighths <= 120)) return false;
  const int j = static_cast<int>(eighths);
  if (static_cast<double>(j) != eighths) return false;
  // Both sides to the eighth power: odd whole numbers, equal in their last 64 bits.
  return repeated(odd_part(middle), 8) == repeated(odd_part(a), j);
}

// The float nearest to a value given as a pair, ties to even.
float nearest(Pair value, double a, double y) {
  const float near = static_cast<float>(value.high);
  const float infinite = __builtin_inff();
  const double rest = near == infinite ? value.high - 0x1p128 : value.high - static_cast<double>(near);
  if (rest == 0 || value.low == 0 || (near == infinite && rest > 0)) return near;
  // The neighbour on the other side of the value.
  uint32_t bits;
  std::memcpy(&bits, &near, sizeof bits);
  bits = rest > 0 ? bits + 1 : bits - 1;  // floats here are positive
  float other;
  std::memcpy(&other, &bits, sizeof other);
  const double far = other == infinite ? 0x1p128 : static_cast<double>(other);
  const double here = near == infinite ? 0x1p128 : static_cast<double>(near);
  if ((here + far) * 0.5 != value.high) return near;
  // The first double is the middle between two floats: the second decides, unless that is all.
  if (is_exactly(a, y, value.high)) return near;
  return (value.low > 0) == (rest > 0) ? other : near;
}

bool is_whole(float y) { return __builtin_floorf(y) == y; }
bool is_odd(float y) {
  return __builtin_fabsf(y) < 0x1p24f && (static_cast<int32_t>(y) & 1) != 0;
}

}  // namespace

float power(float x, float y) {
  const float infinite = __builtin_inff();
  if (y == 0 || x == 1) return 1;
  if (x != x || y != y) return __builtin_nanf("");
  const float a = __builtin_fabsf(x);
  if (y == infinite || y == -infinite) {
    if (a == 1) return 1;
    return (a > 1) == (y > 0) ? infinite : 0;
  }
  const bool negative = __builtin_signbit(x) != 0 && is_whole(y) && is_odd(y);
  const float sign = negative ? -1.0f : 1.0f;
  if (a == 0 || a == infinite) return sign * ((a == 0) == (y > 0) ? 0.0f : infinite);
  if (x < 0 && !is_whole(y)) return __builtin_nanf("");
  const Pair exponent = product(log2_of_one(a), y);
  if (exponent.high > 129) return sign * infinite;
  if (exponent.high < -151) return sign * 0.0f;
  const int whole = static_cast<int>(__builtin_floor(exponent.high + 0.5));
  const Pair rest = sum({exponent.high - whole, 0}, {exponent.low, 0});
  Pair value = exp_of_one(product(rest, kLogOf2));
  value.high *= power_of_two(whole);
  value.low *= power_of_two(whole);
  return sign * nearest(value, a, y);
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
