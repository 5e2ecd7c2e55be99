// Functions of one argument, in binary64, for arguments that were binary32.
//
// Rounded to binary32 once, each gives the correctly rounded value: the error here is a few units
// in the 53rd bit, and the arguments for which that is not enough are listed in hard_cases.hpp.
#pragma once

#include "exact/kernels/function_tables.hpp"
#include "exact/kernels/transpose.hpp"
#include "exact/vec.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

// Added and taken away again, this rounds to an integer, which the low bits then show.
constexpr double kRounder = 0x1.8p52;
constexpr int64_t kRounderBits = 0x4338000000000000;

template <int N>
SAMEBITS_INLINE vd polynomial(const double (&coefficients)[N], vd x) {
  vd y = all<vd>(coefficients[N - 1]);
#pragma GCC unroll 16
  for (int i = N - 2; i >= 0; --i) y = fma(y, x, all<vd>(coefficients[i]));
  return y;
}

SAMEBITS_INLINE vd magnitude(vd x) { return bits<vd>(bits<vl>(x) & all_l(0x7FFFFFFFFFFFFFFF)); }
SAMEBITS_INLINE vd sign_of(vd x) { return bits<vd>(bits<vl>(x) & all_l(INT64_MIN)); }
SAMEBITS_INLINE vd with_sign(vd x, vd sign) { return bits<vd>(bits<vl>(x) | bits<vl>(sign)); }

// The values of a table of sixteen that the lowest four bits of each index name.
#if defined(__AVX512F__)
SAMEBITS_INLINE vl pick(const int64_t* sixteen, vl index) {
  return (vl)_mm512_permutex2var_epi64(_mm512_loadu_si512(sixteen), (__m512i)index, _mm512_loadu_si512(sixteen + 8));
}
SAMEBITS_INLINE vd pick(const double* sixteen, vl index) {
  return (vd)_mm512_permutex2var_pd(_mm512_loadu_pd(sixteen), (__m512i)index, _mm512_loadu_pd(sixteen + 8));
}
#else
SAMEBITS_INLINE vd pick(const double* sixteen, vl index) {
  vd y;
  for (int i = 0; i < D; ++i) y[i] = sixteen[index[i]];
  return y;
}
#endif

// A polynomial whose coefficients are those of each lane's own piece; the table has the pieces' coefficients of one
// power side by side.
template <int N>
struct Piecewise {
#if defined(__AVX2__) && !defined(__AVX512F__)
  static_assert(N % D == 0, "whole vectors");
  // No instruction looks four values up in sixteen. A lane's coefficients are read as vectors, and transposed.
  alignas(32) double rows[16][N] = {};
  constexpr explicit Piecewise(const double (&table)[N * 16]) {
    for (int power = 0; power < N; ++power) {
      for (int piece = 0; piece < 16; ++piece) rows[piece][power] = table[power * 16 + piece];
    }
  }
  SAMEBITS_INLINE vd operator()(vl piece, vd u) const {
    vd y{};
#pragma GCC unroll 4
    for (int power = N - D; power >= 0; power -= D) {
      vd square[D];
      for (int i = 0; i < D; ++i) square[i] = load<vd>(rows[piece[i]] + power);
      transpose_square<double>(square);
      y = power == N - D ? square[D - 1] : fma(y, u, square[D - 1]);
      for (int i = D - 2; i >= 0; --i) y = fma(y, u, square[i]);
    }
    return y;
  }
#else
  const double* table;
  constexpr explicit Piecewise(const double (&values)[N * 16]) : table(values) {}
  SAMEBITS_INLINE vd operator()(vl piece, vd u) const {
    vd y = pick(table + (N - 1) * 16, piece);
#pragma GCC unroll 16
    for (int power = N - 2; power >= 0; --power) y = fma(y, u, pick(table + power * 16, piece));
    return y;
  }
#endif
};

