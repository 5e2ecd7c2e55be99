#include "python/values/element_hashes.hpp"

#include <cstring>

#include "python/values/plain_digest.hpp"

namespace samebits::python {
namespace {

constexpr int kDeepest = 4;
constexpr Py_ssize_t kFirst = 64;     // of a list or a dict
constexpr Py_ssize_t kMostNames = 16;  // in a `__hash__`

uint8_t of_one(PyObject* value, int depth);

uint8_t of_attribute(PyObject* value, PyObject* name, int depth) {
  PyObject* content = stored_attribute(value, name);
  if (content == nullptr) return kNoHash;
  const uint8_t found = of_one(content, depth - 1);
  Py_DECREF(content);
  return found;
}

const char* text(PyObject* object) {
  const char* found = object != nullptr && PyUnicode_Check(object) ? PyUnicode_AsUTF8(object) : nullptr;
  if (found == nullptr) PyErr_Clear();
  return found == nullptr ? "" : found;
}

bool is_one_of(const char* name, std::initializer_list<const char*> names) {
  for (const char* one : names) {
    if (std::strcmp(name, one) == 0) return true;
  }
  return false;
}

// The standard library's and torch's classes whose hash is written in Python.
uint8_t of_known_module(const char* module) {
  if (is_one_of(module, {"torch._tensor", "torch._ops", "weakref"})) return kByIdentity;
  if (is_one_of(module, {"enum", "pathlib", "pathlib._local", "pathlib._abc"})) return kByHashSeed;
  if (is_one_of(module, {"fractions", "_pydecimal", "uuid", "numbers"})) return kByValue;
  return kNoHash;
}

// A dataclass's own: of all fields, as it was not told which.
uint8_t of_fields(PyObject* value, PyObject* fields, int depth) {
  uint8_t found = kNoHash;
  PyObject* name = nullptr;
  PyObject* field = nullptr;
  Py_ssize_t position = 0;
  while (PyDict_Next(fields, &position, &name, &field)) found |= of_attribute(value, name, depth);
  return found == kNoHash ? kByOwnFunction : found;
}

// What a `__hash__` names: `id` asks for the address, attributes are what is hashed. Any other name
// may be that of a function, which may do anything.
uint8_t of_names(PyObject* value, PyCodeObject* code, int depth) {
  const Py_ssize_t count = PyTuple_Size(code->co_names);
  if (count > kMostNames) return kByOwnFunction;
  uint8_t found = kNoHash;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* name = PyTuple_GET_ITEM(code->co_names, i);
    if (is_one_of(text(name), {"hash", "tuple", "frozenset", "int"})) continue;
    const uint8_t one = std::strcmp(text(name), "id") == 0 ? uint8_t{kByIdentity} : of_attribute(value, name, depth);
    if (one == kNoHash) return kByOwnFunction;
    found |= one;
  }
  return found == kNoHash ? kByOwnFunction : found;
}

uint8_t of_python_function(PyObject* value, PyObject* function, int depth) {
  auto* code = reinterpret_cast<PyCodeObject*>(PyFunction_GET_CODE(function));
  static PyObject* module_key = PyUnicode_InternFromString("__name__");
  static PyObject* fields_key = PyUnicode_InternFromString("__dataclass_fields__");
  PyObject* module = PyDict_GetItemWithError(PyFunction_GET_GLOBALS(function), module_key);
  const uint8_t known = of_known_module(text(module));
  if (known != kNoHash) return known;
  // What `dataclass` writes comes from no file.
  if (text(code->co_filename)[0] == '<') {
    PyObject* fields = stored_attribute(reinterpret_cast<PyObject*>(Py_TYPE(value)), fields_key);
    if (fields != nullptr && PyDict_Check(fields)) {
      const uint8_t found = of_fields(value, fields, depth);
      Py_DECREF(fields);
      return found;
    }
    Py_XDECREF(fields);
  }
  return of_names(value, code, depth);
}

uint8_t of_items(PyObject* value, int depth) {
  uint8_t found = kNoHash;
  if (PyTuple_Check(value)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value) && i < kFirst; ++i) {
      found |= of_one(PyTuple_GET_ITEM(value, i), depth - 1);
    }
    return found == kNoHash ? uint8_t{kByValue} : found;
  }
  const auto* raw = reinterpret_cast<PySetObject*>(value);
  for (Py_ssize_t i = 0; i <= raw->mask; ++i) {
    PyObject* key = raw->table[i].key;
    if (key != nullptr && raw->table[i].hash != -1) found |= of_one(key, depth - 1);
  }
  return found == kNoHash ? uint8_t{kByValue} : found;
}

