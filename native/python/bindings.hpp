// What each bindings file adds to the module; bindings.cpp calls them all.
#pragma once

#include <nanobind/nanobind.h>

namespace samebits::python {

void add_align(nanobind::module_& module);
void add_data(nanobind::module_& module);
void add_fingerprint(nanobind::module_& module);
void add_ledger(nanobind::module_& module);
void add_recorder(nanobind::module_& module);
void add_values(nanobind::module_& module);

}  // namespace samebits::python
