#include "python/values/plain_digest.hpp"

#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "python/replacement.hpp"
#include "record/mix.hpp"

namespace samebits::python {
namespace {

constexpr int kDeepest = 12;
constexpr size_t kFewestDigits = 6;  // of an address, in hexadecimal

uint64_t of_name(const char* name) { return record::chain_bytes(3, name, std::strlen(name)); }

uint64_t of_double(double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, 8);
  return bits;
}

// A string's characters as they are stored: one width for one content.
const void* characters(PyObject* text, size_t* size) {
  *size = static_cast<size_t>(PyUnicode_GET_LENGTH(text)) * PyUnicode_KIND(text);
  return PyUnicode_DATA(text);
}

std::string temporary_folder() {
  for (const char* name : {"TMPDIR", "TEMP", "TMP"}) {
    const char* folder = std::getenv(name);
    if (folder == nullptr || *folder == '\0') continue;
    const std::string given = folder;
    return given.back() == '/' ? given : given + "/";
  }
  return "/tmp/";
}

// Where the name of something in the folder for temporary files ends; what is before it is `begin`.
// 0 where a text names nothing there.
size_t end_of_temporary_name(std::string_view text, size_t* begin) {
  static const std::string folder = temporary_folder();
  const size_t found = text.find(folder);
  if (found == std::string_view::npos) return 0;
  *begin = found + folder.size();
  const size_t end = text.find_first_of("/ '\",:;)", *begin);
  return end == std::string_view::npos ? text.size() : end;
}

// Whether a text holds an address, as Python writes one where an object has no text of its own.
bool holds_address(PyObject* value) {
  if (PyUnicode_KIND(value) != PyUnicode_1BYTE_KIND) return false;
  size_t size = 0;
  const void* first = characters(value, &size);
  const std::string_view content(static_cast<const char*>(first), size);
  constexpr std::string_view kBefore = " at 0x";
  const size_t found = content.find(kBefore);
  if (found == std::string_view::npos) return false;
  const size_t begin = found + kBefore.size();
  const size_t end = content.find_first_not_of("0123456789abcdef", begin);
  return (end == std::string_view::npos ? size : end) - begin >= kFewestDigits;
}

}  // namespace

void PlainDigest::init(Recorder* recorder, PyObject* kind_of_module, PyObject* known) {
  recorder_ = recorder;
  kind_of_module_ = owned_.keep(kind_of_module);
  known_ = owned_.keep(known);
}

PlainDigest::Result PlainDigest::of(PyObject* value, const Reach& reach) {
  if (value == nullptr) return {0, ValueKind::kUnbound};
  Budget budget{reach.nodes, reach.bytes, reach.objects, kDeepest};
  return walk(value, budget);
}

PlainDigest::Result PlainDigest::walk(PyObject* value, Budget& budget) {
  --budget.nodes;
  value = replaced_by(value);  // what is pinned in one of two runs is the same function
  Result result{0, ValueKind::kOpaque};
  if (scalar(value, budget, &result) || container(value, budget, &result) || named(value, &result)) {
    return result;
  }
  if (recorder_->tensors.is_tensor(value)) return tensor(value, budget);
  if (buffer(value, budget, &result.hash)) {
    result.kind = ValueKind::kArray;
    return result;
  }
  return object(value, budget);
}

