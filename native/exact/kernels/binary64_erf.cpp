// The error function and its complement in binary64, and the complement for floats.
#include "exact/kernels/binary64.hpp"
#include "exact/kernels/pair_exp.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {
namespace {

constexpr int kTerms = 10;

// Taylor's series around centers: the first two coefficients as pairs.
template <int centers>
struct Series {
  double value_high[centers], value_low[centers], slope_high[centers], slope_low[centers];
  double rest[kTerms - 2][centers];
  void set(int j, double center, bool scaled) {
    precise::Parts terms[kTerms];
    precise::erf_series(center, scaled, kTerms, terms);
    value_high[j] = terms[0].high;
    value_low[j] = terms[0].low;
    slope_high[j] = terms[1].high;
    slope_low[j] = terms[1].low;
    for (int n = 2; n < kTerms; ++n) rest[n - 2][j] = terms[n].high;
  }
};

template <int centers>
SAMEBITS_INLINE Pair series_at(const Series<centers>& table, vl index, vd t) {
  vd p = looked_up(table.rest[kTerms - 3], index);
#pragma GCC unroll 8
  for (int n = kTerms - 4; n >= 0; --n) p = fma(p, t, looked_up(table.rest[n], index));
  const Pair curve = exact_product(p, t);
  const Pair slope = exact_sum(looked_up(table.slope_high, index), curve.high);
  const vd slope_low = slope.low + (curve.low + looked_up(table.slope_low, index));
  const Pair step = exact_product(slope.high, t);
  const Pair sum = exact_sum(looked_up(table.value_high, index), step.high);
  return ordered(sum.high, sum.low + (fma(slope_low, t, step.low) + looked_up(table.value_low, index)));
}

constexpr double kEndOfErf = 6.0;  // from here on erf is nearer to 1 than to any other number
constexpr int kCenters = 385;      // j / 64
struct ErfSeries : Series<kCenters> {
  ErfSeries() {
    for (int j = 0; j < kCenters; ++j) set(j, j / 64.0, false);
  }
};

// erf(x) for 0 <= x <= 6.
SAMEBITS_INLINE Pair pair_erf(vd x) {
  static const ErfSeries table;
  const vd place = fma(x, all<vd>(64.0), all<vd>(kRounder));
  const vd t = fma(place - all<vd>(kRounder), all<vd>(-0x1p-6), x);
  return series_at(table, bits<vl>(place) - all_l(kRounderBits), t);
}

// e^(x^2) erfc(x): 64 centers for each power of two from 1 / 2 to 32.
constexpr int kOctaves = 6;
constexpr int64_t kHalfBits = 0x3FE0000000000000;
struct ScaledSeries : Series<64 * kOctaves> {
  ScaledSeries() {
    for (int j = 0; j < 64 * kOctaves; ++j) {
      const int64_t pattern = kHalfBits + (int64_t{2 * j + 1} << 45);
      double center;
      __builtin_memcpy(&center, &pattern, 8);
      set(j, center, true);
    }
  }
};

constexpr double kEndOfErfc = 25.5;  // e^(-x^2) is an ordinary number up to here

// erfc(x) for 1 / 2 <= x <= kEndOfErfc.
SAMEBITS_INLINE Pair pair_tail(vd x) {
  static const ScaledSeries table;
  const vl index = (bits<vl>(x) - all_l(kHalfBits)) >> 46;
  const vd center = bits<vd>((index << 46) + all_l(kHalfBits + (int64_t{1} << 45)));
  const Pair square = exact_product(x, x);
  return whole(pair_exp(-square)) * series_at(table, index, x - center);
}

// erfc(x) for -6 <= x <= kEndOfErfc.
SAMEBITS_INLINE Pair pair_erfc(vd x) {
  const vl low = x < all<vd>(0.5);
  const Pair e = pair_erf(low ? magnitude(x) : vd{});
  const Pair near = constant(1.0, 0.0) + chosen(x < vd{}, e, -e);
  return chosen(low, near, pair_tail(low ? all<vd>(0.5) : x));
}

vd erfc_of(vd x) {
  const vd y = odd(pair_erfc(at_least(at_most(x == x ? x : vd{}, 12.0), -6.0)));
  return x == x ? y : x;
}

}  // namespace

vd erf_f(vd x) {
  const vd size = at_most(magnitude(x), kEndOfErf);
  const vl ordinary = size > all<vd>(0x1p-900) || size == vd{};
  const vd y = settled(pair_erf(ordinary ? size : vd{}), 0x1p-63, ordinary, [&](int i) { return precise::erf(magnitude(x)[i]); });
  return with_sign(y, sign_of(x));
}

vd erfc_f(vd x) {
  const vl ordinary = (x >= all<vd>(-6.0)) & (x <= all<vd>(kEndOfErfc));
  const Pair y = pair_erfc(ordinary ? x : vd{});
  return settled(y, 0x1p-64, ordinary, [&](int i) { return precise::erfc(x[i]); });
}

vf erfc_f(vf x) {
  return joined(narrow(erfc_of(widen(first_half(x)))), narrow(erfc_of(widen(second_half(x)))));
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
