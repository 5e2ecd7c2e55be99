// Optimizers' steps as Python calls them.
#pragma once

#include <nanobind/nanobind.h>

namespace samebits::python::exact_arithmetic {

void add_optimizer_calls(nanobind::module_& module);

}  // namespace samebits::python::exact_arithmetic
