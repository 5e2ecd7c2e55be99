// Logarithms in binary64.
#include "exact/kernels/binary64.hpp"
#include "exact/kernels/pair_log.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

const Inverses& inverses() {
  static const Inverses table;
  return table;
}

namespace {
SAMEBITS_INLINE vd bounded(vd x, vl ordinary) { return ordinary ? x : all<vd>(1.0); }
}  // namespace

vd log_f(vd x) {
  const vl ordinary = is_ordinary(x);
  const Pair y = pair_log({bounded(x, ordinary), vd{}});
  return settled(y, 0x1p-66, ordinary, [&](int i) { return precise::log(x[i]); });
}

vd log2_f(vd x) {
  const vl ordinary = is_ordinary(x);
  const PairLogarithm l = split_pair_log({bounded(x, ordinary), vd{}});
  const Pair y = Pair{l.exponent, vd{}} + l.rest * constant(0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56);
  return settled(y, 0x1p-66, ordinary, [&](int i) { return precise::log2(x[i]); });
}

vd log10_f(vd x) {
  const vl ordinary = is_ordinary(x);
  const Pair y = pair_log({bounded(x, ordinary), vd{}}) * constant(0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57);
  return settled(y, 0x1p-66, ordinary, [&](int i) { return precise::log10(x[i]); });
}

vd log1p_f(vd x) {
  const vl ordinary = (x > all<vd>(-1.0)) & (x < all<vd>(__builtin_inf()));
  const Pair y = pair_log(exact_sum(all<vd>(1.0), ordinary ? x : vd{}));
  const vd result = settled(y, 0x1p-66, ordinary, [&](int i) { return precise::log1p(x[i]); });
  return x == vd{} ? x : result;
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
