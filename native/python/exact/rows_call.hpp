#pragma once

#include <Python.h>

namespace samebits::python::exact_arithmetic {

// Softmax over the last axis of a row-major tensor of binary32 (`rows` 0), its logarithm (1), and their derivatives
// (2 and 3), of an operation's arguments. NotImplemented where these are others; null with a Python error set.
PyObject* rows_of(int rows, PyObject* args);

}  // namespace samebits::python::exact_arithmetic
