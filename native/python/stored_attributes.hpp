// Attributes as they are stored: no descriptor, no __getattr__, no code of the program.
#pragma once

#include <Python.h>

#include <functional>

namespace samebits::python {

// The instance's or the type's own dictionary: a new reference, or null where it has none.
PyObject* own_dictionary(PyObject* object);

// A value's attribute as it is stored, found without descriptors or __getattr__: a new reference, or
// null. Objects, types and modules have attributes here.
PyObject* stored_attribute(PyObject* object, PyObject* name);

// Visits the values that an object keeps in slots; those of `__weakref__` and `__dict__` are none.
void for_each_slot(PyObject* object,
                   const std::function<void(PyObject* name, PyObject* value)>& visit);

}  // namespace samebits::python