// x = k ln(2) + r: 2^k, and e^r - 1.
struct Exponential {
  vd power;
  vd rest;
};
SAMEBITS_INLINE Exponential split_exponential(vd x) {
  const vd shifted = fma(x, all<vd>(0x1.71547652b82fep+0), all<vd>(kRounder));
  const vd k = shifted - all<vd>(kRounder);
  vd r = fma(k, all<vd>(-0x1.62e42fefa39efp-1), x);
  r = fma(k, all<vd>(-0x1.abc9e3b39803fp-56), r);
  const vl exponent = (bits<vl>(shifted) + all_l(1023)) << 52;
  return {bits<vd>(exponent), r * polynomial(tables::expm1_over_r, r)};
}

// Beyond these bounds binary32 has only zero, infinity and one.
SAMEBITS_INLINE vd exp_of(vd x) {
  const Exponential e = split_exponential(at_least(at_most(x, 120.0), -120.0));
  return fma(e.power, e.rest, e.power);
}

// The exponentials of several vectors, for |x| <= 120. Step by step for all of them: the processor
// then finds work that waits for nothing within the few instructions that it looks ahead.
#define SAMEBITS_EACH _Pragma("GCC unroll 8") for (int i = 0; i < N; ++i)
#if defined(__AVX512F__)
// x = k ln(2) / 16 + r, and 2^(k / 16) from a table that two registers hold: r is so small that half
// the polynomial is enough. Rounded, it is exp_of for every float; before, its last bits are others: what
// goes on with all of them (sigmoid) takes exp_of. Without an instruction that looks eight values up,
// exp_of is faster.
template <int N>
SAMEBITS_INLINE void exponentials_of(vd (&x)[N]) {
  const double(&c)[6] = tables::short_expm1_over_r;
  vd shifted[N], k[N], r[N], rr[N], power[N], low[N], high[N];
  SAMEBITS_EACH shifted[i] = fma(x[i], all<vd>(0x1.71547652b82fep+4), all<vd>(kRounder));
  SAMEBITS_EACH k[i] = shifted[i] - all<vd>(kRounder);
  // Entry j has j << 48 taken away, so that all of k can be added there: its upper bits then are
  // those of the exponent.
  SAMEBITS_EACH power[i] = bits<vd>(pick(tables::roots_of_two, bits<vl>(shifted[i])) + (bits<vl>(shifted[i]) << 48));
  SAMEBITS_EACH r[i] = fma(k[i], all<vd>(-0x1.62e42fefa39efp-5), x[i]);
  SAMEBITS_EACH r[i] = fma(k[i], all<vd>(-0x1.abc9e3b39803fp-60), r[i]);
  SAMEBITS_EACH rr[i] = r[i] * r[i];
  SAMEBITS_EACH high[i] = fma(r[i], all<vd>(c[5]), all<vd>(c[4]));
  SAMEBITS_EACH low[i] = fma(r[i], all<vd>(c[3]), all<vd>(c[2]));
  SAMEBITS_EACH high[i] = fma(rr[i], high[i], low[i]);
  SAMEBITS_EACH low[i] = fma(r[i], all<vd>(c[1]), all<vd>(c[0]));
  SAMEBITS_EACH high[i] = fma(rr[i], high[i], low[i]);
  SAMEBITS_EACH r[i] = power[i] * r[i];
  SAMEBITS_EACH x[i] = fma(r[i], high[i], power[i]);
}
#else
// The steps of exp_of.
template <int N>
SAMEBITS_INLINE void exponentials_of(vd (&x)[N]) {
  constexpr int terms = sizeof tables::expm1_over_r / sizeof(double);
  vd power[N], r[N], y[N];
  SAMEBITS_EACH y[i] = fma(x[i], all<vd>(0x1.71547652b82fep+0), all<vd>(kRounder));
  SAMEBITS_EACH power[i] = bits<vd>((bits<vl>(y[i]) + all_l(1023)) << 52);
  SAMEBITS_EACH y[i] = y[i] - all<vd>(kRounder);
  SAMEBITS_EACH r[i] = fma(y[i], all<vd>(-0x1.62e42fefa39efp-1), x[i]);
  SAMEBITS_EACH r[i] = fma(y[i], all<vd>(-0x1.abc9e3b39803fp-56), r[i]);
  SAMEBITS_EACH y[i] = all<vd>(tables::expm1_over_r[terms - 1]);
#pragma GCC unroll 16
  for (int term = terms - 2; term >= 0; --term) {
    SAMEBITS_EACH y[i] = fma(y[i], r[i], all<vd>(tables::expm1_over_r[term]));
  }
  SAMEBITS_EACH x[i] = fma(power[i], r[i] * y[i], power[i]);
}
#endif
#undef SAMEBITS_EACH

