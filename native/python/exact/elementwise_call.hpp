// From Python's arguments to an element-wise call.
#pragma once

#include <Python.h>

namespace samebits::python::exact_arithmetic {

// The operation on `tensors` (a tuple), with up to four scalars (a tuple of numbers), written to
// `out` or, where that is None, to a new tensor laid out as torch would. A new reference; null with
// a Python error set; Py_NotImplemented where dtypes, shapes or memory are not plain enough, with
// nothing written.
PyObject* elementwise(int operation, PyObject* out, PyObject* tensors, PyObject* scalars);
// The same with arguments as C arrays.
PyObject* elementwise_of(int operation, PyObject* out, PyObject* const* tensors, int count,
                         const double* scalars);

}  // namespace samebits::python::exact_arithmetic
