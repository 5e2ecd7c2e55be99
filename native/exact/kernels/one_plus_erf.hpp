// 1 + erf(x), erf rounded first and the sum then: what gelu is made of.
//
// The sum has no bits for most of what binary64 would say about erf. With AVX-512 and AVX2 erf is computed as a
// sum of two floats, to 2^-32 or better: the nearest of 32 centers c, and
//
//   erf(c + u) = v + s u + u^2 (...)
//
// where v and s are floats, for the centers were chosen so. If the sum is the same for that value less
// and plus what it may be wrong by, it is right. Some 3 of 1000 arguments leave it open, and erf_f
// decides there. tests/arithmetic/test_every_argument.py has compared all 2^32.
#pragma once

#include "exact/kernels/binary64.hpp"
#include "exact/kernels/rounded.hpp"
#include "exact/kernels/transpose.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

SAMEBITS_INLINE vf one_plus_erf(vf x) { return all<vf>(1.0f) + erf_f(x); }
SAMEBITS_INLINE vd one_plus_erf(vd x) { return all<vd>(1.0) + erf_f(x); }

#if defined(__AVX512F__)
#define SAMEBITS_QUICK_ERF
// What tables::erf_near has for the lowest five bits of each index.
class NearErf {
 public:
  NearErf() = default;
  SAMEBITS_INLINE explicit NearErf(vi piece) : piece_(piece) {}
  SAMEBITS_INLINE vf operator[](int row) const {
    const float* table = tables::erf_near[row];
    return (vf)_mm512_permutex2var_ps(_mm512_load_ps(table), (__m512i)piece_, _mm512_load_ps(table + 16));
  }

 private:
  vi piece_;
};
// The smaller one, without its sign.
SAMEBITS_INLINE vf smaller_magnitude(vf x, float bound) {
  return (vf)_mm512_range_ps((__m512)x, (__m512)all<vf>(bound), 0b1010);
}
SAMEBITS_INLINE bool any_differs(vf x, vf y) { return _mm512_cmp_ps_mask((__m512)x, (__m512)y, _CMP_NEQ_UQ) != 0; }
#elif defined(__AVX2__) && defined(__FMA__)
#define SAMEBITS_QUICK_ERF
struct ErfByPiece {
  alignas(32) float rows[32][8] = {};
  constexpr ErfByPiece() {
    for (int row = 0; row < 8; ++row) {
      for (int piece = 0; piece < 32; ++piece) rows[piece][row] = tables::erf_near[row][piece];
    }
  }
};
constexpr ErfByPiece kErfByPiece;
// What tables::erf_near has for the lowest five bits of each index: a vector for each lane, transposed.
class NearErf {
 public:
  NearErf() = default;
  SAMEBITS_INLINE explicit NearErf(vi piece) {
    piece = piece & all_i(31);
    for (int i = 0; i < W; ++i) values_[i] = load<vf>(kErfByPiece.rows[piece[i]]);
    transpose_square<float>(values_);
  }
  SAMEBITS_INLINE vf operator[](int row) const { return values_[row]; }

 private:
  vf values_[W];
};
SAMEBITS_INLINE vf smaller_magnitude(vf x, float bound) {
  return at_most(bits<vf>(bits<vi>(x) & all_i(INT32_MAX)), bound);
}
SAMEBITS_INLINE bool any_differs(vf x, vf y) {
  return _mm256_movemask_ps(_mm256_cmp_ps((__m256)x, (__m256)y, _CMP_NEQ_UQ)) != 0;
}
#endif

#if defined(SAMEBITS_QUICK_ERF)
// Step by step for all vectors, as the exponentials are. Returns which vectors are left open: their
// values mean nothing. (NaN gives some value or is left open, infinity the value of 3.93: from there on erf is 1.)
#define SAMEBITS_EACH _Pragma("GCC unroll 4") for (int i = 0; i < N; ++i)
template <int N>
SAMEBITS_INLINE void quick_one_plus_erf(vf (&x)[N], bool (&open)[N]) {
  const vi sign = all_i(INT32_MIN);
  NearErf near[N];
  vf u[N], uu[N], rest[N], value[N], slope[N], linear[N], high[N], low[N], one[N], more[N];
  SAMEBITS_EACH u[i] = smaller_magnitude(x[i], 3.93f);
  SAMEBITS_EACH near[i] = NearErf(bits<vi>(fma(u[i], all<vf>(8.0f), all<vf>(0x1.8p23f))));
  SAMEBITS_EACH u[i] = u[i] - near[i][0];
  SAMEBITS_EACH uu[i] = u[i] * u[i];
  SAMEBITS_EACH rest[i] = fma(u[i], near[i][6], near[i][5]);
  SAMEBITS_EACH rest[i] = fma(uu[i], near[i][7], rest[i]);
  SAMEBITS_EACH low[i] = fma(u[i], near[i][4], near[i][3]);
  SAMEBITS_EACH rest[i] = fma(uu[i], rest[i], low[i]);
  // high + low = value + slope u, exactly but for what slopes have lost; then the rest.
  SAMEBITS_EACH value[i] = near[i][1];
  SAMEBITS_EACH slope[i] = near[i][2];
  SAMEBITS_EACH linear[i] = slope[i] * u[i];
  SAMEBITS_EACH high[i] = value[i] + linear[i];
  SAMEBITS_EACH low[i] = fma(slope[i], u[i], -linear[i]);
  SAMEBITS_EACH low[i] = (linear[i] - (high[i] - value[i])) + low[i];
  SAMEBITS_EACH low[i] = fma(u[i], all<vf>(tables::lost_slope_of_erf), low[i]);
  SAMEBITS_EACH low[i] = fma(uu[i], rest[i], low[i]);
  // erf(|x|) is not below high + low, and above it by at most this.
  SAMEBITS_EACH more[i] = fma(uu[i], all<vf>(0x1.9p-23f), all<vf>(0x1p-35f));
  SAMEBITS_EACH more[i] = high[i] + (low[i] + more[i]);
  SAMEBITS_EACH low[i] = high[i] + low[i];
  // The sign of x goes to the one, and goes from the sum.
  SAMEBITS_EACH one[i] = bits<vf>((bits<vi>(x[i]) & sign) | bits<vi>(all<vf>(1.0f)));
  SAMEBITS_EACH more[i] = one[i] + more[i];
  SAMEBITS_EACH low[i] = one[i] + low[i];
  SAMEBITS_EACH open[i] = any_differs(low[i], more[i]);
  SAMEBITS_EACH x[i] = bits<vf>(bits<vi>(low[i]) & ~sign);
}
#undef SAMEBITS_EACH
#endif

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
