// The element-wise operations: each a number here, a loop in every build, a name in Python.
//
// X(name, tensors, in_f64): how many tensors it reads; whether binary64 has it too. Scalars s0, s1 …
// are handed over beside them.
#pragma once

#define SAMEBITS_ELEMENTWISE(X)    \
  X(copy, 1, true)                 \
  X(neg, 1, true)                  \
  X(abs, 1, true)                  \
  X(sqrt, 1, true)                 \
  X(rsqrt, 1, true)                \
  X(reciprocal, 1, true)           \
  X(square, 1, true)               \
  X(cube, 1, true)                 \
  X(fourth, 1, true)               \
  X(pow_scalar, 1, true)           \
  X(rpow_scalar, 1, true)          \
  X(exp, 1, true)                  \
  X(exp2, 1, true)                 \
  X(expm1, 1, true)                \
  X(log, 1, true)                  \
  X(log2, 1, true)                 \
  X(log10, 1, true)                \
  X(log1p, 1, true)                \
  X(sin, 1, true)                  \
  X(cos, 1, true)                  \
  X(asin, 1, true)                 \
  X(acos, 1, true)                 \
  X(atan, 1, true)                 \
  X(tanh, 1, true)                 \
  X(erf, 1, true)                  \
  X(erfc, 1, true)                 \
  X(sigmoid, 1, true)              \
  X(relu, 1, true)                 \
  X(gelu, 1, true)                 \
  X(gelu_tanh, 1, true)            \
  X(silu, 1, true)                 \
  X(log_sigmoid, 1, true)          \
  X(softplus, 1, true)             \
  X(elu, 1, true)                  \
  X(leaky_relu, 1, true)           \
  X(hardtanh, 1, true)             \
  X(sign, 1, true)                 \
  X(clamp, 1, true)                \
  X(add_scalar, 1, true)           \
  X(rsub_scalar, 1, true)          \
  X(mul_scalar, 1, true)           \
  X(div_scalar, 1, true)           \
  X(rdiv_scalar, 1, true)          \
  X(add, 2, true)                  \
  X(add_scaled, 2, true)           \
  X(sub, 2, true)                  \
  X(mul, 2, true)                  \
  X(div, 2, true)                  \
  X(pow, 2, true)                  \
  X(atan2, 2, true)                \
  X(maximum, 2, true)              \
  X(minimum, 2, true)              \
  X(threshold_backward, 2, true)   \
  X(tanh_backward, 2, true)        \
  X(sigmoid_backward, 2, true)     \
  X(gelu_backward, 2, true)        \
  X(gelu_tanh_backward, 2, true)   \
  X(silu_backward, 2, true)        \
  X(log_sigmoid_backward, 2, true) \
  X(softplus_backward, 2, true)    \
  X(elu_backward, 2, true)         \
  X(leaky_relu_backward, 2, true)  \
  X(hardtanh_backward, 2, true)    \
  X(addcmul, 3, true)              \
  X(addcdiv, 3, true)              \
  X(lerp, 3, true)                 \
  X(lerp_scalar, 2, true)          \
  X(mul_add, 3, true)              \
  X(sub_mul, 3, true)

namespace samebits::exact {

enum class Elementwise : int {
#define X(name, tensors, in_f64) name,
  SAMEBITS_ELEMENTWISE(X)
#undef X
      count_,
};

}  // namespace samebits::exact
