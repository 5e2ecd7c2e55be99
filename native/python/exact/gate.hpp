// What an operation may be given before any table is asked: dtypes, layouts, devices.
#pragma once

#include <Python.h>

#include <cstdint>
#include <vector>

namespace samebits::python::exact_arithmetic {

// Whether every tensor among the arguments, in lists too, lies in this processor's memory by strides
// and has a dtype of `dtypes` (bits by the fingerprint's numbers), and every dtype, layout and device
// that is asked for is such a one. With the uppermost bit of `dtypes` no number of binary64 may meet a
// half, or decide alone. False means only that a closer look is needed.
bool plainly_admitted(PyObject* args, PyObject* kwargs, uint64_t dtypes);

// Whether some of the arguments at `places`, or a named one of `names`, may have elements that share
// memory; lists of tensors are looked through.
bool overlaps(PyObject* args, PyObject* kwargs, const std::vector<int>& places, const std::vector<PyObject*>& names);

}  // namespace samebits::python::exact_arithmetic
