// A tap stands in for a function or method of torch and tells the recorder of each call.
//
// It is a C object on purpose: it adds no frame to tracebacks, looks like what it wraps to anyone
// who asks for its name, signature or documentation, and passes arguments through untouched.
#pragma once

#include <Python.h>

#include "python/recorder.hpp"

namespace samebits::python {

enum class TapKind : int {
  kModule = 0,  // torch.nn.Module.__call__
  kBatch = 1,   // a loader iterator's __next__
  kLoss = 2,    // torch.Tensor.backward
  kCall = 3,    // after(args, kwargs, result) in Python
  kSilent = 4,  // what happens inside is no operation of the program
};

// Adds the type to the module once; 0 on success.
int add_tap_type(PyObject* module);
// A new tap around `wrapped`; `after` is used by kCall alone and may be null otherwise.
// `owner` is the recorder's Python object.
PyObject* make_tap(Recorder* recorder, PyObject* owner, TapKind kind, PyObject* wrapped,
                   PyObject* after);

}  // namespace samebits::python
