// Watching functions that are written in C without replacing them.
//
// A function of C is a Python object that points to a method definition, and that to the code. Hooks
// are put into the definition: the Python object stays the one it was, so that its identity, type,
// name, signature and pickle do, and so do all the other names that it already goes by
// (`from random import random`, `random.random`, a bound method of the hidden instance). CPython 3.10
// to 3.13 read the definition at every call, in the specialised instructions too. Slots of types
// (construction, iteration) and setters of properties are watched in the same way.
#pragma once

#include <Python.h>

#include <cstddef>

namespace samebits::python {

// The arguments of a call, whatever its convention.
struct WatchedCall {
  PyObject* self = nullptr;
  PyObject* const* args = nullptr;
  Py_ssize_t count = 0;
  PyObject* names = nullptr;     // tuple of keywords; their values follow the positional ones
  PyObject* keywords = nullptr;  // dict

  // Borrowed; null where it was not given.
  PyObject* argument(Py_ssize_t index, const char* name) const;
};

// What the calls are reported to. Called with the GIL held.
class Watcher {
 public:
  virtual ~Watcher() = default;
  // Before a call. What it returns is handed to `leave`; a negative number watches the call no further.
  virtual int enter(int rule) = 0;
  // After it, always when `enter` was positive or 0; `result` is null when the call raised. Must not
  // raise, and must leave an exception that is pending as it is.
  virtual void leave(int rule, int token, const WatchedCall& call, PyObject* result) = 0;
  // Another function has answered in the place of `original`, which may be watched.
  virtual void answered_for(PyObject* original, PyObject* const* args, Py_ssize_t count, PyObject* names,
                            PyObject* result) = 0;
};

enum class Slot : int { kInit = 0, kNew = 1, kNext = 2 };

// Nothing is reported while there is no watcher.
void set_watcher(Watcher* watcher);
Watcher* watcher();

// Watch a function, method, classmethod or Cython function. False when this object is no function of
// C, or cannot be watched.
bool watch_function(PyObject* function, int rule);
bool watch_slot(PyTypeObject* type, Slot slot, int rule);
// A property that is written in C, such as numpy's BitGenerator.state; reported as a call with the
// value as its argument.
bool watch_setter(PyObject* property, int rule);
// The rule that a function is watched by, -1 where it is not.
int rule_of(PyObject* function);
// Put everything back. Calls that are under way end as they would have.
void unwatch_all();

}  // namespace samebits::python