bool PlainDigest::scalar(PyObject* value, Budget& budget, Result* result) {
  if (value == Py_None) {
    *result = {1, ValueKind::kNone};
  } else if (PyBool_Check(value)) {
    *result = {value == Py_True ? 3u : 2u, ValueKind::kBool};
  } else if (PyLong_Check(value)) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    uint64_t hash = record::chain(4, static_cast<uint64_t>(number));
    if (overflow != 0) {
      PyObject* digits = PyNumber_ToBase(value, 16);
      if (digits != nullptr) {
        size_t size = 0;
        const void* first = characters(digits, &size);
        hash = record::chain(5, text(first, size, budget));
        Py_DECREF(digits);
      }
      PyErr_Clear();
    }
    *result = {hash, ValueKind::kInt};
  } else if (PyFloat_Check(value)) {
    *result = {record::chain(6, of_double(PyFloat_AS_DOUBLE(value))), ValueKind::kFloat};
  } else if (PyComplex_Check(value)) {
    const Py_complex number = reinterpret_cast<PyComplexObject*>(value)->cval;
    const uint64_t real = record::chain(7, of_double(number.real));
    *result = {record::chain(real, of_double(number.imag)), ValueKind::kComplex};
  } else if (PyUnicode_Check(value)) {
#if PY_VERSION_HEX < 0x030C0000
    if (PyUnicode_READY(value) != 0) PyErr_Clear();
#endif
    *result = {record::chain(8, string(value, budget)),
               holds_address(value) ? ValueKind::kAddressText : ValueKind::kStr};
  } else if (PyBytes_Check(value)) {
    const auto size = static_cast<size_t>(PyBytes_GET_SIZE(value));
    *result = {record::chain(9, text(PyBytes_AS_STRING(value), size, budget)), ValueKind::kBytes};
  } else if (PyByteArray_Check(value)) {
    const auto size = static_cast<size_t>(PyByteArray_GET_SIZE(value));
    *result = {record::chain(10, text(PyByteArray_AS_STRING(value), size, budget)), ValueKind::kBytes};
  } else {
    return false;
  }
  return true;
}

// The name that a temporary file or folder got differs in every run, and is left out.
uint64_t PlainDigest::string(PyObject* value, Budget& budget) {
  size_t size = 0;
  const void* first = characters(value, &size);
  if (PyUnicode_KIND(value) == PyUnicode_1BYTE_KIND) {
    const std::string_view content(static_cast<const char*>(first), size);
    size_t begin = 0;
    const size_t end = end_of_temporary_name(content, &begin);
    if (end > 0) {
      const uint64_t before = text(first, begin, budget);
      return record::chain(before, text(content.data() + end, size - end, budget));
    }
  }
  return text(first, size, budget);
}

bool PlainDigest::container(PyObject* value, Budget& budget, Result* result) {
  ValueKind kind = ValueKind::kOpaque;
  if (PyList_Check(value)) {
    kind = ValueKind::kList;
  } else if (PyTuple_Check(value)) {
    kind = ValueKind::kTuple;
  } else if (PyDict_Check(value)) {
    kind = ValueKind::kDict;
  } else if (PyAnySet_Check(value)) {
    kind = ValueKind::kSet;
  } else {
    return false;
  }
  uint64_t hash = static_cast<uint64_t>(kind);
  bool addresses = false;
  if (budget.depth > 0) {
    --budget.depth;
    if (kind == ValueKind::kDict) {
      hash = dictionary(value, budget, &addresses);
    } else if (kind == ValueKind::kSet) {
      hash = set(value, budget);
    } else {
      hash = sequence(value, budget, &addresses);
    }
    ++budget.depth;
  }
  *result = {record::chain(hash, 11 + static_cast<uint64_t>(kind)), addresses ? ValueKind::kAddressText : kind};
  return true;
}

uint64_t PlainDigest::sequence(PyObject* value, Budget& budget, bool* addresses) {
  const bool is_list = PyList_Check(value) != 0;
  const auto size = [&] { return is_list ? PyList_GET_SIZE(value) : PyTuple_GET_SIZE(value); };
  const Py_ssize_t count = size();
  // Of a long one, its two ends: what is appended or shuffled shows there. What elements hold may
  // use up the budget, so each end has half of it, and the second one is looked at from the last on.
  const Py_ssize_t room = budget.nodes > 2 ? static_cast<Py_ssize_t>(budget.nodes) : 2;
  const Py_ssize_t ends = count <= room ? count : room;
  const Py_ssize_t head = ends - ends / 2;
  const int64_t of_tail = budget.nodes > 0 ? budget.nodes / 2 : 0;
  uint64_t hash = static_cast<uint64_t>(count);
  const auto visit = [&](Py_ssize_t i) {
    if (i >= size()) return;
    PyObject* item = Py_NewRef(is_list ? PyList_GET_ITEM(value, i) : PyTuple_GET_ITEM(value, i));
    const Result found = walk(item, budget);
    hash = record::chain(hash, found.hash);
    *addresses |= found.kind == ValueKind::kAddressText;
    Py_DECREF(item);
  };
  budget.nodes -= of_tail;
  for (Py_ssize_t i = 0; i < head && budget.nodes > 0; ++i) visit(i);
  budget.nodes += of_tail;
  for (Py_ssize_t i = count - 1; i >= count - ends / 2 && budget.nodes > 0; --i) visit(i);
  return hash;
}

