// What torch's dispatch mode calls at every operation inside `exact()`.
#pragma once

#include <Python.h>

#include <unordered_map>
#include <vector>

#include "python/exact/shortcuts.hpp"
#include "python/owned.hpp"

namespace samebits::python::exact_arithmetic {

class Dispatcher {
 public:
  // `resolve(op)` says what becomes of an operation met for the first time: what to call with its
  // arguments, or None when torch's own result is exact; (kind, tensors, number, negated) of a shortcut,
  // or None; the dtypes that it may be given, as bits by the fingerprint's numbers, or None where
  // nobody looks; and the arguments to which it writes, by place and by name. It raises for what is not
  // covered. Where arguments are not plainly of these dtypes, strided and in this processor's memory, or
  // what is written to may share memory with itself, `at_gate(op, args, kwargs)` raises, returns a result in a
  // tuple, (args, kwargs) to go on with instead, or None to go on. Where a handler has raised, `after_refusal(op, args, kwargs, error)` may
  // raise a better error. `others(op, types, args, kwargs)` sees to tensors of types that dispatch by
  // themselves.
  Dispatcher(PyObject* resolve, PyObject* at_gate, PyObject* after_refusal, PyObject* others)
      : resolve_(owned_.keep(resolve)),
        at_gate_(owned_.keep(at_gate)),
        after_refusal_(owned_.keep(after_refusal)),
        others_(owned_.keep(others)) {}
  PyObject* dispatch(PyObject* operation, PyObject* args, PyObject* kwargs);
  PyObject* dispatch_others(PyObject* operation, PyObject* types, PyObject* args, PyObject* kwargs);
  void release() {
    handlers_.clear();
    owned_.release();
  }

 private:
  Owned owned_;
  PyObject* resolve_;
  PyObject* at_gate_;
  PyObject* after_refusal_;
  PyObject* others_;
  // By identity: torch has one object an overload, and keeps it.
  struct Handler {
    PyObject* call;
    Plain plain;
    bool gated;
    uint64_t dtypes;  // that it may be given
    std::vector<int> written;  // places of the arguments to which it writes
    std::vector<PyObject*> written_names;
  };
  std::unordered_map<PyObject*, Handler> handlers_;
  Handler* resolved(PyObject* operation);
  PyObject* refused(PyObject* operation, PyObject* args, PyObject* kwargs);
};

// A __torch_dispatch__ bound to `mode`, as torch demands; `capsule` holds the dispatcher.
PyObject* bind_dispatch(Dispatcher* dispatcher, PyObject* mode);

}  // namespace samebits::python::exact_arithmetic
