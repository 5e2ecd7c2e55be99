// Inverse sine, cosine and tangent in binary64, and for floats.
#include "exact/kernels/binary64.hpp"
#include "exact/kernels/pairs.hpp"
#include "exact/precise/functions.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {
namespace {

struct Arcs {  // atan(j / 128)
  double high[129], low[129];
  Arcs() {
    for (int j = 0; j <= 128; ++j) {
      const precise::Parts value = precise::arc_tangent(j / 128.0);
      high[j] = value.high;
      low[j] = value.low;
    }
  }
};

const Arcs& arcs() {
  static const Arcs table;
  return table;
}

// atan(y / x) for 0 <= y <= x, x > 0: j / 128 is near y / x, and d = (y - x j / 128) / (x + y j / 128).
SAMEBITS_INLINE Pair first_arc(Pair y, Pair x) {
  const Arcs& table = arcs();
  const vd place = fma(y.high / x.high, all<vd>(128.0), all<vd>(kRounder));
  const vl index = bits<vl>(place) - all_l(kRounderBits);
  const vd c = (place - all<vd>(kRounder)) * all<vd>(0x1p-7);
  const Pair d = (y + -(x * c)) / (x + y * c);
  const vd s = d.high * d.high;
  vd p = fma(s, all<vd>(1 / 9.0), all<vd>(-1 / 7.0));
  p = fma(p, s, all<vd>(1 / 5.0));
  p = fma(p, s, all<vd>(-1 / 3.0));
  const vd cube = s * d.high * p;
  const Pair sum = exact_sum(looked_up(table.high, index), d.high);
  return ordered(sum.high, sum.low + ((d.low + looked_up(table.low, index)) + cube));
}

// The angle of the point (x, y), y >= 0.
SAMEBITS_INLINE Pair arc(Pair y, Pair x) {
  const Pair half_pi = constant(0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54);
  const Pair pi = constant(0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53);
  const vl behind = x.high < vd{};
  const Pair a = chosen(behind, -x, x);
  const vl steep = y.high > a.high;
  Pair angle = first_arc(chosen(steep, a, y), chosen(steep, y, a));
  angle = chosen(steep, half_pi + -angle, angle);
  return chosen(behind, pi + -angle, angle);
}

// The root of 1 - x^2, |x| <= 1.
SAMEBITS_INLINE Pair other_side(vd x) {
  const Pair square = exact_product(x, x);
  const Pair less = exact_sum(all<vd>(1.0), -square.high);
  return root(ordered(less.high, less.low - square.low));
}

SAMEBITS_INLINE Pair pair_asin(vd size) { return arc({size, vd{}}, other_side(size)); }
SAMEBITS_INLINE Pair pair_acos(vd x) { return arc(other_side(x), {x, vd{}}); }
SAMEBITS_INLINE Pair pair_atan(vd size) { return arc({size, vd{}}, constant(1.0, 0.0)); }

constexpr double kError = 0x1p-66;

}  // namespace

vd asin_f(vd x) {
  const vd size = magnitude(x);
  const vl ordinary = size < all<vd>(1.0);
  const vd y = settled(pair_asin(ordinary ? size : vd{}), kError, ordinary, [&](int i) { return precise::asin(size[i]); });
  return with_sign(y, sign_of(x));
}

vd acos_f(vd x) {
  const vl ordinary = magnitude(x) < all<vd>(1.0);
  return settled(pair_acos(ordinary ? x : vd{}), kError, ordinary, [&](int i) { return precise::acos(x[i]); });
}

vd atan_f(vd x) {
  const vd size = magnitude(x);
  const vl ordinary = size < all<vd>(0x1p500);
  const vd y = settled(pair_atan(ordinary ? size : vd{}), kError, ordinary, [&](int i) { return precise::atan(size[i]); });
  return with_sign(y, sign_of(x));
}

vd atan2_f(vd y, vd x) {
  const vd a = magnitude(x), b = magnitude(y);
  const vl ordinary = (a > all<vd>(0x1p-400)) & (a < all<vd>(0x1p400)) & (b > all<vd>(0x1p-400)) & (b < all<vd>(0x1p400));
  const vd one = all<vd>(1.0);
  const Pair angle = arc({ordinary ? b : one, vd{}}, {ordinary ? x : one, vd{}});
  const vd result = settled(angle, kError, ordinary, [&](int i) { return precise::atan2(b[i], x[i]); });
  return with_sign(result, sign_of(y));
}

namespace {

SAMEBITS_INLINE vd asin_of(vd x) {
  const vd size = magnitude(x);
  const vl inside = size <= all<vd>(1.0);
  const vd y = odd(pair_asin(inside ? size : vd{}));
  return inside ? with_sign(y, sign_of(x)) : all<vd>(__builtin_nan(""));
}
SAMEBITS_INLINE vd acos_of(vd x) {
  const vl inside = magnitude(x) <= all<vd>(1.0);
  const vd y = odd(pair_acos(inside ? x : vd{}));
  return inside ? y : all<vd>(__builtin_nan(""));
}
SAMEBITS_INLINE vd atan_of(vd x) {
  const vd size = at_most(magnitude(x), 0x1p128);  // of infinity as of what no float reaches
  return x == x ? with_sign(odd(pair_atan(x == x ? size : vd{})), sign_of(x)) : x;
}
SAMEBITS_INLINE vd atan2_of(vd y, vd x) {
  // Infinity as what no quotient of floats reaches; where both are zero, x as 1 with its sign.
  const vd far = all<vd>(0x1p300);
  const vl numbers = (x == x) & (y == y);
  vd a = numbers ? magnitude(x) : vd{}, b = numbers ? magnitude(y) : vd{};
  a = a > far ? far : a;
  b = b > far ? far : b;
  a = a + b == vd{} ? all<vd>(1.0) : a;
  const vd angle = odd(arc({b, vd{}}, {with_sign(a, sign_of(x)), vd{}}));
  return numbers ? with_sign(angle, sign_of(y)) : all<vd>(__builtin_nan(""));
}

template <vd (*function)(vd)>
SAMEBITS_INLINE vf narrowed_odd(vf x) {
  return joined(narrow(function(widen(first_half(x)))), narrow(function(widen(second_half(x)))));
}

}  // namespace

vf asin_f(vf x) { return narrowed_odd<asin_of>(x); }
vf acos_f(vf x) { return narrowed_odd<acos_of>(x); }
vf atan_f(vf x) { return narrowed_odd<atan_of>(x); }
vf atan2_f(vf y, vf x) {
  return joined(narrow(atan2_of(widen(first_half(y)), widen(first_half(x)))),
                narrow(atan2_of(widen(second_half(y)), widen(second_half(x)))));
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