uint8_t of_one(PyObject* value, int depth) {
  PyTypeObject* type = Py_TYPE(value);
  const hashfunc hash = type->tp_hash;
  if (hash == nullptr || hash == PyObject_HashNotImplemented) return kNoHash;
#if PY_VERSION_HEX >= 0x030C0000
  if (value == Py_None) return kByValue;
#endif
  if (hash == PyUnicode_Type.tp_hash || hash == PyBytes_Type.tp_hash) return kByHashSeed;
  if (hash == PyLong_Type.tp_hash || hash == PyFloat_Type.tp_hash || hash == PyComplex_Type.tp_hash) {
    return kByValue;
  }
  if (hash == PyTuple_Type.tp_hash || hash == PyFrozenSet_Type.tp_hash) {
    return depth > 0 ? of_items(value, depth) : uint8_t{kByOwnFunction};
  }
  if (hash == PyBaseObject_Type.tp_hash || PyCFunction_Check(value) || PyMethod_Check(value)) {
    return kByIdentity;
  }
  if (is_one_of(type->tp_name, {"datetime.date", "datetime.datetime", "datetime.time", "range"})) {
    return std::strcmp(type->tp_name, "range") == 0 ? kByValue : kByHashSeed;
  }
  if (is_one_of(type->tp_name, {"datetime.timedelta", "decimal.Decimal", "torch.device", "torch.Size"})) {
    return kByValue;
  }
  if (std::strncmp(type->tp_name, "numpy.", 6) == 0) {
    if (is_one_of(type->tp_name, {"numpy.str_", "numpy.bytes_"})) return kByHashSeed;
    return std::strncmp(type->tp_name, "numpy.dtype", 11) == 0 ? kByOwnFunction : kByValue;
  }
  static PyObject* key = PyUnicode_InternFromString("__hash__");
  PyObject* function = stored_attribute(reinterpret_cast<PyObject*>(type), key);
  uint8_t found = kByOwnFunction;
  if (function != nullptr && PyFunction_Check(function) && depth > 0) {
    found = of_python_function(value, function, depth);
  }
  Py_XDECREF(function);
  PyErr_Clear();
  return found;
}

// What can be compared with what: elements of one class can, of two cannot. 0: with nothing.
const void* ordered_class(PyObject* value, int depth) {
  PyTypeObject* type = Py_TYPE(value);
  if (PyUnicode_CheckExact(value) || PyBytes_CheckExact(value)) return type;
  if (PyLong_CheckExact(value) || PyFloat_CheckExact(value) || PyBool_Check(value)) return &PyLong_Type;
  if (PyTuple_CheckExact(value)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); ++i) {
      if (depth == 0 || ordered_class(PyTuple_GET_ITEM(value, i), depth - 1) == nullptr) return nullptr;
    }
    return type;
  }
  const bool known = is_one_of(type->tp_name, {"datetime.date", "datetime.datetime", "datetime.time",
                                               "datetime.timedelta", "decimal.Decimal", "PosixPath", "Fraction"});
  return known ? type : nullptr;
}

// Adds up what is seen of several elements.
class Elements {
 public:
  void add(PyObject* element) {
    found_ |= of_one(element, kDeepest);
    const void* kind = ordered_class(element, kDeepest);
    if (kind == nullptr || (kind_ != nullptr && kind_ != kind)) found_ |= kNotOrdered;
    kind_ = kind;
  }
  uint8_t found() const { return found_; }

 private:
  uint8_t found_ = kNoHash;
  const void* kind_ = nullptr;
};

}  // namespace

uint8_t element_hashes(PyObject* value, int64_t most) {
  if (value == nullptr) return kNoHash;
  Elements elements;
  if (PyAnySet_Check(value)) {
    const auto* raw = reinterpret_cast<PySetObject*>(value);
    if (PySet_GET_SIZE(value) > most) return kNoHash;
    for (Py_ssize_t i = 0; i <= raw->mask; ++i) {
      PyObject* key = raw->table[i].key;
      if (key != nullptr && raw->table[i].hash != -1) elements.add(key);
    }
  } else if (PyList_Check(value) || PyTuple_Check(value)) {
    const bool is_list = PyList_Check(value) != 0;
    const Py_ssize_t size = is_list ? PyList_GET_SIZE(value) : PyTuple_GET_SIZE(value);
    for (Py_ssize_t i = 0; i < size && i < kFirst; ++i) {
      elements.add(is_list ? PyList_GET_ITEM(value, i) : PyTuple_GET_ITEM(value, i));
    }
  } else if (PyDict_Check(value)) {
    PyObject* key = nullptr;
    PyObject* item = nullptr;
    Py_ssize_t position = 0;
    for (Py_ssize_t i = 0; i < kFirst && PyDict_Next(value, &position, &key, &item); ++i) elements.add(key);
  } else {
    elements.add(value);
  }
  return elements.found();
}

}  // namespace samebits::python
