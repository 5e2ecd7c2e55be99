// The exponential of a pair of doubles.
#pragma once

#include "exact/kernels/pairs.hpp"
#include "exact/precise/functions.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

struct PowersOfTwo {  // 2^(j / 128)
  double high[128], low[128];
  PowersOfTwo() {
    for (int j = 0; j < 128; ++j) {
      const precise::Parts value = precise::two_to(j / 128.0);
      high[j] = value.high;
      low[j] = value.low;
    }
  }
};
const PowersOfTwo& powers_of_two();

// e^r - 1 for |r| up to ln(2) / 256: to 2^-70 of it.
SAMEBITS_INLINE Pair small_expm1(Pair r) {
  const Pair square = exact_product(r.high, r.high);
  const vd lost = fma(r.high, r.low + r.low, square.low);
  vd p = all<vd>(1 / 40320.0);
  p = fma(p, r.high, all<vd>(1 / 5040.0));
  p = fma(p, r.high, all<vd>(1 / 720.0));
  p = fma(p, r.high, all<vd>(1 / 120.0));
  p = fma(p, r.high, all<vd>(1 / 24.0));
  p = fma(p, r.high, all<vd>(1 / 6.0));
  const vd cube = square.high * r.high * p;
  const Pair sum = ordered(r.high, square.high * all<vd>(0.5));
  return ordered(sum.high, sum.low + (fma(lost, all<vd>(0.5), r.low) + cube));
}

// e^x = 2^scale (power) for |x| up to 750; `rest` is power - 1 where `near`: there it keeps its bits.
struct PairExponential {
  Pair power, rest;
  vl scale;
  vl near;
};
SAMEBITS_INLINE Pair whole(const PairExponential& e) {
  const vd factor = bits<vd>((e.scale + all_l(1023)) << 52);
  return {e.power.high * factor, e.power.low * factor};
}
SAMEBITS_INLINE PairExponential with_remainder(vd shifted, Pair r) {
  const PowersOfTwo& table = powers_of_two();
  const vl k = bits<vl>(shifted) - all_l(kRounderBits);
  const vl index = k & all_l(127);
  const Pair e = small_expm1(r);
  const vd high = looked_up(table.high, index), low = looked_up(table.low, index);
  const Pair product = exact_product(high, e.high);
  const Pair sum = ordered(high, product.high);
  const vd rest = product.low + fma(high, e.low, fma(low, e.high, low));
  return {ordered(sum.high, sum.low + rest), e, k >> 7, k == vl{}};
}
SAMEBITS_INLINE PairExponential pair_exp(Pair x) {
  const vd shifted = fma(x.high, all<vd>(0x1.71547652b82fep+7), all<vd>(kRounder));
  const vd k = shifted - all<vd>(kRounder);
  // ln(2) / 128 in three parts; k times the first one, of 35 bits, is exact.
  const vd first = fma(k, all<vd>(-0x1.62e42fef80000p-8), x.high);
  const Pair second = exact_product(k, all<vd>(-0x1.1cf79abc9e3b4p-43));
  const Pair r = exact_sum(first, second.high);
  const vd rest = fma(k, all<vd>(0x1.9ff0342542fc3p-97), second.low) + (r.low + x.low);
  return with_remainder(shifted, ordered(r.high, rest));
}

// Up to here e^x is a normal number, and so is the second part of its pair.
constexpr double kOrdinary = 660.0;

SAMEBITS_INLINE vd within(vd x, double bound) { return at_least(at_most(x, bound), -bound); }
SAMEBITS_INLINE vl is_within(vd x, double bound) { return magnitude(x) <= all<vd>(bound); }

// e^x - 1 for |x| up to kOrdinary.
SAMEBITS_INLINE Pair pair_expm1(Pair x) {
  const PairExponential e = pair_exp(x);
  return chosen(e.near, e.rest, whole(e) + all<vd>(-1.0));
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