uint64_t PlainDigest::dictionary(PyObject* value, Budget& budget, bool* addresses) {
  const Py_ssize_t count = PyDict_GET_SIZE(value);
  const Py_ssize_t room = budget.nodes > 4 ? static_cast<Py_ssize_t>(budget.nodes) / 2 : 2;
  const Py_ssize_t head = count <= room ? count : room / 2;
  uint64_t hash = static_cast<uint64_t>(count);
  Py_ssize_t position = 0;
  const auto visit = [&](Py_ssize_t most) {
    PyObject* key = nullptr;
    PyObject* item = nullptr;
    for (Py_ssize_t i = 0; i < most && PyDict_Next(value, &position, &key, &item); ++i) {
      Py_INCREF(key);
      Py_INCREF(item);
      hash = record::chain(hash, walk(key, budget).hash);
      const Result found = walk(item, budget);
      hash = record::chain(hash, found.hash);
      *addresses |= found.kind == ValueKind::kAddressText;
      Py_DECREF(key);
      Py_DECREF(item);
      if (budget.nodes < -2 * room) return;
    }
  };
  visit(head);
  if (head < count) {
    // The position counts entries in order of insertion, so the newest can be gone to directly.
    const Py_ssize_t newest = count - head;
    if (newest > position) position = newest;
    visit(head);
  }
  return hash;
}

uint64_t PlainDigest::set(PyObject* value, Budget& budget) {
  const Py_ssize_t count = PySet_GET_SIZE(value);
  uint64_t hash = static_cast<uint64_t>(count);
  // Which elements a part of a set holds depends on its order, so it is all or none; and each has
  // the same share of the budget, whichever comes first.
  if (count == 0 || count > budget.nodes) return hash;
  const Budget share{budget.nodes / count, budget.bytes / count, budget.objects, budget.depth};
  const auto* raw = reinterpret_cast<PySetObject*>(value);
  uint64_t sum = 0;
  for (Py_ssize_t i = 0; i <= raw->mask; ++i) {
    PyObject* key = raw->table[i].key;
    if (key == nullptr || raw->table[i].hash == -1) continue;  // empty, or what was taken out
    Py_INCREF(key);
    Budget own = share;
    sum += record::mix(walk(key, own).hash);
    budget.nodes -= share.nodes - own.nodes;
    budget.bytes -= share.bytes - own.bytes;
    Py_DECREF(key);
  }
  return record::chain(hash, sum);
}