SAMEBITS_INLINE vd expm1_of(vd x) {
  const Exponential e = split_exponential(at_least(at_most(x, 120.0), -120.0));
  const vd y = fma(e.power, e.rest, e.power - all<vd>(1.0));
  return x == vd{} ? x : y;
}
SAMEBITS_INLINE vd exp2_of(vd x) {
  x = at_least(at_most(x, 170.0), -170.0);
  const vd shifted = x + all<vd>(kRounder);
  const vd r = (x - (shifted - all<vd>(kRounder))) * all<vd>(0x1.62e42fefa39efp-1);
  const vd power = bits<vd>((bits<vl>(shifted) + all_l(1023)) << 52);
  return fma(power, r * polynomial(tables::expm1_over_r, r), power);
}
SAMEBITS_INLINE vd sigmoid_of(vd x) {
  const vd y = all<vd>(1.0) / (all<vd>(1.0) + exp_of(-x));
  // 1/2 + x/4 - x^3/48 …: where 1/2 + x/4 is the middle between two floats, the cube decides, and
  // binary64 has no place for it. A step towards 1/2 says as much.
  const vl middle = (bits<vl>(y) & all_l(0x1FFFFFFF)) == all_l(0x10000000);
  const vl small = magnitude(x) < all<vd>(0x1p-10);
  const vl step = x > vd{} ? all_l(-1) : all_l(1);
  return bits<vd>(bits<vl>(y) + (middle & small & step));
}
SAMEBITS_INLINE vd tanh_of(vd x) {
  const vd y = expm1_of(at_least(at_most(x, 20.0), -20.0) * all<vd>(2.0));
  return x == vd{} ? x : y / (y + all<vd>(2.0));
}

// x = 2^e m, m between sqrt(1/2) and sqrt(2): e, and log(m).
struct Logarithm {
  vd exponent;
  vd rest;
};
SAMEBITS_INLINE Logarithm split_logarithm(vd x) {
  // Moves the cut between exponents from 1 to sqrt(2).
  const vl moved = bits<vl>(x) - all_l(0x3FE6A09E667F3BCD);
  const vl k = moved >> 52;
  const vd m = bits<vd>(bits<vl>(x) - (k << 52));
  const vd exponent = bits<vd>(k + all_l(kRounderBits)) - all<vd>(kRounder);
  const vd f = m - all<vd>(1.0);
  const vd s = f / (f + all<vd>(2.0));
  const vd z = s * s;
  // 2 s + s z P(z), where 2 s = f - s f, for f is exact.
  return {exponent, f - s * (f - z * polynomial(tables::log_ratio, z))};
}
SAMEBITS_INLINE vd log_edges(vd x, vd y) {
  const vd infinite = all<vd>(__builtin_inf());
  y = x == vd{} ? -infinite : y;
  y = x == infinite ? infinite : y;
  return x < vd{} || x != x ? all<vd>(__builtin_nan("")) : y;
}
SAMEBITS_INLINE vd log_of_positive(vd x) {
  const Logarithm l = split_logarithm(x);
  return fma(l.exponent, all<vd>(0x1.62e42fefa39efp-1), fma(l.exponent, all<vd>(0x1.abc9e3b39803fp-56), l.rest));
}
SAMEBITS_INLINE vd log_of(vd x) { return log_edges(x, log_of_positive(x)); }
SAMEBITS_INLINE vd log2_of(vd x) {
  const Logarithm l = split_logarithm(x);
  return log_edges(x, fma(l.rest, all<vd>(0x1.71547652b82fep+0), l.exponent));
}
SAMEBITS_INLINE vd log10_of(vd x) {
  const Logarithm l = split_logarithm(x);
  const vd rest = fma(l.rest, all<vd>(0x1.bcb7b1526e50ep-2), l.exponent * all<vd>(-0x1.9dc1da994fd21p-59));
  return log_edges(x, fma(l.exponent, all<vd>(0x1.34413509f79ffp-2), rest));
}
SAMEBITS_INLINE vd log1p_of(vd x) {
  const vd u = x + all<vd>(1.0);
  const vd lost = (x - (u - all<vd>(1.0))) / u;
  const vd y = log_edges(u, log_of_positive(u) + (magnitude(x) < all<vd>(1e30) ? lost : vd{}));
  return x == vd{} ? x : y;
}

