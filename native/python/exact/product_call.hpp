// A matrix product from Python's arguments to a new tensor, where they are plain.
#pragma once

#include <Python.h>

namespace samebits::python::exact_arithmetic {

// beta * add + alpha * (a @ b) for two axes, or three with a batch first; `add` may be null. A new
// reference; null with a Python error set; Py_NotImplemented, with nothing done, where dtypes or
// shapes need thought.
PyObject* product_of(PyObject* a, PyObject* b, PyObject* add, double alpha, double beta);

}  // namespace samebits::python::exact_arithmetic
