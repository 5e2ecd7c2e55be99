// The functions rounded to binary32: correctly, every one.
#pragma once

#include "exact/kernels/functions.hpp"
#include "exact/kernels/hard_cases.hpp"
#include "exact/vec.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

// A correctly rounded function of a vector of floats.
template <vd (*function)(vd)>
SAMEBITS_INLINE vf rounded(vf x) {
  vh halves[2];
  __builtin_memcpy(halves, &x, sizeof x);
  halves[0] = narrow(function(widen(halves[0])));
  halves[1] = narrow(function(widen(halves[1])));
  vf y;
  __builtin_memcpy(&y, halves, sizeof y);
  return y;
}

#define SAMEBITS_ROUNDED(name) \
  SAMEBITS_INLINE vf name##_f(vf x) { return hard::name(x, rounded<name##_of>(x)); }
SAMEBITS_ROUNDED(exp)
SAMEBITS_ROUNDED(exp2)
SAMEBITS_ROUNDED(expm1)
SAMEBITS_ROUNDED(log)
SAMEBITS_ROUNDED(log2)
SAMEBITS_ROUNDED(log10)
SAMEBITS_ROUNDED(log1p)
SAMEBITS_ROUNDED(sin)
SAMEBITS_ROUNDED(cos)
SAMEBITS_ROUNDED(tanh)
SAMEBITS_ROUNDED(erf)
SAMEBITS_ROUNDED(sigmoid)
#undef SAMEBITS_ROUNDED

SAMEBITS_INLINE vd rsqrt_of(vd x) { return all<vd>(1.0) / sqrt(x); }
SAMEBITS_INLINE vf rsqrt_f(vf x) { return rounded<rsqrt_of>(x); }
// binary64 has no wider type to round from: the quotient by the root, each rounded.
SAMEBITS_INLINE vd rsqrt_f(vd x) { return all<vd>(1.0) / sqrt(x); }

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