constexpr Piecewise<12> kErf(tables::erf_pieces);

SAMEBITS_INLINE vd erf_of(vd x) {
  const vd a = at_most(magnitude(x), 4.0);
  const vd known = a == a ? a : vd{};
  const vd shifted = at_most(known * all<vd>(4.0), 15.0) + all<vd>(kRounder);
  const vl piece = bits<vl>(shifted) - all_l(kRounderBits);
  const vd u = known - (shifted - all<vd>(kRounder)) * all<vd>(0.25);
  vd y = kErf(piece, u);
  // From here on erf is nearer to 1 than to any other number.
  y = a > all<vd>(3.93) ? all<vd>(1.0) : y;
  return a == a ? with_sign(y, sign_of(x)) : a;
}

// x = k pi / 2 + r, for |x| up to kLargeAngle.
struct Angle {
  vl quarter;
  vd rest;
};
constexpr double kLargeAngle = 4e6;

SAMEBITS_INLINE Angle split_angle(vd x) {
  const vd shifted = fma(x, all<vd>(0x1.45f306dc9c883p-1), all<vd>(kRounder));
  const vd k = shifted - all<vd>(kRounder);
  vd r = fma(k, all<vd>(-0x1.921fb54442d18p+0), x);
  r = fma(k, all<vd>(-0x1.1a62633145c07p-54), r);
  return {bits<vl>(shifted), r};
}
SAMEBITS_INLINE vd sin_or_cos(Angle angle) {
  const vd r = angle.rest;
  const vd z = r * r;
  const vd sine = fma(r * z, polynomial(tables::sin_ratio, z), r);
  const vd cosine = fma(z, polynomial(tables::cos_ratio, z), all<vd>(1.0));
  const vd y = (angle.quarter & all_l(1)) != vl{} ? cosine : sine;
  return bits<vd>(bits<vl>(y) ^ ((angle.quarter & all_l(2)) << 62));
}
// y, or for large x the sine of x plus `turn` quarters. A function of its own, because these are
// rare, and because GCC 12 for AArch64 cannot allocate registers where an Angle has two origins.
vd of_large_angles(vd x, vd y, int64_t turn);

SAMEBITS_INLINE vd turned_sine(vd x, int64_t turn) {
  Angle angle = split_angle(x);
  angle.quarter = angle.quarter + all_l(turn);
  const vd y = sin_or_cos(angle);
  const vl large = magnitude(x) > all<vd>(kLargeAngle);
  int64_t any = 0;
  for (int i = 0; i < D; ++i) any |= large[i];
  return __builtin_expect(any != 0, 0) ? of_large_angles(x, y, turn) : y;
}
SAMEBITS_INLINE vd sin_of(vd x) { return x == vd{} ? x : turned_sine(x, 0); }
SAMEBITS_INLINE vd cos_of(vd x) { return turned_sine(x, 1); }

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
