// References that C++ tables hold on Python objects, so that an address stays one object's.
#pragma once

#include <Python.h>

#include <vector>

namespace samebits::python {

class Owned {
 public:
  PyObject* keep(PyObject* object) {
    refs_.push_back(Py_NewRef(object));
    return object;
  }
  // Lets go of everything; what is freed may run Python code, so the list is empty first.
  void release() {
    std::vector<PyObject*> refs;
    refs.swap(refs_);
    for (PyObject* object : refs) Py_DECREF(object);
  }

 private:
  std::vector<PyObject*> refs_;
};

}  // namespace samebits::python
