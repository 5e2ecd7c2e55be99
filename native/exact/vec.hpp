// Vectors of floats and doubles, as wide as the build they are compiled in.
//
// Everything but fused multiply-add, square root and rounding is the compiler's own vector
// arithmetic, so that one text serves AVX-512, AVX2, SSE2 and NEON. SAMEBITS_NEON asks for NEON, which
// every AArch64 processor has: no flag of the compiler does. Nothing outside the build's
// namespace may be inlined from here: the linker would keep one copy for all builds.
#pragma once

#include <cstddef>
#include <cstdint>

#if !defined(SAMEBITS_EXACT_BUILD)
#error "compiled once a build, with SAMEBITS_EXACT_BUILD its name"
#endif

#if defined(__AVX512F__)
#include <immintrin.h>
#define SAMEBITS_VECTOR_BYTES 64
#elif defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#define SAMEBITS_VECTOR_BYTES 32
#elif defined(SAMEBITS_NEON)
#include <arm_neon.h>
#define SAMEBITS_VECTOR_BYTES 16
#else
#define SAMEBITS_VECTOR_BYTES 16
#endif

#define SAMEBITS_INLINE inline __attribute__((always_inline))

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

constexpr int kBytes = SAMEBITS_VECTOR_BYTES;
constexpr int W = kBytes / 4;  // floats a vector
constexpr int D = kBytes / 8;  // doubles a vector

typedef float vf __attribute__((vector_size(kBytes)));
typedef int32_t vi __attribute__((vector_size(kBytes)));
typedef uint32_t vu __attribute__((vector_size(kBytes)));
typedef double vd __attribute__((vector_size(kBytes)));
typedef int64_t vl __attribute__((vector_size(kBytes)));
typedef uint64_t vul __attribute__((vector_size(kBytes)));
// As many floats as there are doubles in a vector.
typedef float vh __attribute__((vector_size(kBytes / 2)));
typedef int32_t vhi __attribute__((vector_size(kBytes / 2)));

template <class T>
struct VectorOf;
template <>
struct VectorOf<float> {
  using type = vf;
  static constexpr int count = W;
};
template <>
struct VectorOf<double> {
  using type = vd;
  static constexpr int count = D;
};
template <class T>
using vec = typename VectorOf<T>::type;

template <class V, class T>
SAMEBITS_INLINE V load(const T* from) {
  V v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}
template <class V, class T>
SAMEBITS_INLINE void store(T* to, V v) {
  __builtin_memcpy(to, &v, sizeof v);
}
// The first n values, zeros after them; nothing beyond them is touched.
template <class V, class T>
SAMEBITS_INLINE V load_first(const T* from, int n) {
  T values[sizeof(V) / sizeof(T)] = {};
  for (int i = 0; i < n; ++i) values[i] = from[i];
  return load<V>(values);
}
// In pieces of halves: a loop over single values would have a branch that nobody can foresee.
template <class V, class T>
SAMEBITS_INLINE void store_first(T* to, V v, int n) {
  constexpr int count = sizeof(V) / sizeof(T);
  T values[count];
  store(values, v);
  if (n == count) {
    store(to, v);
    return;
  }
  const T* from = values;
#pragma GCC unroll 4
  for (int piece = count / 2; piece > 0; piece /= 2) {
    if (n & piece) {
      __builtin_memcpy(to, from, static_cast<size_t>(piece) * sizeof(T));
      to += piece;
      from += piece;
    }
  }
}
#if defined(__AVX512F__)
SAMEBITS_INLINE void store_first(float* to, vf v, int n) {
  _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1u << n) - 1), (__m512)v);
}
SAMEBITS_INLINE void store_first(double* to, vd v, int n) {
  _mm512_mask_storeu_pd(to, static_cast<__mmask8>((1u << n) - 1), (__m512d)v);
}
#endif

// x - 0 is x, zeros of either sign included: the compiler drops it.
template <class V, class T>
SAMEBITS_INLINE V all(T x) {
  return x - V{};
}
SAMEBITS_INLINE vi all_i(int32_t x) { return x - vi{}; }
SAMEBITS_INLINE vl all_l(int64_t x) { return x - vl{}; }

