// The functions rounded to binary32: correctly, every one.
#pragma once

#include "exact/kernels/functions.hpp"
#include "exact/kernels/hard_cases.hpp"
#include "exact/vec.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

// A correctly rounded function of a vector of floats.
template <vd (*function)(vd)>
SAMEBITS_INLINE vf rounded(vf x) {
  const vh first = narrow(function(widen(first_half(x))));
  const vh second = narrow(function(widen(second_half(x))));
  return joined(first, second);
}

// The exponentials of several vectors.
template <int N>
SAMEBITS_INLINE void exp_f(vf (&x)[N]) {
  vd wide[2 * N];
#pragma GCC unroll 4
  for (int i = 0; i < N; ++i) {
    // Beyond these bounds binary32 has only zero and infinity.
    const vf bounded = at_least(at_most(x[i], 120.0f), -120.0f);
    wide[2 * i] = widen(first_half(bounded));
    wide[2 * i + 1] = widen(second_half(bounded));
  }
  exponentials_of(wide);
#pragma GCC unroll 4
  for (int i = 0; i < N; ++i) x[i] = joined(narrow(wide[2 * i]), narrow(wide[2 * i + 1]));
}
SAMEBITS_INLINE vf exp_f(vf x) {
  vf one[1] = {x};
  exp_f(one);
  return one[0];
}
#define SAMEBITS_ROUNDED(name) \
  SAMEBITS_INLINE vf name##_f(vf x) { return hard::name(x, rounded<name##_of>(x)); }
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
