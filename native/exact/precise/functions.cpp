#include "exact/precise/functions.hpp"

#include "exact/precise/rounding.hpp"
#include "exact/precise/series.hpp"

namespace samebits::exact::precise {
namespace {

constexpr int kLost = 34;  // bits that series.hpp and a few operations after it lose

double infinite() { return __builtin_inf(); }
double no_number() { return __builtin_nan(""); }
bool is_finite(double x) { return x - x == 0; }
double size_of(double x) { return __builtin_fabs(x); }
double signed_like(double size, double x) { return __builtin_copysign(size, x); }

template <class Number>
constexpr int limbs_of(const Number&) {
  return sizeof(Number::limbs) / sizeof(Limb);
}

// decided() of what is written, with N and the argument as a Big<N> called `b`.
#define DECIDED(x, ...)                         \
  decided([&](auto kind) {                      \
    constexpr int N = limbs_of(decltype(kind){}); \
    const Big<N> b = from_double<N>(x);         \
    const Big<N> one = from_whole<N>(1);        \
    (void)one;                                  \
    __VA_ARGS__                                 \
  })

template <int N>
Found<N> plain(const Big<N>& value) {
  return {value, kLost};
}

}  // namespace

double exp(double x) {
  if (!(x <= 710)) return x != x ? x : infinite();
  if (x < -746) return 0;
  return DECIDED(x, return plain(exp_big(b)););
}

double exp2(double x) {
  if (!(x < 1025)) return x != x ? x : infinite();
  if (x < -1076) return 0;
  const double whole = __builtin_rint(x);
  return DECIDED(x - whole, return plain(scaled(exp_big(b * ln2<N>()), static_cast<int64_t>(whole))););
}

double expm1(double x) {
  if (size_of(x) < 0x1p-54 || x != x) return x;
  if (x > 710) return infinite();
  if (x < -60) return -1;
  return DECIDED(x, const Big<N> e = exp_big(b); return after_cancelling(e - one, e.exponent, kLost););
}

double log(double x) {
  if (x == 0) return -infinite();
  if (!(x > 0)) return no_number();
  if (x == infinite()) return x;
  return DECIDED(x, return plain(log_big(b)););
}

double log2(double x) {
  if (!(x > 0) || x == infinite()) return log(x);
  return DECIDED(x, return plain(log_big(b) / ln2<N>()););
}

double log10(double x) {
  if (!(x > 0) || x == infinite()) return log(x);
  return DECIDED(x, return plain(log_big(b) / ln10<N>()););
}

double log1p(double x) {
  if (size_of(x) < 0x1p-54) return x;
  if (!(x > -1)) return x == -1 ? -infinite() : no_number();
  if (x == infinite()) return x;
  return DECIDED(x, return plain(size_of(x) < 0.25 ? twice_atanh(b / (b + one + one)) : log_big(b + one)););
}

double sin(double x) {
  if (!is_finite(x)) return no_number();
  if (x == 0) return x;
  return DECIDED(
      x, const Turn<N> turn = reduced<N>(x); (void)b;
      Big<N> y = turn.quarter & 1 ? cos_big(turn.rest) : sin_big(turn.rest);
      return plain(turn.quarter & 2 ? negated(y) : y););
}

double cos(double x) {
  if (!is_finite(x)) return no_number();
  return DECIDED(
      x, const Turn<N> turn = reduced<N>(x); (void)b;
      Big<N> y = turn.quarter & 1 ? sin_big(turn.rest) : cos_big(turn.rest);
      return plain((turn.quarter + 1) & 2 ? negated(y) : y););
}

double tanh(double x) {
  if (size_of(x) < 0x1p-28 || x != x) return x;
  if (size_of(x) > 20) return signed_like(1, x);
  return DECIDED(
      x, const Big<N> e = exp_big(scaled(b, 1)); const Big<N> less = e - one;
      return after_cancelling(less / (less + one + one), e.exponent + 1, kLost););
}

double sigmoid(double x) {
  if (x != x) return x;
  if (x > 40) return 1;
  if (x < -746) return 0;
  return DECIDED(x, return plain(reciprocal(one + exp_big(negated(b)))););
}

double asin(double x) {
  if (!(size_of(x) <= 1)) return no_number();
  if (x == 0) return x;
  return DECIDED(
      size_of(x), Big<N> y = half_pi<N>();
      if (size_of(x) < 1) y = atan_big(b / root((one - b) * (one + b)));
      return plain(x < 0 ? negated(y) : y););
}

double acos(double x) {
  if (!(size_of(x) <= 1)) return no_number();
  if (x == 1) return 0;
  return DECIDED(
      x, if (x == -1) return plain(scaled(half_pi<N>(), 1));
      return plain(scaled(atan_big(root((one - b) / (one + b))), 1)););
}

double atan(double x) {
  if (x == 0 || x != x) return x;
  return DECIDED(
      is_finite(x) ? size_of(x) : 0, const Big<N> y = is_finite(x) ? atan_big(b) : half_pi<N>();
      return plain(x < 0 ? negated(y) : y););
}

namespace {

// Whether |y| / |x| is exactly the middle between the double below it and the next one, both of which
// are subnormal. (Normal quotients never are; the value is a little less than the quotient.)
bool is_middle(double y, double x, double above) {
  const double below = above - 0x1p-1074;
  const Big<3> middle = scaled(from_double<3>(below) + from_double<3>(above), -1);
  return (middle * from_double<3>(x) - from_double<3>(y)).is_zero();
}

}  // namespace

double atan2(double y, double x) {
  if (x != x || y != y) return no_number();
  const double a = size_of(x);
  const double b = size_of(y);
  const bool behind = __builtin_signbit(x) != 0;
  if (b == 0 && !behind) return y;  // +0 and -0
  if (!behind && a != infinite() && b != infinite() && b / a < 0x1p-1000) {
    // The quotient, less nothing that a double shows.
    const double quotient = b / a;
    const bool less = quotient != 0 && quotient < 0x1p-1021 && is_middle(b, a, quotient);
    return signed_like(less ? quotient - 0x1p-1074 : quotient, y);
  }
  return decided([&](auto kind) {
    constexpr int N = limbs_of(decltype(kind){});
    Big<N> angle;
    if (a == infinite() && b == infinite()) {
      angle = scaled(half_pi<N>(), -1);
    } else if (b == infinite() || a == 0) {
      angle = half_pi<N>();  // b is not 0 then, but where x is -0
      if (b == 0) angle = Big<N>{};
    } else if (a != infinite() && b != 0) {
      angle = atan_big(from_double<N>(b) / from_double<N>(a));
    }
    if (behind) angle = scaled(half_pi<N>(), 1) - angle;
    return plain(__builtin_signbit(y) ? negated(angle) : angle);
  });
}

double erf(double x) {
  if (x == 0 || x != x) return x;
  if (size_of(x) > 6) return signed_like(1, x);
  return DECIDED(x, return plain(erf_big(b)););
}

double erfc(double x) {
  if (x != x) return x;
  if (x < -6) return 2;
  if (x > 28) return 0;
  if (x < 3) return DECIDED(x, return after_cancelling(one - erf_big(b), 1, kLost););
  return DECIDED(x, return plain(exp_big(negated(b * b)) * scaled_erfc_big(b)););
}

}  // namespace samebits::exact::precise
