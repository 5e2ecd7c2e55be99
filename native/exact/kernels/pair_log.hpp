// The logarithm of a pair of doubles.
#pragma once

#include "exact/kernels/pairs.hpp"
#include "exact/precise/functions.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

// Mantissas from 0.707 to 1.414 by their first bits: a double near 1 / m, and -log of it. Next to 1 it is 1.
constexpr int64_t kLeastMantissa = 0x3FE6A00000000000;
struct Inverses {
  double inverse[256], high[256], low[256];
  Inverses() {
    for (int j = 0; j < 256; ++j) {
      const int64_t pattern = kLeastMantissa + (int64_t{2 * j + 1} << 43);
      double middle;
      __builtin_memcpy(&middle, &pattern, 8);
      const bool next_to_one = j == 149 || j == 150;
      inverse[j] = next_to_one ? 1.0 : 1.0 / middle;
      const precise::Parts value = next_to_one ? precise::Parts{0, 0} : precise::log_of(inverse[j]);
      high[j] = -value.high;
      low[j] = -value.low;
    }
  }
};
const Inverses& inverses();

// x = 2^k m: k, and log(m).
struct PairLogarithm {
  vd exponent;
  Pair rest;
};
// For normal numbers above zero, to 2^-67 of the logarithm.
SAMEBITS_INLINE PairLogarithm split_pair_log(Pair x) {
  const Inverses& table = inverses();
  const vl moved = bits<vl>(x.high) - all_l(kLeastMantissa);
  const vl k = moved >> 52;
  const vd m = bits<vd>(bits<vl>(x.high) - (k << 52));
  const vl index = (moved - (k << 52)) >> 44;
  const vl small = k > all_l(1000) ? all_l(1000) : k;  // x.low is nothing there
  const vd low_m = x.low * bits<vd>((all_l(1023) - small) << 52);
  const vd inverse = looked_up(table.inverse, index);
  const Pair product = exact_product(m, inverse);
  const Pair r = exact_sum(product.high - all<vd>(1.0), fma(low_m, inverse, product.low));
  // log(1 + r) = r - r^2 / 2 + r^3 (1 / 3 - ...)
  const Pair square = exact_product(r.high, r.high);
  const vd lost = fma(r.high, r.low + r.low, square.low);
  vd p = all<vd>(1 / 9.0);
  p = fma(p, r.high, all<vd>(-1 / 8.0));
  p = fma(p, r.high, all<vd>(1 / 7.0));
  p = fma(p, r.high, all<vd>(-1 / 6.0));
  p = fma(p, r.high, all<vd>(1 / 5.0));
  p = fma(p, r.high, all<vd>(-1 / 4.0));
  p = fma(p, r.high, all<vd>(1 / 3.0));
  const vd cube = square.high * r.high * p;
  const Pair first = exact_sum(looked_up(table.high, index), r.high);
  const Pair second = exact_sum(first.high, square.high * all<vd>(-0.5));
  const vd rest = looked_up(table.low, index) + (fma(lost, all<vd>(-0.5), r.low) + cube);
  const vd exponent = bits<vd>(k + all_l(kRounderBits)) - all<vd>(kRounder);
  return {exponent, ordered(second.high, (first.low + second.low) + rest)};
}
SAMEBITS_INLINE Pair pair_log(Pair x) {
  const PairLogarithm l = split_pair_log(x);
  // k times the first part of ln(2), of 42 bits, is exact.
  const Pair whole = ordered(l.exponent * all<vd>(0x1.62e42fefa3800p-1), l.exponent * all<vd>(0x1.ef35793c76730p-45));
  return whole + l.rest;
}

// Whether a number is normal, finite and above zero.
SAMEBITS_INLINE vl is_ordinary(vd x) {
  return (x >= all<vd>(0x1p-1022)) & (x < all<vd>(__builtin_inf()));
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
