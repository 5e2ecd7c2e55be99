#include "python/exact/elementwise_call.hpp"

#include <utility>

#include "python/exact/tensors.hpp"

namespace samebits::python::exact_arithmetic {
namespace {

using samebits::exact::Elementwise;
using samebits::exact::ElementwiseCall;
using samebits::exact::kMaxDims;
using samebits::exact::Operand;

bool is_floating(DType dtype) { return dtype >= DType::kFloat16; }

PyObject* not_implemented() { return Py_NewRef(Py_NotImplemented); }

// torch's rule, as far as it needs no thought: tensors with axes decide; those without follow.
DType common_dtype(const View* views, int count) {
  DType decided = DType::kNone;
  for (const bool with_axes : {true, false}) {
    for (int t = 0; t < count; ++t) {
      if ((views[t].ndim > 0) != with_axes) continue;
      if (decided == DType::kNone) decided = views[t].dtype;
      if (views[t].dtype != decided) return DType::kNone;
    }
    if (decided != DType::kNone) break;
  }
  return is_floating(decided) ? decided : DType::kNone;
}

bool broadcast_shape(const View* views, int count, ElementwiseCall* call) {
  call->ndim = 0;
  for (int t = 0; t < count; ++t) {
    if (views[t].ndim > call->ndim) call->ndim = views[t].ndim;
  }
  for (int d = 0; d < call->ndim; ++d) call->shape[d] = 1;
  for (int t = 0; t < count; ++t) {
    const int shift = call->ndim - views[t].ndim;
    for (int d = 0; d < views[t].ndim; ++d) {
      int64_t& size = call->shape[d + shift];
      if (views[t].shape[d] == size || views[t].shape[d] == 1) continue;
      if (size != 1) return false;
      size = views[t].shape[d];
    }
  }
  return true;
}

void place(const View& view, const ElementwiseCall& call, Operand* operand) {
  operand->data = view.data;
  operand->dtype = view.dtype;
  const int shift = call.ndim - view.ndim;
  for (int d = 0; d < call.ndim; ++d) {
    const bool broadcast = d < shift || (view.shape[d - shift] == 1 && call.shape[d] != 1);
    operand->strides[d] = broadcast ? 0 : view.strides[d - shift];
  }
}

// The order of axes in memory that torch gives a result: that of its operands, the first one's
// word counting first. Returns whether it is row-major.
bool result_strides(const ElementwiseCall& call, int64_t* strides) {
  int order[kMaxDims];  // fastest first
  for (int d = 0; d < call.ndim; ++d) order[d] = call.ndim - 1 - d;
  const auto compare = [&](int a, int b) {
    for (int t = 0; t < call.inputs; ++t) {
      const int64_t first = call.in[t].strides[a];
      const int64_t second = call.in[t].strides[b];
      if (first == 0 || second == 0) continue;
      if (first != second) return first < second ? -1 : 1;
      if (call.shape[a] > call.shape[b]) return 1;
    }
    return 0;
  };
  for (int i = 1; i < call.ndim; ++i) {
    int moving = i;
    for (int j = i - 1; j >= 0; --j) {
      const int verdict = compare(order[j], order[moving]);
      if (verdict < 0) break;
      if (verdict > 0) {
        std::swap(order[j], order[moving]);
        moving = j;
      }
    }
  }
  int64_t step = 1;
  bool row_major = true;
  for (int d = 0; d < call.ndim; ++d) {
    row_major &= order[d] == call.ndim - 1 - d;
    strides[order[d]] = step;
    step *= call.shape[order[d]] > 0 ? call.shape[order[d]] : 1;
  }
  return row_major;
}

struct Extent {
  const char* begin;
  const char* end;
};
Extent extent_of(const View& view) {
  int64_t low = 0;
  int64_t high = 0;
  for (int d = 0; d < view.ndim; ++d) {
    if (view.shape[d] == 0) return {nullptr, nullptr};
    const int64_t reach = (view.shape[d] - 1) * view.strides[d];
    (reach < 0 ? low : high) += reach;
  }
  const int64_t size = samebits::exact::size_of(view.dtype);
  const char* data = static_cast<const char*>(view.data);
  return {data + low * size, data + (high + 1) * size};
}

bool dense(const View& view, const Extent& extent) {
  return extent.end - extent.begin == view.numel() * samebits::exact::size_of(view.dtype);
}

bool writable_once(const View& out) {
  if (out.numel() == 0) return true;  // nothing is written; torch keeps an expanded one's steps
  for (int d = 0; d < out.ndim; ++d) {
    if (out.strides[d] == 0 && out.shape[d] > 1) {
      PyErr_SetString(PyExc_RuntimeError,
                      "the tensor to write to holds several elements in one place (it was expanded); "
                      "clone() it first");
      return false;
    }
  }
  return true;
}

enum class Sharing { kNone, kSomehow, kRefused };

// How operand t lies to the target: elsewhere or exactly there, among its elements, or (as torch
// does not allow) shifted against it.
Sharing sharing(const View& out, const View& view, int t, const ElementwiseCall& call) {
  const Extent written = extent_of(out);
  const Extent read = extent_of(view);
  if (read.begin >= written.end || written.begin >= read.end) return Sharing::kNone;
  bool same = view.data == out.data && view.dtype == out.dtype;
  for (int d = 0; d < call.ndim; ++d) {
    if (call.shape[d] > 1) same &= call.in[t].strides[d] == call.out.strides[d];
  }
  if (same) return Sharing::kNone;
  return dense(out, written) && dense(view, read) ? Sharing::kRefused : Sharing::kSomehow;
}

// A copy of an operand, in memory of its own.
PyObject* copied(PyObject* tensor) {
  const double none[4] = {};
  return elementwise_of(static_cast<int>(Elementwise::copy), nullptr, &tensor, 1, none);
}

}  // namespace

PyObject* elementwise_of(int operation, PyObject* out, PyObject* const* tensors, int count,
                         const double* scalars) {
  ElementwiseCall call;
  View views[3];
  for (int t = 0; t < count; ++t) {
    if (!view_of(tensors[t], &views[t])) return not_implemented();
  }
  call.operation = static_cast<Elementwise>(operation);
  call.inputs = count;
  for (int i = 0; i < 4; ++i) call.scalars[i] = scalars[i];
  const DType common = common_dtype(views, count);
  if (common == DType::kNone || !broadcast_shape(views, count, &call)) return not_implemented();
  call.in_f64 = common == DType::kFloat64;
  for (int t = 0; t < count; ++t) place(views[t], call, &call.in[t]);

  PyObject* result = nullptr;
  View target;
  if (out == nullptr) {
    int64_t strides[kMaxDims];
    const bool row_major = result_strides(call, strides);
    result = new_tensor(common, call.ndim, call.shape, row_major ? nullptr : strides);
    if (result == nullptr) return nullptr;
    if (!view_of(result, &target)) {
      Py_DECREF(result);
      return not_implemented();
    }
    place(target, call, &call.out);
  } else {
    if (!view_of(out, &target) || !is_floating(target.dtype) || target.ndim != call.ndim) return not_implemented();
    for (int d = 0; d < call.ndim; ++d) {
      if (target.shape[d] != call.shape[d]) return not_implemented();
    }
    place(target, call, &call.out);
    if (!writable_once(target)) return nullptr;
    for (int t = 0; t < count; ++t) {
      const Sharing how = sharing(target, views[t], t, call);
      if (how == Sharing::kNone) continue;
      if (how == Sharing::kRefused) {
        PyErr_SetString(PyExc_RuntimeError,
                        "the tensor to write to shares a part of its memory with an operand; clone() one "
                        "of them first");
        return nullptr;
      }
      PyObject* own = copied(tensors[t]);
      if (own == nullptr || own == Py_NotImplemented) return own;
      PyObject* replaced[3] = {tensors[0], count > 1 ? tensors[1] : nullptr, count > 2 ? tensors[2] : nullptr};
      replaced[t] = own;
      PyObject* done = elementwise_of(operation, out, replaced, count, scalars);
      Py_DECREF(own);
      return done;
    }
    result = Py_NewRef(out);
  }
  const int64_t elements = target.numel();
  bool ran;
  if (elements < 32768) {
    ran = run_elementwise(call, 1);
  } else {
    const int threads = thread_count();
    Py_BEGIN_ALLOW_THREADS;
    ran = run_elementwise(call, threads);
    Py_END_ALLOW_THREADS;
  }
  if (!ran) {
    Py_DECREF(result);
    return not_implemented();
  }
  return result;
}

PyObject* elementwise(int operation, PyObject* out, PyObject* tensors, PyObject* scalars) {
  const Py_ssize_t count = PyTuple_Check(tensors) ? PyTuple_GET_SIZE(tensors) : 0;
  const Py_ssize_t numbers = PyTuple_Check(scalars) ? PyTuple_GET_SIZE(scalars) : 5;
  if (count < 1 || count > 3 || numbers > 4) {
    PyErr_SetString(PyExc_TypeError, "expected a tuple of one to three tensors, and one of up to four numbers");
    return nullptr;
  }
  double values[4] = {};
  for (Py_ssize_t i = 0; i < numbers; ++i) {
    values[i] = PyFloat_AsDouble(PyTuple_GET_ITEM(scalars, i));
    if (values[i] == -1.0 && PyErr_Occurred()) return nullptr;
  }
  PyObject* items[3];
  for (Py_ssize_t t = 0; t < count; ++t) items[t] = PyTuple_GET_ITEM(tensors, t);
  return elementwise_of(operation, out == Py_None ? nullptr : out, items, static_cast<int>(count), values);
}

}  // namespace samebits::python::exact_arithmetic
