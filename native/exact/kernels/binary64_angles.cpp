// Sine and cosine in binary64.
#include "exact/kernels/binary64.hpp"
#include "exact/kernels/pairs.hpp"
#include "exact/precise/functions.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {
namespace {

constexpr double kLargest = 0x1p21;  // k times a part of 31 bits is exact up to here
constexpr int kReach = 52;           // pi / 4 in 64th parts, and one more

struct Angles {  // j / 64, j from -kReach on
  double sine_high[2 * kReach + 1], sine_low[2 * kReach + 1], cosine_high[2 * kReach + 1], cosine_low[2 * kReach + 1];
  Angles() {
    for (int j = -kReach; j <= kReach; ++j) {
      precise::Parts sine, cosine;
      precise::sine_and_cosine(j / 64.0, sine, cosine);
      sine_high[j + kReach] = sine.high;
      sine_low[j + kReach] = sine.low;
      cosine_high[j + kReach] = cosine.high;
      cosine_low[j + kReach] = cosine.low;
    }
  }
};

// The sine of x and `turn` quarters, for |x| up to kLargest.
SAMEBITS_INLINE Pair pair_sine(vd x, int64_t turn) {
  static const Angles table;
  const vd shifted = fma(x, all<vd>(0x1.45f306dc9c883p-1), all<vd>(kRounder));
  const vd k = shifted - all<vd>(kRounder);
  // pi / 2 in four parts.
  const vd first = fma(k, all<vd>(-0x1.921fb54400000p+0), x);
  const Pair second = exact_sum(first, k * all<vd>(-0x1.0b4611a400000p-34));
  const Pair third = exact_product(k, all<vd>(-0x1.13198a2e03707p-65));
  const Pair sum = exact_sum(second.high, third.high);
  const vd rest = (second.low + sum.low) + fma(k, all<vd>(-0x1.a252049c1114dp-120), third.low);
  const Pair r = ordered(sum.high, rest);
  // r = j / 64 + t
  const vd place = fma(r.high, all<vd>(64.0), all<vd>(kRounder));
  const vl index = bits<vl>(place) - all_l(kRounderBits - kReach);
  const Pair t = exact_sum(fma(place - all<vd>(kRounder), all<vd>(-0x1p-6), r.high), r.low);
  const Pair square = exact_product(t.high, t.high);
  const vd s = square.high;
  vd p = fma(s, all<vd>(1 / 362880.0), all<vd>(-1 / 5040.0));
  p = fma(p, s, all<vd>(1 / 120.0));
  p = fma(p, s, all<vd>(-1 / 6.0));
  const Pair sine = ordered(t.high, fma(s * t.high, p, t.low));
  vd q = fma(s, all<vd>(1 / 40320.0), all<vd>(-1 / 720.0));
  q = fma(q, s, all<vd>(1 / 24.0));
  const vd half = all<vd>(-0.5);
  const Pair less = ordered(s * half, fma(s * s, q, fma(t.high, t.low + t.low, square.low) * half));  // cos(t) - 1
  // In odd quarters the cosine: a = cos, b = -sin; a + a (cos(t) - 1) + b sin(t).
  const vl quarter = bits<vl>(shifted) + all_l(turn);
  const vl odd = (quarter & all_l(1)) != vl{};
  const Pair sines = {looked_up(table.sine_high, index), looked_up(table.sine_low, index)};
  const Pair cosines = {looked_up(table.cosine_high, index), looked_up(table.cosine_low, index)};
  const Pair a = chosen(odd, cosines, sines);
  const Pair b = chosen(odd, -sines, cosines);
  const Pair product = exact_product(b.high, sine.high);
  const Pair other = exact_product(a.high, less.high);
  const Pair near = exact_sum(a.high, product.high);
  const Pair nearer = exact_sum(near.high, other.high);
  const vd lost = (near.low + nearer.low) + (product.low + other.low);
  const vd small = fma(b.high, sine.low, fma(b.low, sine.high, fma(a.high, less.low, fma(a.low, less.high, a.low))));
  const Pair y = ordered(nearer.high, lost + small);
  const vl turned = (quarter & all_l(2)) << 62;
  return {bits<vd>(bits<vl>(y.high) ^ turned), bits<vd>(bits<vl>(y.low) ^ turned)};
}

// What quarters have lost is an absolute error.
SAMEBITS_INLINE vd error_of(vd x, Pair y) {
  const vd lost = magnitude(x) < all<vd>(0.75) ? vd{} : all<vd>(0x1p-106);
  return fma(magnitude(y.high), all<vd>(0x1p-65), lost);
}

}  // namespace

vd sin_f(vd x) {
  const vl ordinary = magnitude(x) <= all<vd>(kLargest);
  const Pair y = pair_sine(ordinary ? x : vd{}, 0);
  const vd result = settled(y, error_of(x, y), ordinary, [&](int i) { return precise::sin(x[i]); });
  return x == vd{} ? x : result;
}

vd cos_f(vd x) {
  const vl ordinary = magnitude(x) <= all<vd>(kLargest);
  const Pair y = pair_sine(ordinary ? x : vd{}, 1);
  return settled(y, error_of(x, y), ordinary, [&](int i) { return precise::cos(x[i]); });
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
