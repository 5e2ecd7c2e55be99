#include "python/exact/shortcuts.hpp"

#include "python/exact/class_loss_call.hpp"
#include "python/exact/elementwise_call.hpp"
#include "python/exact/product_call.hpp"
#include "python/exact/rows_call.hpp"
#include "python/exact/sum_call.hpp"
#include "python/exact/tensors.hpp"

namespace samebits::python::exact_arithmetic {
namespace {

PyObject* declined() { return Py_NewRef(Py_NotImplemented); }

bool is_floating(PyObject* tensor) {
  View view;
  return view_of(tensor, &view) && view.dtype >= DType::kFloat16;
}

PyObject* unary(const Plain& plain, PyObject* args, bool in_place) {
  if (PyTuple_GET_SIZE(args) != 1) return declined();
  const double none[4] = {};
  PyObject* x = PyTuple_GET_ITEM(args, 0);
  return elementwise_of(plain.tensors, in_place ? x : nullptr, &x, 1, none);
}

PyObject* binary(const Plain& plain, PyObject* args, bool in_place) {
  if (PyTuple_GET_SIZE(args) != 2) return declined();
  PyObject* pair[] = {PyTuple_GET_ITEM(args, 0), PyTuple_GET_ITEM(args, 1)};
  double numbers[4] = {};
  PyObject* out = in_place ? pair[0] : nullptr;
  if (!PyFloat_CheckExact(pair[1]) && !PyLong_CheckExact(pair[1])) {
    return elementwise_of(plain.tensors, out, pair, 2, numbers);
  }
  if (plain.number < 0 || !is_floating(pair[0])) return declined();
  numbers[0] = PyFloat_AsDouble(pair[1]);
  if (numbers[0] == -1.0 && PyErr_Occurred()) {
    PyErr_Clear();  // a whole number beyond binary64
    return declined();
  }
  if (plain.negated) numbers[0] = -numbers[0];
  return elementwise_of(plain.number, out, pair, 1, numbers);
}

// A tensor, then axes and whether they stay.
PyObject* sum(PyObject* args) {
  const Py_ssize_t count = PyTuple_GET_SIZE(args);
  if (count < 1 || count > 3) return declined();
  bool keepdim = false;
  if (count == 3) {
    PyObject* given = PyTuple_GET_ITEM(args, 2);
    if (!PyBool_Check(given)) return declined();
    keepdim = given == Py_True;
  }
  return sum_of(PyTuple_GET_ITEM(args, 0), count > 1 ? PyTuple_GET_ITEM(args, 1) : nullptr, keepdim);
}

}  // namespace

PyObject* take_shortcut(const Plain& plain, PyObject* args, PyObject* kwargs) {
  if (kwargs != nullptr && PyDict_GET_SIZE(kwargs) != 0) return declined();
  switch (plain.kind) {
    case Shortcut::kUnary: return unary(plain, args, false);
    case Shortcut::kUnaryInPlace: return unary(plain, args, true);
    case Shortcut::kBinary: return binary(plain, args, false);
    case Shortcut::kBinaryInPlace: return binary(plain, args, true);
    case Shortcut::kProduct:
      if (PyTuple_GET_SIZE(args) != 2) return declined();
      return product_of(PyTuple_GET_ITEM(args, 0), PyTuple_GET_ITEM(args, 1), nullptr, 1, 1);
    case Shortcut::kProductAdded:
      if (PyTuple_GET_SIZE(args) != 3) return declined();
      return product_of(PyTuple_GET_ITEM(args, 1), PyTuple_GET_ITEM(args, 2), PyTuple_GET_ITEM(args, 0), 1, 1);
    case Shortcut::kSum: return sum(args);
    case Shortcut::kRows: return rows_of(plain.tensors, args);
    case Shortcut::kClassLoss: return class_loss_of(args);
    case Shortcut::kClassLossBackward: return class_loss_backward_of(args);
    case Shortcut::kNone: break;
  }
  return declined();
}

}  // namespace samebits::python::exact_arithmetic
