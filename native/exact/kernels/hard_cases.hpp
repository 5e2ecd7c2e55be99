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
SAMEBITS_INLINE vf log(vf, vf y) { return y; }
SAMEBITS_INLINE vf log2(vf, vf y) { return y; }
SAMEBITS_INLINE vf log10(vf, vf y) { return y; }
SAMEBITS_INLINE vf log1p(vf, vf y) { return y; }
SAMEBITS_INLINE vf sin(vf, vf y) { return y; }
SAMEBITS_INLINE vf cos(vf, vf y) { return y; }
SAMEBITS_INLINE vf tanh(vf, vf y) { return y; }
SAMEBITS_INLINE vf erf(vf, vf y) { return y; }
SAMEBITS_INLINE vf sigmoid(vf, vf y) { return y; }

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD::hard
