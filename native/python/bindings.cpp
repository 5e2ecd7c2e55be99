// The one place where C++ meets Python: names, argument types and docstrings, nothing else.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

NB_MODULE(_native, module) { module.doc() = "Native part of samebits."; }
