// The loops of the element-wise operations, over contiguous values.
//
// Each formula is the definition (docs/arithmetic.md, "Element by element"): operations in this
// order, each rounded once.
#include <type_traits>

#include "exact/kernels/binary64.hpp"
#include "exact/kernels/builds.hpp"
#include "exact/kernels/one_plus_erf.hpp"
#include "exact/kernels/passes.hpp"
#include "exact/kernels/power.hpp"
#include "exact/kernels/rounded.hpp"
#include "exact/operations.hpp"
#include "exact/pool.hpp"
#include "exact/vec.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {
namespace {

template <class T>
struct Scalars {
  const double* values;
  T operator[](int i) const { return static_cast<T>(values[i]); }
};

// Constants that the formulas below name, rounded to the dtype of the computation.
template <class T>
constexpr T kSqrtHalf = T(0x1.6a09e667f3bcdp-1);  // sqrt(1 / 2)
template <class T>
constexpr T kDensity = T(0x1.9884533d43651p-2);  // 1 / sqrt(2 pi)
template <class T>
constexpr T kGeluInner = T(0x1.9884533d43651p-1);  // sqrt(2 / pi)
template <class T>
constexpr T kGeluCubic = T(0.044715);
template <class V>
using Element = std::decay_t<decltype(V{}[0])>;
static_assert(kSqrtHalf<float> == 0x1.6a09e6p-1f && kDensity<float> == 0x1.988454p-2f && kGeluCubic<float> == 0x1.6e4e26p-5f);

template <class V>
SAMEBITS_INLINE V larger(V x, V y) {  // zeros of both signs: the positive one
  const V z = x > y ? x : y;
  const V equal_or_nan = x + y;
  return x == y ? (x == V{} ? equal_or_nan : x) : (x < y || x > y ? z : equal_or_nan);
}
template <class V>
SAMEBITS_INLINE V smaller(V x, V y) {
  const V z = -larger<V>(-x, -y);
  return z;
}

#define UNARY(name, formula)                                                    \
  template <class V, class T>                                                   \
  SAMEBITS_INLINE V name##_v(Scalars<T> s, V x, V, V) {                         \
    (void)s;                                                                    \
    return formula;                                                             \
  }
#define BINARY(name, formula)                                                   \
  template <class V, class T>                                                   \
  SAMEBITS_INLINE V name##_v(Scalars<T> s, V x, V y, V) {                       \
    (void)s;                                                                    \
    return formula;                                                             \
  }
#define TERNARY(name, formula)                                                  \
  template <class V, class T>                                                   \
  SAMEBITS_INLINE V name##_v(Scalars<T> s, V x, V y, V z) {                     \
    (void)s;                                                                    \
    return formula;                                                             \
  }
#define S(i) all<V>(s[i])
#define C(c) all<V>(T(c))

