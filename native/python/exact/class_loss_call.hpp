#pragma once

#include <Python.h>

namespace samebits::python::exact_arithmetic {

// nll_loss with its total weight, and its derivative, of an operation's arguments. NotImplemented where these are
// not plain or not right; null with a Python error set.
PyObject* class_loss_of(PyObject* args);
PyObject* class_loss_backward_of(PyObject* args);

}  // namespace samebits::python::exact_arithmetic
