// The commonest operations with plain arguments, without a Python function in between.
#pragma once

#include <Python.h>

namespace samebits::python::exact_arithmetic {

enum class Shortcut : int {
  kNone, kUnary, kUnaryInPlace, kBinary, kBinaryInPlace, kProduct, kProductAdded, kSum, kRows, kClassLoss, kClassLossBackward
};

// How an operation is computed when its arguments are plain.
struct Plain {
  Shortcut kind = Shortcut::kNone;
  int tensors = 0;      // element-wise operation for tensors; of rows, which
  int number = -1;      // for a tensor and a number, or -1
  bool negated = false;  // that number's sign is turned first
};

// The result, as the operation would give it; null with a Python error set, or Py_NotImplemented
// where the arguments need a closer look, with nothing done.
PyObject* take_shortcut(const Plain& plain, PyObject* args, PyObject* kwargs);

}  // namespace samebits::python::exact_arithmetic
