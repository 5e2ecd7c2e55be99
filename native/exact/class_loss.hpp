// The loss of picked classes, and its derivative (docs/arithmetic.md, "Losses").
#pragma once

#include <cstdint>

namespace samebits::exact {

enum class Reduction : int { kNone = 0, kMean = 1, kSum = 2 };

// Of x [rows, classes, places] the value of each target's class, [rows, places].
template <class T>
struct ClassLoss {
  const T* x;
  const int64_t* target;
  const T* weight;  // [classes], or null
  long rows, classes, places;
  int64_t ignored;
  Reduction reduction;
  T* out;    // one number, or as many as targets
  T* total;  // one number: the weight of all, 0 where nothing is reduced
};

template <class T>
struct ClassLossBackward {
  const T* grad;  // one number, or as many as targets
  const int64_t* target;
  const T* weight;  // [classes], or null
  const T* total;   // read for a mean alone
  long rows, classes, places;
  int64_t ignored;
  Reduction reduction;
  T* out;  // [rows, classes, places], zeros
};

}  // namespace samebits::exact
