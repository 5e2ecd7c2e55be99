// What an operation may be given before any table is asked: dtypes, layouts, devices.
#pragma once

#include <Python.h>

#include <cstdint>

namespace samebits::python::exact_arithmetic {

// Whether every tensor among the arguments, in lists too, lies in this processor's memory by strides
// and has a dtype of `dtypes` (bits by the fingerprint's numbers), and every dtype, layout and device
// that is asked for is such a one. False means only that a closer look is needed.
bool plainly_admitted(PyObject* args, PyObject* kwargs, uint64_t dtypes);

}  // namespace samebits::python::exact_arithmetic