UNARY(copy, x)
UNARY(neg, -x)
UNARY(abs, (x < V{} ? -x : x + V{}))
UNARY(sqrt, sqrt(x))
UNARY(rsqrt, rsqrt_f(x))
UNARY(reciprocal, C(1) / x)
UNARY(square, x * x)
UNARY(cube, cube_f(x))
UNARY(fourth, fourth_f(x))
UNARY(pow_scalar, pow_f(x, S(0)))
UNARY(rpow_scalar, pow_f(S(0), x))
UNARY(exp, exp_f(x))
UNARY(exp2, exp2_f(x))
UNARY(expm1, expm1_f(x))
UNARY(log, log_f(x))
UNARY(log2, log2_f(x))
UNARY(log10, log10_f(x))
UNARY(log1p, log1p_f(x))
UNARY(sin, sin_f(x))
UNARY(cos, cos_f(x))
UNARY(asin, asin_f(x))
UNARY(acos, acos_f(x))
UNARY(atan, atan_f(x))
UNARY(tanh, tanh_f(x))
UNARY(erf, erf_f(x))
UNARY(erfc, erfc_f(x))
UNARY(sigmoid, sigmoid_f(x))
UNARY(relu, (x > V{} ? x : (x == x ? V{} : x)))
UNARY(gelu, x * C(0.5) * one_plus_erf(x * C(kSqrtHalf<T>)))
template <class V>
SAMEBITS_INLINE V gelu_inner(V x) {
  return all<V>(kGeluInner<Element<V>>) * (x + all<V>(kGeluCubic<Element<V>>) * (x * x * x));
}
UNARY(gelu_tanh, x * C(0.5) * (C(1) + tanh_f(gelu_inner(x))))
UNARY(silu, x * sigmoid_f(x))
// min(x, 0) - log1p(exp(-|x|))
UNARY(log_sigmoid, (x < V{} ? x : V{}) - log1p_f(exp_f(x < V{} ? x : -x)))
// s0 beta, s1 threshold
UNARY(softplus, (x * S(0) > S(1) ? x : log1p_f(exp_f(x * S(0))) / S(0)))
// s0 alpha, s1 scale, s2 input scale
UNARY(elu, (x > V{} ? x * S(1) : expm1_f(x * S(2)) * S(0) * S(1)))
UNARY(leaky_relu, (x > V{} ? x : x * S(0)))
UNARY(hardtanh, (x < S(0) ? S(0) : (x > S(1) ? S(1) : x)))
UNARY(sign, (x > V{} ? C(1) : (x < V{} ? C(-1) : (x == x ? V{} : x))))
// s0 from, s1 to; either may be infinite
UNARY(clamp, at_most(at_least(x, s[0]), s[1]))
UNARY(add_scalar, x + S(0))
UNARY(rsub_scalar, S(0) - x)
UNARY(mul_scalar, x * S(0))
UNARY(div_scalar, x / S(0))
UNARY(rdiv_scalar, S(0) / x)
BINARY(add, x + y)
BINARY(add_scaled, x + S(0) * y)
BINARY(sub, x - y)
BINARY(mul, x* y)
BINARY(div, x / y)
BINARY(pow, pow_f(x, y))
// x ordinate, y abscissa
BINARY(atan2, atan2_f(x, y))
BINARY(maximum, larger<V>(x, y))
BINARY(minimum, smaller<V>(x, y))
// x gradient, y input; s0 threshold
BINARY(threshold_backward, (y <= S(0) ? V{} : x))
// x gradient, y output
BINARY(tanh_backward, x*(C(1) - y * y))
BINARY(sigmoid_backward, x*((C(1) - y) * y))
// x gradient, y input: x (Phi(y) + y phi(y))
BINARY(gelu_backward, x*(C(0.5) * one_plus_erf(y * C(kSqrtHalf<T>)) + y * (exp_f(y * y * C(-0.5)) * C(kDensity<T>))))
template <class V>
SAMEBITS_INLINE V gelu_tanh_slope(V y) {
  const V half = all<V>(0.5f), one = all<V>(1.0f);
  const V t = tanh_f(gelu_inner(y));
  const V inner = all<V>(kGeluInner<Element<V>>) * (one + all<V>(3.0f) * all<V>(kGeluCubic<Element<V>>) * (y * y));
  return half * (one + t) + half * y * ((one - t * t) * inner);
}
BINARY(gelu_tanh_backward, x* gelu_tanh_slope(y))
template <class V>
SAMEBITS_INLINE V silu_slope(V y) {
  const V one = all<V>(1.0f);
  const V p = sigmoid_f(y);
  return p * (one + y * (one - p));
}
BINARY(silu_backward, x* silu_slope(y))
// x gradient, y input: x sigmoid(-y)
BINARY(log_sigmoid_backward, x* sigmoid_f(-y))
BINARY(softplus_backward, (y * S(0) > S(1) ? x : x * sigmoid_f(y * S(0))))
// x gradient, y input (s3 = 0) or output (s3 = 1)
BINARY(elu_backward, (s[3] != T(0) ? (y > V{} ? x * S(1) : x * (S(2) * (y + S(0) * S(1))))
                                   : (y > V{} ? x * S(1) : x * (S(2) * S(0) * S(1) * exp_f(y * S(2))))))
