#include "python/exact/gate.hpp"

#include "python/exact/tensors.hpp"

namespace samebits::python::exact_arithmetic {
namespace {

bool has(uint64_t dtypes, long code) { return code > 0 && code < 64 && ((dtypes >> code) & 1) != 0; }

bool admitted(PyObject* value, uint64_t dtypes);

bool all_admitted(PyObject* const* values, Py_ssize_t count, uint64_t dtypes) {
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!admitted(values[i], dtypes)) return false;
  }
  return true;
}

// The commonest kinds first: a pointer comparison each.
bool admitted(PyObject* value, uint64_t dtypes) {
  PyTypeObject* type = Py_TYPE(value);
  if (value == Py_None || type == &PyLong_Type || type == &PyFloat_Type || type == &PyBool_Type) return true;
  if (g_torch.access.is_tensor(value)) return has(dtypes, g_torch.access.plain_dtype(value));
  if (type == &PyList_Type) return all_admitted(PySequence_Fast_ITEMS(value), PyList_GET_SIZE(value), dtypes);
  if (type == &PyTuple_Type) return all_admitted(PySequence_Fast_ITEMS(value), PyTuple_GET_SIZE(value), dtypes);
  if (type == &PyComplex_Type) return false;
  if (type == g_torch.dtype_type) {
    PyObject* code = PyDict_GetItemWithError(g_torch.dtype_codes, value);
    const bool good = code != nullptr && has(dtypes, PyLong_AsLong(code));
    PyErr_Clear();
    return good;
  }
  if (type == Py_TYPE(g_torch.strided)) return value == g_torch.strided;
  if (type == Py_TYPE(g_torch.cpu)) {
    const int same = PyObject_RichCompareBool(value, g_torch.cpu, Py_EQ);
    PyErr_Clear();
    return same == 1;
  }
  return true;  // memory formats, generators, names: no values
}

}  // namespace

bool plainly_admitted(PyObject* args, PyObject* kwargs, uint64_t dtypes) {
  if (!admitted(args, dtypes)) return false;
  if (kwargs == nullptr) return true;
  Py_ssize_t place = 0;
  PyObject* name = nullptr;
  PyObject* value = nullptr;
  while (PyDict_Next(kwargs, &place, &name, &value)) {
    if (!admitted(value, dtypes)) return false;
  }
  return true;
}

}  // namespace samebits::python::exact_arithmetic
