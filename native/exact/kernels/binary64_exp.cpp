// Exponentials, and what is made of one, in binary64.
#include "exact/kernels/binary64.hpp"
#include "exact/kernels/pair_exp.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

const PowersOfTwo& powers_of_two() {
  static const PowersOfTwo table;
  return table;
}

vd exp_f(vd x) {
  const Pair y = whole(pair_exp({within(x, kOrdinary), vd{}}));
  return settled(y, 0x1p-72, is_within(x, kOrdinary), [&](int i) { return precise::exp(x[i]); });
}

vd exp2_f(vd x) {
  const vd bounded = within(x, 950.0);
  // The nearest 128th part; what is left of it times ln(2).
  const vd shifted = fma(bounded, all<vd>(128.0), all<vd>(kRounder));
  const vd left = fma(shifted - all<vd>(kRounder), all<vd>(-0x1p-7), bounded);
  const Pair y = whole(with_remainder(shifted, constant(0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56) * left));
  return settled(y, 0x1p-70, is_within(x, 950.0), [&](int i) { return precise::exp2(x[i]); });
}

vd expm1_f(vd x) {
  const Pair y = pair_expm1({within(x, kOrdinary), vd{}});
  const vd result = settled(y, 0x1p-67, is_within(x, kOrdinary), [&](int i) { return precise::expm1(x[i]); });
  return x == vd{} ? x : result;
}

vd sigmoid_f(vd x) {
  // e^-|x| / (1 + e^-|x|), or 1 / (1 + e^-|x|)
  const Pair e = whole(pair_exp({-magnitude(within(x, kOrdinary)), vd{}}));
  const Pair y = chosen(x < vd{}, e, constant(1.0, 0.0)) / (e + all<vd>(1.0));
  return settled(y, 0x1p-70, is_within(x, kOrdinary), [&](int i) { return precise::sigmoid(x[i]); });
}

vd tanh_f(vd x) {
  // From 20 on it is nearer to 1 than to any other number.
  const vd size = at_most(magnitude(x), 20.0);
  const Pair less = -pair_expm1({size * all<vd>(-2.0), vd{}});
  const Pair y = less / (-less + all<vd>(2.0));
  const vd result = settled(y, 0x1p-66, x == x, [&](int i) { return precise::tanh(magnitude(x)[i]); });
  return with_sign(result, sign_of(x));
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
