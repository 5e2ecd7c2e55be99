#include "python/exact/gate.hpp"

#include "exact/overlap.hpp"
#include "python/exact/tensors.hpp"

namespace samebits::python::exact_arithmetic {
namespace {

constexpr uint64_t kNumbersMatter = uint64_t{1} << 63;

class Look {
 public:
  explicit Look(uint64_t dtypes) : dtypes_(dtypes) {}

  // The commonest kinds first: a pointer comparison each.
  bool admitted(PyObject* value) {
    PyTypeObject* type = Py_TYPE(value);
    if (value == Py_None || type == &PyLong_Type || type == &PyBool_Type) return true;
    if (type == &PyFloat_Type) return numbers_ = true;
    if (g_torch.access.is_tensor(value)) {
      const uint8_t code = g_torch.access.plain_dtype(value);
      tensors_ = true;
      note(g_torch.kinds[code]);
      return has(code);
    }
    if (type == &PyList_Type) return all_admitted(PySequence_Fast_ITEMS(value), PyList_GET_SIZE(value));
    if (type == &PyTuple_Type) return all_admitted(PySequence_Fast_ITEMS(value), PyTuple_GET_SIZE(value));
    if (type == &PyComplex_Type) return false;
    if (type == g_torch.dtype_type) return dtype_admitted(value);
    if (type == Py_TYPE(g_torch.strided)) return value == g_torch.strided;
    if (type == Py_TYPE(g_torch.cpu)) {
      const int same = PyObject_RichCompareBool(value, g_torch.cpu, Py_EQ);
      PyErr_Clear();
      return same == 1;
    }
    return true;  // memory formats, generators, names: no values
  }

  // Whether a number is rounded, or may be, to a half: torch would round it twice.
  bool numbers_need_care() const {
    return (dtypes_ & kNumbersMatter) != 0 && numbers_ && (halves_ || !(tensors_ || asked_));
  }

 private:
  bool has(long code) const { return code > 0 && code < 63 && ((dtypes_ >> code) & 1) != 0; }

  void note(DType kind) {
    halves_ = halves_ || kind == DType::kFloat16 || kind == DType::kBFloat16;
    numbers_ = numbers_ || kind == DType::kFloat64;
  }

  bool dtype_admitted(PyObject* dtype) {
    PyObject* number = PyDict_GetItemWithError(g_torch.dtype_codes, dtype);
    const long code = number == nullptr ? 0 : PyLong_AsLong(number);
    PyErr_Clear();
    asked_ = true;
    if (code > 0 && code < 256 && g_torch.kinds[code] != DType::kFloat64) note(g_torch.kinds[code]);
    return has(code);
  }

  bool all_admitted(PyObject* const* values, Py_ssize_t count) {
    for (Py_ssize_t i = 0; i < count; ++i) {
      if (!admitted(values[i])) return false;
    }
    return true;
  }

  uint64_t dtypes_;
  bool numbers_ = false;  // of binary64
  bool halves_ = false;
  bool tensors_ = false;
  bool asked_ = false;  // for a dtype
};

bool overlapping(PyObject* value) {
  if (PyList_CheckExact(value) || PyTuple_CheckExact(value)) {
    PyObject* const* items = PySequence_Fast_ITEMS(value);
    const Py_ssize_t count = PySequence_Fast_GET_SIZE(value);
    for (Py_ssize_t i = 0; i < count; ++i) {
      if (overlapping(items[i])) return true;
    }
    return false;
  }
  TensorView view;
  if (!g_torch.access.is_tensor(value) || !g_torch.access.view(value, &view)) return false;
  return !view.is_contiguous() && samebits::exact::may_overlap(view.ndim, view.shape, view.strides);
}

}  // namespace

bool overlaps(PyObject* args, PyObject* kwargs, const std::vector<int>& places, const std::vector<PyObject*>& names) {
  for (const int place : places) {
    if (place < PyTuple_GET_SIZE(args) && overlapping(PyTuple_GET_ITEM(args, place))) return true;
  }
  if (kwargs == nullptr) return false;
  for (PyObject* name : names) {
    PyObject* value = PyDict_GetItemWithError(kwargs, name);
    if (value != nullptr && overlapping(value)) return true;
  }
  return false;
}

bool plainly_admitted(PyObject* args, PyObject* kwargs, uint64_t dtypes) {
  Look look(dtypes);
  if (!look.admitted(args)) return false;
  if (kwargs != nullptr) {
    Py_ssize_t place = 0;
    PyObject* name = nullptr;
    PyObject* value = nullptr;
    while (PyDict_Next(kwargs, &place, &name, &value)) {
      if (!look.admitted(value)) return false;
    }
  }
  return !look.numbers_need_care();
}

}  // namespace samebits::python::exact_arithmetic
