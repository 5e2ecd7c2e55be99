// A number of many bits to the nearest double, if its bits tell which one that is.
#pragma once

#include <algorithm>

#include "exact/precise/big.hpp"

namespace samebits::exact::precise {

// A number whose last `lost` bits may be wrong.
template <int N>
struct Found {
  Big<N> value;
  int64_t lost;
};

// How many bits more a difference has lost than what it was taken from, of that exponent.
template <int N>
Found<N> after_cancelling(const Big<N>& value, int64_t exponent, int64_t lost) {
  return {value, lost + std::max<int64_t>(exponent - value.exponent, 0)};
}

// Rounds to nearest, ties to even; false where the value lies so near the middle between two doubles
// that what was lost may decide. Nothing is near it but the middle itself: a value that is a double, or
// next to one, rounds to it either way.
template <int N>
bool rounded(const Found<N>& found, double& result) {
  const Big<N>& x = found.value;
  result = 0;
  if (x.is_zero() || x.exponent < -1074) {
    if (x.negative) result = -result;
    return true;
  }
  if (x.exponent > 1100) {
    result = x.negative ? -__builtin_inf() : __builtin_inf();
    return true;
  }
  const int64_t least = x.exponent + 1074;  // bits that a subnormal result has
  const int kept = least < 53 ? static_cast<int>(least) : 53;
  const Limb whole = kept == 0 ? 0 : x.limbs[0] >> (64 - kept);
  Limb rest[N];
  for (int i = 0; i < N; ++i) {
    const Limb next = i + 1 < N ? x.limbs[i + 1] : 0;
    rest[i] = kept == 0 ? x.limbs[i] : x.limbs[i] << kept | next >> (64 - kept);
  }
  // Its distance from a half, in units of 2^(kept - 64 N).
  const bool up = rest[0] >> 63 != 0;
  rest[0] ^= Limb{1} << 63;
  if (!up) {
    for (int i = 0; i < N; ++i) rest[i] = ~rest[i];  // one unit too small
    rest[0] &= ~(Limb{1} << 63);
  }
  int64_t bits = 64 * N;
  for (int i = 0; i < N && rest[i] == 0; ++i) bits -= 64;
  if (bits > 0) bits -= __builtin_clzll(rest[(64 * N - bits) / 64]);
  const bool adds = bits == 0 && up ? (whole & 1) != 0 : up;  // the middle goes to the even one
  const double size = static_cast<double>(whole + (adds ? 1 : 0));
  result = __builtin_ldexp(size, static_cast<int>(x.exponent) - kept);
  if (x.negative) result = -result;
  return bits > found.lost + kept;
}

template <int N>
double nearest(const Big<N>& x) {
  double result;
  rounded<N>({x, 0}, result);
  return result;
}

// With 192 bits, and where these do not decide with 384.
template <class Evaluate>
double decided(Evaluate evaluate) {
  double result;
  if (rounded<3>(evaluate(Big<3>{}), result)) return result;
  rounded<6>(evaluate(Big<6>{}), result);
  return result;
}

}  // namespace samebits::exact::precise
