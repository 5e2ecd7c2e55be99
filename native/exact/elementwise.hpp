// Element-wise operations over tensors of any strides and dtypes.
#pragma once

#include <cstdint>

#include "exact/kernels.hpp"
#include "exact/operations.hpp"

namespace samebits::exact {

constexpr int kMaxDims = 16;

enum class DType : uint8_t {
  kNone,
  kBool,
  kUInt8,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kFloat16,
  kBFloat16,
  kFloat32,
  kFloat64,
};

int64_t size_of(DType);

struct Operand {
  void* data;
  DType dtype;
  int64_t strides[kMaxDims];  // in elements, zero along an axis that is broadcast
};

struct ElementwiseCall {
  Elementwise operation;
  bool in_f64;  // computed in binary64, else in binary32
  int ndim;
  int64_t shape[kMaxDims];
  Operand out;
  int inputs;
  Operand in[3];
  double scalars[4];
};

// False when the operation does not exist for this type; nothing is written then.
bool run_elementwise(const ElementwiseCall& call, int threads);

}  // namespace samebits::exact
