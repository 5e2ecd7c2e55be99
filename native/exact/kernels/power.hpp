// x to the power of y, correctly rounded to binary32; and the powers that are products.
#pragma once

#include "exact/kernels/functions.hpp"
#include "exact/vec.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

// One value, with twice the bits of binary64 and the rules for zeros, infinities and NaN.
float power(float x, float y);

// What a power is narrowed from, as two bounds: the true value lies between them.
struct Bounds {
  vd low, high;
};
SAMEBITS_INLINE Bounds power_bounds(vd x, vd y) {
  // |x|^y to 2^-43 of its value: 2^-50 of the exponent, which is 170 at most.
  const vd exponent = y * log2_of(magnitude(x));
  vd z = exp2_of(exponent);
  const vd shifted = y + all<vd>(kRounder);
  const vl whole = (shifted - all<vd>(kRounder)) == y;
  const vl odd = magnitude(y) < all<vd>(0x1p24) ? bits<vl>(shifted) & all_l(1) : vl{};
  const vd turned = bits<vd>(bits<vl>(z) ^ (odd << 63));
  const vd nan = all<vd>(__builtin_nan(""));
  z = x < vd{} ? (whole ? turned : nan) : z;
  const vd error = z * all<vd>(0x1p-40);
  return {z - error, z + error};
}

SAMEBITS_INLINE vf pow_f(vf x, vf y) {
  const Bounds first = power_bounds(widen(first_half(x)), widen(first_half(y)));
  const Bounds second = power_bounds(widen(second_half(x)), widen(second_half(y)));
  vf z = joined(narrow(first.low), narrow(second.low));
  const vi differ = bits<vi>(z) != bits<vi>(joined(narrow(first.high), narrow(second.high)));
  const vf not_finite = (x - x) + (y - y);
  const vi open = differ | (x == vf{}) | ~(not_finite == vf{});
  int32_t any = 0;
  for (int i = 0; i < W; ++i) any |= open[i];
  if (__builtin_expect(any != 0, 0)) {
    for (int i = 0; i < W; ++i) {
      if (open[i] != 0) z[i] = power(x[i], y[i]);
    }
  }
  return z;
}

// a × b, where `a` holds every bit of its value, rounded so that narrowing it is the only rounding:
// what is lost sets the last bit ("round to odd", Boldo and Melquiond, 2008).
SAMEBITS_INLINE vd odd_product(vd a, vd b) {
  const vd product = a * b;
  const vd lost = fma(a, b, -product);
  const vl away = (bits<vl>(lost) ^ bits<vl>(product)) < vl{};
  const vl pattern = bits<vl>(product);
  const vl odd = (away ? pattern - all_l(1) : pattern) | all_l(1);
  return lost > vd{} || lost < vd{} ? bits<vd>(odd) : product;
}
SAMEBITS_INLINE vd cube_of(vd x) { return odd_product(x * x, x); }
SAMEBITS_INLINE vd fourth_of(vd x) { return odd_product(x * x, x * x); }

template <vd (*function)(vd)>
SAMEBITS_INLINE vf narrowed(vf x) {
  return joined(narrow(function(widen(first_half(x)))), narrow(function(widen(second_half(x)))));
}
SAMEBITS_INLINE vf cube_f(vf x) { return narrowed<cube_of>(x); }
SAMEBITS_INLINE vf fourth_f(vf x) { return narrowed<fourth_of>(x); }
// binary64 has no wider type to round from.
SAMEBITS_INLINE vd cube_f(vd x) { return x * x * x; }
SAMEBITS_INLINE vd fourth_f(vd x) { return (x * x) * (x * x); }

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
