// What a compiled graph computes by kernels: steps made once, run over buffers that are bound at each call.
#pragma once

#include <cstdint>
#include <vector>

#include "exact/chain.hpp"

namespace samebits::exact {

// Where a value lies: in a buffer, from a byte on, its elements by strides.
struct Place {
  int buffer = -1;  // none
  int64_t byte = 0;
  DType dtype = DType::kNone;
  int ndim = 0;
  int64_t shape[kMaxDims];
  int64_t strides[kMaxDims];
};

enum class StepKind : int { kChain, kProduct, kSum, kSoftmax, kLogSoftmax, kSoftmaxBackward, kLogSoftmaxBackward };

struct ProgramStep {
  StepKind kind;
  Chain chain;              // of kChain; its operands' memory is that of `places`, outs last
  std::vector<Place> places;  // else: the result, then what it is computed of
  double alpha = 1, beta = 1;
  long before = 1, count = 1, after = 1;  // of kSum: places before its axes, in them, after them
};

// Runs the steps in their order; buffers hold the memory that `Place::buffer` numbers. False where there is
// no memory to work with.
bool run_steps(std::vector<ProgramStep>& steps, char* const* buffers, int threads);

}  // namespace samebits::exact
