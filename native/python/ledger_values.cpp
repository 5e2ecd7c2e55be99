#include "python/ledger_values.hpp"

namespace samebits::python {

thread_local Underway t_underway;

std::string text_of(PyObject* object) {
  if (object != nullptr && PyBytes_Check(object)) {
    return std::string(PyBytes_AS_STRING(object), static_cast<size_t>(PyBytes_GET_SIZE(object)));
  }
  if (object == nullptr || !PyUnicode_Check(object)) return {};
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(object, &size);
  if (text != nullptr) return std::string(text, static_cast<size_t>(size));
  PyErr_Clear();
  PyObject* bytes = PyUnicode_AsEncodedString(object, "utf-8", "surrogateescape");
  if (bytes == nullptr) {
    PyErr_Clear();
    return {};
  }
  std::string result = text_of(bytes);
  Py_DECREF(bytes);
  return result;
}

bool whole_number(PyObject* object, uint64_t* value) {
  PyObject* number = nullptr;
  if (PyLong_Check(object)) {
    number = Py_NewRef(object);
  } else if (starts_with(Py_TYPE(object)->tp_name, "numpy.") && PyIndex_Check(object)) {
    number = PyNumber_Index(object);
  }
  if (number == nullptr) {
    PyErr_Clear();
    return false;
  }
  *value = PyLong_AsUnsignedLongLongMask(number);
  Py_DECREF(number);
  PyErr_Clear();
  return true;
}

uint64_t digest_of(PyObject* object, int depth) {
  constexpr uint64_t kStart = kLedgerStart;
  if (is_none(object)) return chain(kStart, 1);
  if (PyLong_Check(object)) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow == 0) return chain(kStart + 2, static_cast<uint64_t>(value));
    PyErr_Clear();
    // Python's own hash of a number is the same in every process.
    return chain(kStart + 3, static_cast<uint64_t>(PyLong_Type.tp_hash(object)));
  }
  if (PyFloat_Check(object)) {
    const double value = PyFloat_AS_DOUBLE(object);
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return chain(kStart + 4, bits);
  }
  if (PyUnicode_Check(object) || PyBytes_Check(object)) {
    const std::string text = text_of(object);
    return chain_bytes(kStart + (PyBytes_Check(object) ? 6 : 5), text.data(), text.size());
  }
  uint64_t whole = 0;
  if (whole_number(object, &whole)) return chain(kStart + 2, whole);
  if (depth < 4 && (PyTuple_Check(object) || PyList_Check(object))) {
    uint64_t state = kStart + 7;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object) && i < 1024; ++i) {
      state = chain(state, digest_of(PySequence_Fast_GET_ITEM(object, i), depth + 1));
    }
    return chain(state, static_cast<uint64_t>(PySequence_Fast_GET_SIZE(object)));
  }
  if (PyByteArray_Check(object) || starts_with(Py_TYPE(object)->tp_name, "numpy.")) {
    Py_buffer buffer;
    if (PyObject_GetBuffer(object, &buffer, PyBUF_SIMPLE) == 0) {
      const uint64_t state =
          chain_bytes(kStart + 8, static_cast<const char*>(buffer.buf), static_cast<size_t>(buffer.len));
      PyBuffer_Release(&buffer);
      return state;
    }
    PyErr_Clear();
  }
  const char* type = Py_TYPE(object)->tp_name;
  return chain_bytes(kStart + 9, type, std::strlen(type));
}

const void* identity_of(PyObject* generator) {
  // A torch.Generator's Python object holds one pointer, to the generator.
  constexpr Py_ssize_t kSize = sizeof(PyObject) + sizeof(void*);
  if (generator != nullptr && is_of_type(generator, "torch._C.Generator") && Py_TYPE(generator)->tp_basicsize >= kSize) {
    const void* behind = nullptr;
    std::memcpy(&behind, reinterpret_cast<const char*>(generator) + sizeof(PyObject), sizeof behind);
    return behind;
  }
  return generator;
}

bool comes_from(uint64_t seed, int64_t number) {
  if (seed == static_cast<uint64_t>(number) || seed == uint64_t{0} - static_cast<uint64_t>(number)) return true;
  if (seed < 256) return false;  // small remainders are equal by chance
  for (const int64_t modulus :
       {int64_t{1} << 32, (int64_t{1} << 32) - 1, int64_t{1} << 31, (int64_t{1} << 31) - 1, int64_t{1} << 30,
        int64_t{1} << 24, int64_t{1} << 20, int64_t{1} << 16, int64_t{1'000'000'000}, int64_t{100'000'000},
        int64_t{10'000'000}, int64_t{1'000'000}, int64_t{100'000}, int64_t{10'000}, int64_t{1'000}}) {
    // As in Python, the remainder of a negative number is positive; as in C, it is not.
    const int64_t rest = number % modulus;
    if (seed == static_cast<uint64_t>(rest < 0 ? rest + modulus : rest)) return true;
    if (rest < 0 && seed == static_cast<uint64_t>(-rest)) return true;
  }
  return false;
}

}  // namespace samebits::python
