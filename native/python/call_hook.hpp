// A hook tells the recorder of each call of a function or method.
//
// Where the function is written in Python, the hook lies inside of it: the function's vectorcall, the
// code that the interpreter calls it by, is replaced, and the function stays the object that it was,
// to pickle, to weak references, to inspect and to torch.compile. CPython enters a function on its
// own way only while it has the vectorcall that Python gave it. (3.11 does so whatever it has.)
//
// Anything else is replaced by a C object that adds no frame to tracebacks, looks like what it wraps
// to anyone who asks for its name, signature or documentation, and passes arguments through.
#pragma once

#include <Python.h>

#include "python/recorder.hpp"

namespace samebits::python {

enum class CallHookKind : int {
  kModule = 0,  // torch.nn.Module.__call__
  kBatch = 1,   // a loader iterator's __next__
  kLoss = 2,    // torch.Tensor.backward
  kCall = 3,    // after(args, kwargs, result) in Python
  kSilent = 4,  // what happens inside is no operation of the program
  kStorage = 5,  // torch.UntypedStorage's __new__ and resize_
  kThread = 6,   // what a thread runs: after(True) before it, on that thread, and after(False) after it
  kFetch = 7,    // a loader's worker makes a batch: the ledger is told, recording or not
  kDrawn = 8,    // a method of random.Random that is written in Python: the ledger notes what it gave
};

// Adds the type to the module once; 0 on success.
int add_call_hook_type(PyObject* module);
// Puts a hook into a function; false when it is none of Python's, has one already, or lives in 3.11.
bool hook_inside(Recorder* recorder, PyObject* owner, CallHookKind kind, PyObject* function, PyObject* after);
void unhook_inside(PyObject* function);
// A new hook around `wrapped`; `after` is used by kCall and kThread alone and may be null otherwise.
// `owner` is the recorder's Python object.
PyObject* make_call_hook(Recorder* recorder, PyObject* owner, CallHookKind kind, PyObject* wrapped,
                   PyObject* after);

}  // namespace samebits::python
