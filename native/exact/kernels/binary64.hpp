// Functions in binary64, correctly rounded.
//
// A pair of doubles says the value to some 70 bits. Where that leaves open how it rounds (once in some
// thousand arguments), and for zeros, infinities and what else is not ordinary, whole numbers decide
// (exact/precise). The tables are made by these when a function is first used.
//
// The functions of floats at the end are computed from the same pairs, which decide for every float.
#pragma once

#include "exact/vec.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

vd exp_f(vd x);
vd exp2_f(vd x);
vd expm1_f(vd x);
vd sigmoid_f(vd x);
vd tanh_f(vd x);
vd log_f(vd x);
vd log2_f(vd x);
vd log10_f(vd x);
vd log1p_f(vd x);
vd sin_f(vd x);
vd cos_f(vd x);
vd asin_f(vd x);
vd acos_f(vd x);
vd atan_f(vd x);
vd atan2_f(vd y, vd x);
vd erf_f(vd x);
vd erfc_f(vd x);
vd pow_f(vd x, vd y);

vf asin_f(vf x);
vf acos_f(vf x);
vf atan_f(vf x);
vf atan2_f(vf y, vf x);
vf erfc_f(vf x);

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