template <class To, class From>
SAMEBITS_INLINE To bits(From v) {
  static_assert(sizeof(To) == sizeof(From), "same size");
  To to;
  __builtin_memcpy(&to, &v, sizeof to);
  return to;
}

#if defined(__AVX512F__)
SAMEBITS_INLINE vf fma(vf a, vf b, vf c) { return (vf)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c); }
SAMEBITS_INLINE vd fma(vd a, vd b, vd c) { return (vd)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c); }
SAMEBITS_INLINE vf sqrt(vf a) { return (vf)_mm512_sqrt_ps((__m512)a); }
SAMEBITS_INLINE vd sqrt(vd a) { return (vd)_mm512_sqrt_pd((__m512d)a); }
#elif defined(__AVX2__) && defined(__FMA__)
SAMEBITS_INLINE vf fma(vf a, vf b, vf c) { return (vf)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c); }
SAMEBITS_INLINE vd fma(vd a, vd b, vd c) { return (vd)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c); }
SAMEBITS_INLINE vf sqrt(vf a) { return (vf)_mm256_sqrt_ps((__m256)a); }
SAMEBITS_INLINE vd sqrt(vd a) { return (vd)_mm256_sqrt_pd((__m256d)a); }
#elif defined(SAMEBITS_NEON)
SAMEBITS_INLINE vf fma(vf a, vf b, vf c) { return (vf)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b); }
SAMEBITS_INLINE vd fma(vd a, vd b, vd c) { return (vd)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b); }
SAMEBITS_INLINE vf sqrt(vf a) { return (vf)vsqrtq_f32((float32x4_t)a); }
SAMEBITS_INLINE vd sqrt(vd a) { return (vd)vsqrtq_f64((float64x2_t)a); }
#else
// No instruction for it: the C library's function, which is exact wherever it runs.
SAMEBITS_INLINE vf fma(vf a, vf b, vf c) {
  for (int i = 0; i < W; ++i) a[i] = __builtin_fmaf(a[i], b[i], c[i]);
  return a;
}
SAMEBITS_INLINE vd fma(vd a, vd b, vd c) {
  for (int i = 0; i < D; ++i) a[i] = __builtin_fma(a[i], b[i], c[i]);
  return a;
}
SAMEBITS_INLINE vf sqrt(vf a) {
  for (int i = 0; i < W; ++i) a[i] = __builtin_sqrtf(a[i]);
  return a;
}
SAMEBITS_INLINE vd sqrt(vd a) {
  for (int i = 0; i < D; ++i) a[i] = __builtin_sqrt(a[i]);
  return a;
}
#endif

// The bound where x is beyond it, else x, NaN included. One instruction where the processor has one
// of just this meaning.
#if defined(__AVX512F__)
SAMEBITS_INLINE vf at_most(vf x, float bound) { return (vf)_mm512_min_ps((__m512)all<vf>(bound), (__m512)x); }
SAMEBITS_INLINE vf at_least(vf x, float bound) { return (vf)_mm512_max_ps((__m512)all<vf>(bound), (__m512)x); }
SAMEBITS_INLINE vd at_most(vd x, double bound) { return (vd)_mm512_min_pd((__m512d)all<vd>(bound), (__m512d)x); }
SAMEBITS_INLINE vd at_least(vd x, double bound) { return (vd)_mm512_max_pd((__m512d)all<vd>(bound), (__m512d)x); }
#elif defined(__AVX2__) && defined(__FMA__)
SAMEBITS_INLINE vf at_most(vf x, float bound) { return (vf)_mm256_min_ps((__m256)all<vf>(bound), (__m256)x); }
SAMEBITS_INLINE vf at_least(vf x, float bound) { return (vf)_mm256_max_ps((__m256)all<vf>(bound), (__m256)x); }
SAMEBITS_INLINE vd at_most(vd x, double bound) { return (vd)_mm256_min_pd((__m256d)all<vd>(bound), (__m256d)x); }
SAMEBITS_INLINE vd at_least(vd x, double bound) { return (vd)_mm256_max_pd((__m256d)all<vd>(bound), (__m256d)x); }
#else
SAMEBITS_INLINE vf at_most(vf x, float bound) { return x > all<vf>(bound) ? all<vf>(bound) : x; }
SAMEBITS_INLINE vf at_least(vf x, float bound) { return x < all<vf>(bound) ? all<vf>(bound) : x; }
SAMEBITS_INLINE vd at_most(vd x, double bound) { return x > all<vd>(bound) ? all<vd>(bound) : x; }
SAMEBITS_INLINE vd at_least(vd x, double bound) { return x < all<vd>(bound) ? all<vd>(bound) : x; }
#endif

