// Powers in binary64.
#include "exact/kernels/binary64.hpp"
#include "exact/kernels/pair_exp.hpp"
#include "exact/kernels/pair_log.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

vd pow_f(vd x, vd y) {
  vl ordinary = is_ordinary(x) & (magnitude(y) < all<vd>(0x1p64)) & (magnitude(y) > all<vd>(0x1p-64));
  const Pair exponent = pair_log({ordinary ? x : all<vd>(1.0), vd{}}) * (ordinary ? y : vd{});
  const vd size = magnitude(exponent.high);
  ordinary = ordinary & (size <= all<vd>(kOrdinary));
  const vl inside = size <= all<vd>(kOrdinary);
  const Pair z = whole(pair_exp({inside ? exponent.high : vd{}, inside ? exponent.low : vd{}}));
  // The exponent's error is a part of it, and an absolute error of it is a part of the power.
  const vd error = z.high * fma(size, all<vd>(0x1p-66), all<vd>(0x1p-71));
  return settled(z, error, ordinary, [&](int i) { return precise::pow(x[i], y[i]); });
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
