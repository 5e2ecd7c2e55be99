// The one place where C++ meets Python: names, argument types and docstrings, nothing else.
#include <nanobind/nanobind.h>

#include "python/bindings.hpp"
#include "python/replacement.hpp"

namespace nb = nanobind;

NB_MODULE(_native, module) {
  // A recorder lives until its process ends, by design.
  nb::set_leak_warnings(false);
  module.doc() = "Native part of samebits.";
  samebits::python::add_align(module);
  samebits::python::add_data(module);
  samebits::python::add_fingerprint(module);
  samebits::python::add_recorder(module);
  samebits::python::add_ledger(module);
  samebits::python::add_values(module);
  if (samebits::python::add_replacement_type(module.ptr()) != 0) throw nb::python_error();
}