BINARY(leaky_relu_backward, (y > V{} ? x : x * S(0)))
BINARY(hardtanh_backward, (y <= S(0) || y >= S(1) ? V{} : x))
TERNARY(addcmul, x + S(0) * (y * z))
TERNARY(addcdiv, x + S(0) * (y / z))
// z weight
TERNARY(lerp, (z < C(0.5) && z > C(-0.5) ? x + z * (y - x) : y - (y - x) * (C(1) - z)))
BINARY(lerp_scalar, (s[0] < T(0.5) && s[0] > T(-0.5) ? x + S(0) * (y - x) : y - (y - x) * (C(1) - S(0))))
TERNARY(mul_add, x* y + z)
TERNARY(sub_mul, (x - y) * z)
#undef S
#undef C

template <class T, vec<T> (*formula)(Scalars<T>, vec<T>, vec<T>, vec<T>), int tensors>
void loop(long n, void* out_memory, const void* const* in_memory, const double* scalars) {
  using V = vec<T>;
  constexpr int count = VectorOf<T>::count;
  auto* out = static_cast<T*>(out_memory);
  const auto* a = static_cast<const T*>(in_memory[0]);
  const auto* b = static_cast<const T*>(in_memory[tensors > 1 ? 1 : 0]);
  const auto* c = static_cast<const T*>(in_memory[tensors > 2 ? 2 : 0]);
  const Scalars<T> s{scalars};
  long i = 0;
  for (; i + count <= n; i += count) {
    const V x = load<V>(a + i);
    const V y = tensors > 1 ? load<V>(b + i) : x;
    const V z = tensors > 2 ? load<V>(c + i) : x;
    store(out + i, canonical(formula(s, x, y, z)));
  }
  if (i < n) {
    const int rest = static_cast<int>(n - i);
    const V x = load_first<V>(a + i, rest);
    const V y = tensors > 1 ? load_first<V>(b + i, rest) : x;
    const V z = tensors > 2 ? load_first<V>(c + i, rest) : x;
    store_first(out + i, canonical(formula(s, x, y, z)), rest);
  }
}

#if defined(SAMEBITS_QUICK_ERF)
constexpr int kTogether = 2;  // vectors, the steps of one in the waits of the other
using Vectors = vf[kTogether];

// quick(x, y, open) leaves some vectors open. Their operands are put aside, and the formula for one
// vector computes them after each block: a branch on the spot, which nobody can predict, costs more.
template <void (*quick)(Vectors& x, const Vectors& y, bool (&open)[kTogether]), vf (*formula)(Scalars<float>, vf, vf, vf),
          int tensors>
void quick_loop(long n, void* out_memory, const void* const* in_memory, const double* scalars) {
  constexpr long block = 1024;
  vf aside[tensors][block / W];
  long places[block / W];
  auto* out = static_cast<float*>(out_memory);
  const auto* a = static_cast<const float*>(in_memory[0]);
  const auto* b = static_cast<const float*>(in_memory[tensors - 1]);
  const long whole = n / (kTogether * W) * (kTogether * W);
  for (long i = 0; i < whole;) {
    const long end = whole - i < block ? whole : i + block;
    long count = 0;
    for (; i < end; i += kTogether * W) {
      Vectors x, y;
      bool open[kTogether];
      for (int v = 0; v < kTogether; ++v) {
        x[v] = load<vf>(a + i + v * W);
        y[v] = load<vf>(b + i + v * W);
      }
      Vectors result = {x[0], x[1]};
      quick(result, y, open);
      for (int v = 0; v < kTogether; ++v) {
        aside[0][count] = x[v];
        aside[tensors - 1][count] = y[v];
        places[count] = i + v * W;
        count += open[v];
        store(out + i + v * W, canonical(result[v]));
      }
    }
    for (long c = 0; c < count; ++c) {
      store(out + places[c], canonical(formula(Scalars<float>{scalars}, aside[0][c], aside[tensors - 1][c], vf{})));
    }
  }
  const void* rest[2] = {a + whole, b + whole};
  loop<float, formula, tensors>(n - whole, out + whole, rest, scalars);
}

