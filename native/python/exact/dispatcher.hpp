// What torch's dispatch mode calls at every operation inside `exact()`.
#pragma once

#include <Python.h>

#include <unordered_map>

#include "python/exact/shortcuts.hpp"
#include "python/owned.hpp"

namespace samebits::python::exact_arithmetic {

class Dispatcher {
 public:
  // `resolve(op)` says what becomes of an operation met for the first time: (None, None) when torch's
  // own result is exact, else what to call with its arguments, and (kind, tensors, number, negated) of
  // a shortcut or None. It raises for what is not covered. `explain(op, args, kwargs, error)` may raise
  // a better error than the one that a handler has raised.
  Dispatcher(PyObject* resolve, PyObject* explain) : resolve_(owned_.keep(resolve)), explain_(owned_.keep(explain)) {}
  PyObject* dispatch(PyObject* operation, PyObject* args, PyObject* kwargs);
  void release() {
    handlers_.clear();
    owned_.release();
  }

 private:
  Owned owned_;
  PyObject* resolve_;
  PyObject* explain_;
  // By identity: torch has one object an overload, and keeps it.
  struct Handler {
    PyObject* call;
    Plain plain;
  };
  std::unordered_map<PyObject*, Handler> handlers_;
  Handler* resolved(PyObject* operation);
  void explain(PyObject* operation, PyObject* args, PyObject* kwargs);
};

// A __torch_dispatch__ bound to `mode`, as torch demands; `capsule` holds the dispatcher.
PyObject* bind_dispatch(Dispatcher* dispatcher, PyObject* mode);

}  // namespace samebits::python::exact_arithmetic
