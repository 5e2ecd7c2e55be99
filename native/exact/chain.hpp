// Several element-wise operations in one pass over the data.
//
// A chain is computed in blocks that the first-level cache holds: each operation by the loop that
// computes it alone, its result rounded as if it had been written to memory, so that the bits are those of
// the operations one by one.
#pragma once

#include <cstdint>
#include <vector>

#include "exact/elementwise.hpp"

namespace samebits::exact {

struct ChainOperation {
  Elementwise operation;
  int inputs;
  int in[3];  // an operand's number, or -1 - register
  double scalars[4];
  int result;   // its register
  DType dtype;  // to which it is rounded
  int out;      // the place in `outs` that it is written to, or -1
};

struct Chain {
  bool in_f64;  // computed in binary64, else in binary32
  int ndim;
  int64_t shape[kMaxDims];
  int registers;
  std::vector<ChainOperation> operations;
  std::vector<Operand> ins;   // strides of `shape`
  std::vector<Operand> outs;  // no memory of theirs is an operand's
};

constexpr int kMaxRegisters = 16;

// Whether this build has a loop for every operation.
bool has_loops(const Chain& chain);

void run_chain(const Chain& chain, int threads);

}  // namespace samebits::exact
