#pragma once

#include <Python.h>

namespace samebits::python::exact_arithmetic {

// The sum of a row-major tensor over axes that lie next to each other, all of them where `dims` is null
// or None. NotImplemented where it is another tensor, or are other axes; null with a Python error set.
PyObject* sum_of(PyObject* tensor, PyObject* dims, bool keepdim);

}  // namespace samebits::python::exact_arithmetic
