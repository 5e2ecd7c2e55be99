// A replacement takes the place of a function that says something about the surroundings (a clock, a
// listing of a folder) and answers in its place.
//
// It is a C object on purpose: whoever asks for its name, type, signature or pickle gets those of
// what it stands in for, it is bound as a method only where the original would be, and an exception
// that comes out of it shows no frame of samebits.
#pragma once

#include <Python.h>

namespace samebits::python {

// What a replacement stands in for, borrowed; any other value itself.
PyObject* replaced_by(PyObject* value);

// Adds the type to the module once; 0 on success.
int add_replacement_type(PyObject* module);

}  // namespace samebits::python
