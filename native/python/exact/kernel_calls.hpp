// The kernels over whole tensors, as Python calls them.
#pragma once

#include <nanobind/nanobind.h>

namespace samebits::python::exact_arithmetic {

void add_kernel_calls(nanobind::module_& module);
void add_placing_calls(nanobind::module_& module);

}  // namespace samebits::python::exact_arithmetic
