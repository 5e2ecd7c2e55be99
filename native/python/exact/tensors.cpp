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

}  // namespace

PyObject* new_tensor(DType dtype, int ndim, const int64_t* shape, const int64_t* strides) {
  PyObject* sizes = tuple_of(ndim, shape);
  if (sizes == nullptr) return nullptr;
  PyObject* steps = strides != nullptr ? tuple_of(ndim, strides) : nullptr;
  PyObject* result = nullptr;
  if (strides == nullptr || steps != nullptr) {
    PyObject* arguments[5] = {nullptr, sizes};
    int count = 1;
    if (steps != nullptr) arguments[1 + count++] = steps;
    const int positional = count;
    arguments[1 + count++] = g_torch.dtypes[static_cast<int>(dtype)];
    arguments[1 + count] = g_torch.cpu;
    result = PyObject_Vectorcall(steps != nullptr ? g_torch.empty_strided : g_torch.empty, arguments + 1,
                                 static_cast<size_t>(positional) | PY_VECTORCALL_ARGUMENTS_OFFSET,
                                 g_torch.empty_names);
  }
  Py_DECREF(sizes);
  Py_XDECREF(steps);
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
