#include "python/exact/tensors.hpp"

namespace samebits::python::exact_arithmetic {

Torch g_torch;

bool View::contiguous() const {
  if (numel() == 0) return true;
  int64_t expected = 1;
  for (int d = ndim - 1; d >= 0; --d) {
    if (shape[d] == 1) continue;
    if (strides[d] != expected) return false;
    expected *= shape[d];
  }
  return true;
}

bool view_of(PyObject* tensor, View* out) {
  if (!g_torch.ready || !g_torch.access.is_tensor(tensor)) return false;
  TensorView view;
  if (!g_torch.access.view(tensor, &view) || !view.on_cpu) return false;
  out->dtype = g_torch.kinds[view.dtype_code];
  if (out->dtype == DType::kNone) return false;
  out->data = const_cast<void*>(view.data);
  out->ndim = view.ndim;
  for (int d = 0; d < view.ndim; ++d) {
    out->shape[d] = view.shape[d];
    out->strides[d] = view.strides[d];
  }
  return true;
}

namespace {

PyObject* tuple_of(int n, const int64_t* values) {
  PyObject* tuple = PyTuple_New(n);
  if (tuple == nullptr) return nullptr;
  for (int i = 0; i < n; ++i) {
    PyObject* value = PyLong_FromLongLong(values[i]);
    if (value == nullptr) {
      Py_DECREF(tuple);
      return nullptr;
    }
    PyTuple_SET_ITEM(tuple, i, value);
  }
  return tuple;
}

// A tensor of torch's default dtype on its default device, which are seldom others than these: naming them
// takes as long as the memory. Null where they are others.
PyObject* by_default(PyObject* const* sizes_and_steps, DType dtype) {
  PyObject* result = PyObject_Vectorcall(g_torch.empty_strided, sizes_and_steps, 2 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
  View view;
  if (result != nullptr && view_of(result, &view) && view.dtype == dtype) return result;
  PyErr_Clear();  // the default device may not even be there
  Py_XDECREF(result);
  return nullptr;
}

}  // namespace

PyObject* new_tensor(DType dtype, int ndim, const int64_t* shape, const int64_t* strides) {
  int64_t row_major[samebits::exact::kMaxDims];
  if (strides == nullptr) {
    int64_t step = 1;
    for (int d = ndim - 1; d >= 0; --d) {
      row_major[d] = step;
      step *= shape[d] > 1 ? shape[d] : 1;
    }
    strides = row_major;
  }
  PyObject* arguments[5] = {nullptr, tuple_of(ndim, shape), tuple_of(ndim, strides),
                            g_torch.dtypes[static_cast<int>(dtype)], g_torch.cpu};
  PyObject* result = nullptr;
  if (arguments[1] != nullptr && arguments[2] != nullptr) {
    if (dtype == DType::kFloat32) result = by_default(arguments + 1, dtype);
    if (result == nullptr) {
      result = PyObject_Vectorcall(g_torch.empty_strided, arguments + 1, 2 | PY_VECTORCALL_ARGUMENTS_OFFSET, g_torch.empty_names);
    }
  }
  Py_XDECREF(arguments[1]);
  Py_XDECREF(arguments[2]);
  return result;
}

int thread_count() {
  PyObject* answer = PyObject_CallNoArgs(g_torch.get_num_threads);
  if (answer == nullptr) {
    PyErr_Clear();
    return 1;
  }
  const long count = PyLong_AsLong(answer);
  Py_DECREF(answer);
  return count < 1 ? 1 : static_cast<int>(count);
}

}  // namespace samebits::python::exact_arithmetic