SAMEBITS_INLINE void quick_gelu(Vectors& x, const Vectors&, bool (&open)[kTogether]) {
  Vectors g;
  for (int v = 0; v < kTogether; ++v) g[v] = x[v] * all<vf>(kSqrtHalf<float>);
  quick_one_plus_erf(g, open);
  for (int v = 0; v < kTogether; ++v) x[v] = x[v] * all<vf>(0.5f) * g[v];
}
SAMEBITS_INLINE void quick_gelu_backward(Vectors& x, const Vectors& y, bool (&open)[kTogether]) {
  Vectors g, e;
  for (int v = 0; v < kTogether; ++v) {
    g[v] = y[v] * all<vf>(kSqrtHalf<float>);
    e[v] = y[v] * y[v] * all<vf>(-0.5f);
  }
  quick_one_plus_erf(g, open);
  exp_f(e);
  for (int v = 0; v < kTogether; ++v) {
    x[v] = x[v] * (all<vf>(0.5f) * g[v] + y[v] * (e[v] * all<vf>(kDensity<float>)));
  }
}
#endif

// Half a vector of floats, truncated.
SAMEBITS_INLINE vl truncated(vh x) {
#if defined(__AVX2__) && !defined(__AVX512F__)
  // No instruction does it for more than one: below 2^51 the bits of a sum do.
  const vhi small = (x < vh{} + 0x1p51f) & (x > vh{} - 0x1p51f);
  if (_mm_movemask_ps((__m128)small) == 0xF) {
    const vd whole = (vd)_mm256_round_pd((__m256d)widen(x), _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    return bits<vl>(whole + all<vd>(kRounder)) - all_l(kRounderBits);
  }
#endif
  return __builtin_convertvector(widen(x), vl);
}

}  // namespace

// Values are looked at while they are there: a pass of its own would read all of them once more. What does not fit
// becomes anything, which nobody gets to see.
bool whole_numbers(const float* x, long n, int64_t* out, int threads) {
  constexpr long a_task = 16384;
  const vf bound = all<vf>(0x1p63f);
  bool all_fit = true;
  parallel_apart((n + a_task - 1) / a_task, threads, [&](long task) {
    const long end = (task + 1) * a_task < n ? (task + 1) * a_task : n;
    vi fits = bound == bound;
    for (long i = task * a_task; i < end; i += W) {
      const int here = end - i < W ? static_cast<int>(end - i) : W;
      const vf value = here == W ? load<vf>(x + i) : load_first<vf>(x + i, here);
      fits &= (value > -bound) & (value < bound);
      const vl first = truncated(first_half(value)), second = truncated(second_half(value));
      if (here == W) {
        store(out + i, first);
        store(out + i + W / 2, second);
      } else {
        for (int l = 0; l < here; ++l) out[i + l] = l < W / 2 ? first[l] : second[l - W / 2];
      }
    }
    bool own = true;
    for (int l = 0; l < W; ++l) own &= fits[l] != 0;
    if (!own) __atomic_store_n(&all_fit, false, __ATOMIC_RELAXED);
  });
  return all_fit;
}

ElementwiseLoop elementwise_f32(int operation) {
#if defined(SAMEBITS_QUICK_ERF)
  const auto wanted = static_cast<Elementwise>(operation);
  if (wanted == Elementwise::gelu) return quick_loop<quick_gelu, gelu_v<vf, float>, 1>;
  if (wanted == Elementwise::gelu_backward) return quick_loop<quick_gelu_backward, gelu_backward_v<vf, float>, 2>;
#endif
  switch (static_cast<Elementwise>(operation)) {
#define X(name, tensors, in_f64) \
  case Elementwise::name:        \
    return loop<float, name##_v<vf, float>, tensors>;
    SAMEBITS_ELEMENTWISE(X)
#undef X
    default:
      return nullptr;
  }
}

ElementwiseLoop elementwise_f64(int operation) {
  switch (static_cast<Elementwise>(operation)) {
#define X(name, tensors, in_f64)                                     \
  case Elementwise::name:                                            \
    if constexpr (in_f64) return loop<double, name##_v<vd, double>, tensors>; \
    return nullptr;
    SAMEBITS_ELEMENTWISE(X)
#undef X
    default:
      return nullptr;
  }
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
