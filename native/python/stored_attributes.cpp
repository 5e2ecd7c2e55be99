#include "python/stored_attributes.hpp"

#include <descrobject.h>

namespace samebits::python {
namespace {

PyObject* type_dictionary(PyTypeObject* type) {
#if PY_VERSION_HEX >= 0x030C0000
  return PyType_GetDict(type);
#else
  return Py_XNewRef(type->tp_dict);
#endif
}

PyObject* item(PyObject* dictionary, PyObject* name) {
  if (dictionary == nullptr) return nullptr;
  PyObject* value = PyDict_GetItemWithError(dictionary, name);
  if (value == nullptr) PyErr_Clear();
  Py_XINCREF(value);
  return value;
}

// What the type or one it inherits from holds under the name; a new reference.
PyObject* in_type(PyTypeObject* type, PyObject* name) {
  PyObject* order = type->tp_mro;
  if (order == nullptr) return nullptr;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(order); ++i) {
    PyObject* dictionary = type_dictionary(reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(order, i)));
    PyObject* value = item(dictionary, name);
    Py_XDECREF(dictionary);
    if (value != nullptr) return value;
  }
  return nullptr;
}

}  // namespace

PyObject* own_dictionary(PyObject* object) {
  if (PyModule_Check(object)) return Py_NewRef(PyModule_GetDict(object));
  if (PyType_Check(object)) return type_dictionary(reinterpret_cast<PyTypeObject*>(object));
  if (Py_TYPE(object)->tp_dictoffset == 0) return nullptr;
  PyObject* dictionary = PyObject_GenericGetDict(object, nullptr);
  if (dictionary == nullptr) PyErr_Clear();
  if (dictionary != nullptr && !PyDict_Check(dictionary)) Py_CLEAR(dictionary);
  return dictionary;
}

PyObject* slot_value(PyObject* object, PyObject* descriptor) {
  if (Py_TYPE(descriptor) != &PyMemberDescr_Type) return nullptr;
  PyObject* value = Py_TYPE(descriptor)->tp_descr_get(
      descriptor, object, reinterpret_cast<PyObject*>(Py_TYPE(object)));
  if (value == nullptr) PyErr_Clear();
  return value;
}

PyObject* stored_attribute(PyObject* object, PyObject* name) {
  if (PyType_Check(object)) return in_type(reinterpret_cast<PyTypeObject*>(object), name);
  PyObject* dictionary = own_dictionary(object);
  PyObject* value = item(dictionary, name);
  Py_XDECREF(dictionary);
  if (value != nullptr || PyModule_Check(object)) return value;
  PyObject* shared = in_type(Py_TYPE(object), name);
  if (shared == nullptr) return nullptr;
  if (Py_TYPE(shared)->tp_descr_get == nullptr) return shared;  // data of the class
  value = slot_value(object, shared);
  Py_DECREF(shared);
  return value;
}

void for_each_slot(PyObject* object, const std::function<void(PyObject* name, PyObject* value)>& visit) {
  PyObject* order = Py_TYPE(object)->tp_mro;
  for (Py_ssize_t i = 0; order != nullptr && i < PyTuple_GET_SIZE(order); ++i) {
    auto* type = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(order, i));
    if (!PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE)) continue;
    PyObject* dictionary = type_dictionary(type);
    PyObject* name = nullptr;
    PyObject* descriptor = nullptr;
    Py_ssize_t position = 0;
    while (dictionary != nullptr && PyDict_Next(dictionary, &position, &name, &descriptor)) {
      PyObject* value = slot_value(object, descriptor);
      if (value == nullptr) continue;
      visit(name, value);
      Py_DECREF(value);
    }
    Py_XDECREF(dictionary);
  }
}

}  // namespace samebits::python