bool PlainDigest::named(PyObject* value, Result* result) {
  if (PyType_Check(value)) {
    *result = {of_name(reinterpret_cast<PyTypeObject*>(value)->tp_name), ValueKind::kType};
  } else if (PyModule_Check(value)) {
    *result = {0, ValueKind::kModule};
  } else if (PyCFunction_Check(value)) {
    *result = {of_name(reinterpret_cast<PyCFunctionObject*>(value)->m_ml->ml_name), ValueKind::kFunction};
  } else if (PyFunction_Check(value) || PyMethod_Check(value)) {
    PyObject* function = PyMethod_Check(value) ? replaced_by(PyMethod_GET_FUNCTION(value)) : value;
    uint64_t hash = 0;
    if (PyFunction_Check(function)) {
      size_t size = 0;
      const void* first = characters(reinterpret_cast<PyFunctionObject*>(function)->func_qualname, &size);
      hash = record::chain_bytes(12, static_cast<const char*>(first), size);
    }
    *result = {hash, ValueKind::kFunction};
  } else if (PyRange_Check(value)) {
    uint64_t hash = 13;
    for (const char* name : {"start", "stop", "step"}) {
      PyObject* part = PyObject_GetAttrString(value, name);
      Budget small{2, 64, 0, 0};
      if (part != nullptr) hash = record::chain(hash, walk(part, small).hash);
      Py_XDECREF(part);
    }
    PyErr_Clear();
    *result = {hash, ValueKind::kPlain};
  } else if (Py_TYPE(value) == &PyDictKeys_Type || Py_TYPE(value) == &PyDictValues_Type ||
             Py_TYPE(value) == &PyDictItems_Type) {
    const Py_ssize_t size = PyObject_Size(value);
    PyErr_Clear();
    *result = {record::chain(14, static_cast<uint64_t>(size)), ValueKind::kPlain};
  } else {
    return false;
  }
  return true;
}

PlainDigest::Result PlainDigest::object(PyObject* value, Budget& budget) {
  PyTypeObject* type = Py_TYPE(value);
  const uint64_t name = of_name(type->tp_name);
  const Module module = module_of(type);
  if (budget.depth <= 0 || module == Module::kOpaque) return {name, ValueKind::kOpaque};
  if (module == Module::kOwn) {
    if (budget.objects <= 0 || budget.nodes <= 0) return {name, ValueKind::kObject};
    --budget.objects;
    --budget.depth;
    const uint64_t hash = record::chain(name, attributes(value, budget));
    ++budget.depth;
    ++budget.objects;
    return {hash, ValueKind::kObject};
  }
  if (budget.nodes < 0) return {name, ValueKind::kPlain};  // a table takes long to be made plain
  PyObject* plain = PyObject_CallFunctionObjArgs(known_, value, nullptr);
  Result result{name, ValueKind::kOpaque};
  if (plain != nullptr && plain != Py_None) {
    --budget.depth;
    result = {record::chain(name, walk(plain, budget).hash), ValueKind::kPlain};
    ++budget.depth;
  }
  Py_XDECREF(plain);
  PyErr_Clear();
  return result;
}

uint64_t PlainDigest::attributes(PyObject* value, Budget& budget) {
  uint64_t hash = 15;
  PyObject* dictionary = own_dictionary(value);
  bool in_one_of_them = false;  // an object is more than a text
  if (dictionary != nullptr) hash = this->dictionary(dictionary, budget, &in_one_of_them);
  Py_XDECREF(dictionary);
  for_each_slot(value, [&](PyObject*, PyObject* content) {
    if (budget.nodes > 0) hash = record::chain(hash, walk(content, budget).hash);
  });
  return hash;
}

PlainDigest::Module PlainDigest::module_of(PyTypeObject* type) {
  std::string module;
  if (type->tp_flags & Py_TPFLAGS_HEAPTYPE) {
    static PyObject* key = PyUnicode_InternFromString("__module__");
    PyObject* text = stored_attribute(reinterpret_cast<PyObject*>(type), key);
    const char* name = text != nullptr && PyUnicode_Check(text) ? PyUnicode_AsUTF8(text) : nullptr;
    if (name != nullptr) module = name;
    PyErr_Clear();
    Py_XDECREF(text);
  } else {
    const char* dot = std::strrchr(type->tp_name, '.');
    if (dot != nullptr) module.assign(type->tp_name, dot);
  }
  auto it = modules_.find(module);
  if (it != modules_.end()) return it->second;
  Module kind = Module::kOpaque;
  PyObject* answer = PyObject_CallFunction(kind_of_module_, "s", module.c_str());
  if (answer != nullptr) kind = static_cast<Module>(PyLong_AsLong(answer));
  Py_XDECREF(answer);
  PyErr_Clear();
  return modules_.emplace(module, kind).first->second;
}

}  // namespace samebits::python
