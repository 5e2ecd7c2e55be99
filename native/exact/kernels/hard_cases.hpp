// Arguments whose value lies so near the middle between two floats that the 53 bits of the
// functions fall on the wrong side. benchmarks/functions.py --exhaustive finds them; each is an
// argument and the value that MPFR gives.
#pragma once

#include "exact/vec.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD::hard {

// y, or `value` where x is exactly `argument`; both as bits.
SAMEBITS_INLINE vf fixed(vf x, vf y, uint32_t argument, uint32_t value) {
  const vi here = bits<vi>(x) == all_i(static_cast<int32_t>(argument));
  return here ? bits<vf>(all_i(static_cast<int32_t>(value))) : y;
}

SAMEBITS_INLINE vf exp(vf, vf y) { return y; }
SAMEBITS_INLINE vf exp2(vf, vf y) { return y; }
SAMEBITS_INLINE vf expm1(vf, vf y) { return y; }
SAMEBITS_INLINE vf log(vf x, vf y) {
  y = fixed(x, y, 0x3C413D3A, 0xC08E158F);
  y = fixed(x, y, 0x41178FEB, 0x400FE5E7);
  y = fixed(x, y, 0x4C5D65A5, 0x418F034B);
  y = fixed(x, y, 0x65D890D3, 0x4254D1F9);
  return fixed(x, y, 0x6F31A8EC, 0x42845A89);
}
SAMEBITS_INLINE vf log2(vf, vf y) { return y; }
SAMEBITS_INLINE vf log10(vf, vf y) { return y; }
SAMEBITS_INLINE vf log1p(vf, vf y) { return y; }
SAMEBITS_INLINE vf sin(vf x, vf y) {
  y = fixed(x, y, 0x46199998, 0xBEB1FA5D);
  return fixed(x, y, 0xC6199998, 0x3EB1FA5D);
}
SAMEBITS_INLINE vf cos(vf, vf y) { return y; }
SAMEBITS_INLINE vf tanh(vf, vf y) { return y; }
SAMEBITS_INLINE vf erf(vf, vf y) { return y; }
SAMEBITS_INLINE vf sigmoid(vf, vf y) { return y; }

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD::hard
