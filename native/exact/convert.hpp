// Values between dtypes, one rounding each (to nearest, ties to even), NaN canonical.
#pragma once

#include <cstdint>
#include <cstring>

namespace samebits::exact {

inline uint32_t float_bits(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, 4);
  return bits;
}
inline float float_from(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, 4);
  return x;
}

inline float from_bfloat16(uint16_t x) { return float_from(static_cast<uint32_t>(x) << 16); }
inline uint16_t to_bfloat16(float x) {
  if (x != x) return 0x7FC0;
  const uint32_t bits = float_bits(x);
  return static_cast<uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

inline float from_float16(uint16_t x) {
  const uint32_t sign = static_cast<uint32_t>(x & 0x8000) << 16;
  const uint32_t exponent = (x >> 10) & 31;
  const uint32_t fraction = x & 1023;
  if (exponent == 31) return float_from(sign | (fraction ? 0x7FC00000u : 0x7F800000u));
  if (exponent == 0) {
    const float value = static_cast<float>(fraction) * 0x1p-24f;
    return sign ? -value : value;
  }
  return float_from(sign | ((exponent + 112) << 23) | (fraction << 13));
}
inline uint16_t to_float16(float x) {
  if (x != x) return 0x7E00;
  const uint32_t bits = float_bits(x);
  const uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000);
  const uint32_t magnitude = bits & 0x7FFFFFFF;
  if (magnitude >= 0x477FF000) return sign | 0x7C00;  // rounds beyond 65504
  if (magnitude < 0x38800000) {                        // subnormal: in units of 2^-24
    // Adding 0.5 leaves those units in the low bits, rounded by the addition.
    const float moved = float_from(magnitude) + 0.5f;
    return sign | static_cast<uint16_t>(float_bits(moved) - 0x3F000000u);
  }
  const uint32_t rounded = magnitude + 0xFFF + ((magnitude >> 13) & 1);
  return sign | static_cast<uint16_t>((rounded - 0x38000000u) >> 13);
}

// binary64 to a half: by way of binary32 rounded to odd, so that nothing is rounded twice.
inline float to_odd(double x) {
  const float nearest = static_cast<float>(x);
  if (nearest != nearest || static_cast<double>(nearest) == x) return nearest;
  uint32_t bits = float_bits(nearest);
  const bool too_large = (x > 0) == (static_cast<double>(nearest) > x);
  if (too_large) bits -= 1;  // toward zero; infinity becomes the largest number
  return float_from(bits | 1);
}

}  // namespace samebits::exact
