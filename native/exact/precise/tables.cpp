// Values for tables, as pairs of doubles.
#include "exact/precise/functions.hpp"
#include "exact/precise/rounding.hpp"
#include "exact/precise/series.hpp"

namespace samebits::exact::precise {
namespace {

template <int N>
Parts parts(const Big<N>& x) {
  const double high = nearest(x);
  return {high, nearest(x - from_double<N>(high))};
}

}  // namespace

Parts two_to(double x) { return parts(exp_big(from_double<3>(x) * ln2<3>())); }
Parts log_of(double x) { return parts(log_big(from_double<3>(x))); }
Parts arc_tangent(double x) { return parts(atan_big(from_double<3>(x))); }

void sine_and_cosine(double x, Parts& sine, Parts& cosine) {
  const Big<3> big = from_double<3>(x);
  sine = parts(sin_big(big));
  cosine = parts(cos_big(big));
}

void erf_series(double c, bool scaled_erfc, int count, Parts* coefficients) {
  // d = erf', d' = -2 x d; and s = e^(x^2) erfc, s' = 2 x s - 2 / sqrt(pi). With six limbs: where x is
  // large, each coefficient of s is a difference that loses some bits.
  const Big<6> x = from_double<6>(c);
  const Big<6> slope = two_over_root_pi<6>();
  const auto at = [](int n) { return static_cast<uint64_t>(n); };
  Big<6> before{};
  Big<6> now;
  if (scaled_erfc) {
    now = c < 3 ? exp_big(x * x) * (from_whole<6>(1) - erf_big(x)) : scaled_erfc_big(x);
    for (int n = 0; n < count; ++n) {
      coefficients[n] = parts(now);
      Big<6> next = scaled(x * now + before, 1);
      if (n == 0) next = next - slope;
      before = now;
      now = over(next, at(n + 1));
    }
    return;
  }
  coefficients[0] = parts(erf_big(x));
  now = slope * exp_big(negated(x * x));
  for (int n = 0; n + 1 < count; ++n) {
    coefficients[n + 1] = parts(over(now, at(n + 1)));
    const Big<6> next = over(negated(scaled(x * now + before, 1)), at(n + 1));
    before = now;
    now = next;
  }
}

}  // namespace samebits::exact::precise