// The larger one, y where x is NaN.
#if defined(__AVX512F__)
SAMEBITS_INLINE vf larger_number(vf x, vf y) { return (vf)_mm512_max_ps((__m512)x, (__m512)y); }
#elif defined(__AVX2__) && defined(__FMA__)
SAMEBITS_INLINE vf larger_number(vf x, vf y) { return (vf)_mm256_max_ps((__m256)x, (__m256)y); }
#else
SAMEBITS_INLINE vf larger_number(vf x, vf y) { return x > y ? x : y; }
#endif

// The NaN of every result that is one: quiet, positive, without payload.
SAMEBITS_INLINE vf canonical(vf x) {
  const vf nan = bits<vf>(all_i(0x7FC00000));
  return x == x ? x : nan;
}
SAMEBITS_INLINE vd canonical(vd x) {
  const vd nan = bits<vd>(all_l(0x7FF8000000000000));
  return x == x ? x : nan;
}

#if defined(__AVX512F__)
SAMEBITS_INLINE vd widen(vh x) { return (vd)_mm512_cvtps_pd((__m256)x); }
SAMEBITS_INLINE vh narrow(vd x) { return (vh)_mm512_cvtpd_ps((__m512d)x); }
#else
SAMEBITS_INLINE vd widen(vh x) { return __builtin_convertvector(x, vd); }
SAMEBITS_INLINE vh narrow(vd x) { return __builtin_convertvector(x, vh); }
#endif

// The halves of a vector, and a vector of two halves. In registers: halves that are written to memory
// and read back as one cost as much as a function.
#if defined(__AVX512F__)
SAMEBITS_INLINE vh first_half(vf x) { return (vh)_mm512_castps512_ps256((__m512)x); }
SAMEBITS_INLINE vh second_half(vf x) { return (vh)_mm512_extractf32x8_ps((__m512)x, 1); }
SAMEBITS_INLINE vf joined(vh first, vh second) {
  return (vf)_mm512_insertf32x8(_mm512_castps256_ps512((__m256)first), (__m256)second, 1);
}
#elif defined(__AVX2__) && defined(__FMA__)
SAMEBITS_INLINE vh first_half(vf x) { return (vh)_mm256_castps256_ps128((__m256)x); }
SAMEBITS_INLINE vh second_half(vf x) { return (vh)_mm256_extractf128_ps((__m256)x, 1); }
SAMEBITS_INLINE vf joined(vh first, vh second) {
  return (vf)_mm256_insertf128_ps(_mm256_castps128_ps256((__m128)first), (__m128)second, 1);
}
#else
SAMEBITS_INLINE vh first_half(vf x) {
  vh half;
  __builtin_memcpy(&half, &x, sizeof half);
  return half;
}
SAMEBITS_INLINE vh second_half(vf x) {
  vh half;
  __builtin_memcpy(&half, reinterpret_cast<const char*>(&x) + sizeof half, sizeof half);
  return half;
}
SAMEBITS_INLINE vf joined(vh first, vh second) {
  vf x;
  __builtin_memcpy(&x, &first, sizeof first);
  __builtin_memcpy(reinterpret_cast<char*>(&x) + sizeof first, &second, sizeof second);
  return x;
}
#endif

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
