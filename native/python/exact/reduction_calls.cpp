// Sums and softmax, as Python calls them.
#include "python/exact/arguments.hpp"
#include "python/exact/kernel_calls.hpp"
#include "python/exact/rows_call.hpp"

namespace samebits::python::exact_arithmetic {
namespace {

template <class T>
void fill_rows(exact::RowSums<T>& r, const View& x, const View* y, const View& out, const nb::tuple& geometry, int what) {
  r.x = static_cast<const T*>(x.data);
  r.y = y == nullptr ? r.x : static_cast<const T*>(y->data);
  r.out = static_cast<T*>(out.data);
  long* fields[] = {&r.outer, &r.outer_step, &r.inner, &r.inner_step, &r.pieces, &r.piece_step, &r.length};
  for (int i = 0; i < 7; ++i) *fields[i] = nb::cast<long>(geometry[i]);
  r.summand = static_cast<exact::Summand>(what);
  if (r.outer * r.inner != out.numel()) refuse("sums");
  if (out.numel() > 0 && r.length > 0 && r.pieces > 0) {
    check_reach(x, (r.outer - 1) * r.outer_step + (r.inner - 1) * r.inner_step + (r.pieces - 1) * r.piece_step + r.length);
  }
}

void sum_rows(nb::handle out_tensor, nb::handle x_tensor, nb::handle y_tensor, nb::tuple geometry, int what) {
  const View x = need(x_tensor, "x");
  View y;
  const bool pair = !y_tensor.is_none();
  if (pair) y = need_contiguous(y_tensor, x.dtype, x.numel(), "y");
  const View out = need_contiguous(out_tensor, x.dtype, -1, "out");
  bool done = false;
  const double size = static_cast<double>(x.numel());
  if (x.dtype == DType::kFloat32) {
    exact::RowSums<float> r;
    fill_rows(r, x, pair ? &y : nullptr, out, geometry, what);
    work(size, [&](int threads) { done = kernels().sum_rows_f32(r, threads); });
  } else if (x.dtype == DType::kFloat64) {
    exact::RowSums<double> r;
    fill_rows(r, x, pair ? &y : nullptr, out, geometry, what);
    work(size, [&](int threads) { done = kernels().sum_rows_f64(r, threads); });
  } else {
    refuse("sums are made in float32 and float64");
  }
  if (!done) no_memory();
}

template <class T>
exact::ColumnSums<T> column_sums(const View& x, const View& out, int what) {
  exact::ColumnSums<T> c;
  c.x = static_cast<const T*>(x.data);
  c.out = static_cast<T*>(out.data);
  c.batches = x.shape[0];
  c.batch_step = x.strides[0];
  c.rows = x.shape[1];
  c.row_step = x.strides[1];
  c.columns = x.shape[2];
  c.summand = static_cast<exact::Summand>(what);
  return c;
}

// out[b, j] = the sum over i of x[b, i, j]
void sum_columns(nb::handle out_tensor, nb::handle x_tensor, int what) {
  const View x = need(x_tensor, "x");
  if (x.ndim != 3 || (x.strides[2] != 1 && x.shape[2] > 1)) refuse("x");
  const View out = need_contiguous(out_tensor, x.dtype, x.shape[0] * x.shape[2], "out");
  bool done = false;
  const double size = static_cast<double>(x.numel());
  if (x.dtype == DType::kFloat32) {
    const auto c = column_sums<float>(x, out, what);
    work(size, [&](int threads) { done = kernels().sum_columns_f32(c, threads); });
  } else if (x.dtype == DType::kFloat64) {
    const auto c = column_sums<double>(x, out, what);
    work(size, [&](int threads) { done = kernels().sum_columns_f64(c, threads); });
  } else {
    refuse("sums are made in float32 and float64");
  }
  if (!done) no_memory();
}

exact::Rows rows_in(const View& x) {
  const long n = x.ndim == 0 ? 1 : x.shape[x.ndim - 1];
  return {n == 0 ? 0 : static_cast<long>(x.numel() / n), n};
}

template <auto Member>
void one_to_one(nb::handle out_tensor, nb::handle x_tensor) {
  const View x = need_contiguous(x_tensor, DType::kFloat32, -1, "x");
  const View out = need_contiguous(out_tensor, DType::kFloat32, x.numel(), "out");
  work(static_cast<double>(x.numel()) * 4, [&](int threads) {
    (kernels().*Member)(rows_in(x), static_cast<const float*>(x.data), static_cast<float*>(out.data), threads);
  });
}

template <auto Member>
void two_to_one(nb::handle out_tensor, nb::handle grad_tensor, nb::handle y_tensor) {
  const View y = need_contiguous(y_tensor, DType::kFloat32, -1, "y");
  const View grad = need_contiguous(grad_tensor, DType::kFloat32, y.numel(), "grad");
  const View out = need_contiguous(out_tensor, DType::kFloat32, y.numel(), "out");
  work(static_cast<double>(y.numel()) * 4, [&](int threads) {
    (kernels().*Member)(rows_in(y), static_cast<const float*>(grad.data), static_cast<const float*>(y.data),
                        static_cast<float*>(out.data), threads);
  });
}

bool is_last_axis(PyObject* given, int ndim) {
  if (!PyLong_CheckExact(given)) return false;
  const long dim = PyLong_AsLong(given);
  if (dim == -1 && PyErr_Occurred()) PyErr_Clear();  // a number beyond 64 bits: torch refuses it
  return ndim > 0 && (dim == -1 || dim == ndim - 1);
}

bool is_plain_rows(PyObject* tensor, View* view) {
  return view_of(tensor, view) && view->dtype == DType::kFloat32 && view->numel() > 0 && view->contiguous();
}

}  // namespace

// (x, dim, whether a half becomes binary32) or (grad, y, dim, dtype of the operand)
PyObject* rows_of(int rows, PyObject* args) {
  const bool backward = rows >= 2;
  View grad, x;
  const Py_ssize_t count = PyTuple_GET_SIZE(args);
  const auto given = [&](int place) { return PyTuple_GET_ITEM(args, place); };
  const bool fits = backward ? count == 4 && given(3) == g_torch.dtypes[static_cast<int>(DType::kFloat32)] &&
                                   is_plain_rows(given(0), &grad) && is_plain_rows(given(1), &x) &&
                                   is_last_axis(given(2), x.ndim) && grad.same_shape(x)
                             : count == 3 && given(2) == Py_False && is_plain_rows(given(0), &x) &&
                                   is_last_axis(given(1), x.ndim);
  if (!fits) return Py_NewRef(Py_NotImplemented);
  PyObject* result = new_tensor(DType::kFloat32, x.ndim, x.shape, nullptr);
  View out;
  if (result == nullptr || !view_of(result, &out)) return result;
  const auto* from = static_cast<const float*>(x.data);
  auto* to = static_cast<float*>(out.data);
  work(static_cast<double>(x.numel()) * 4, [&](int threads) {
    const auto* slopes = static_cast<const float*>(grad.data);
    if (rows == 0) kernels().softmax(rows_in(x), from, to, threads);
    else if (rows == 1) kernels().log_softmax(rows_in(x), from, to, threads);
    else if (rows == 2) kernels().softmax_backward(rows_in(x), slopes, from, to, threads);
    else kernels().log_softmax_backward(rows_in(x), slopes, from, to, threads);
  });
  return result;
}

void add_reduction_calls(nb::module_& module) {
  module.def("sum_rows", sum_rows, nb::arg("out"), nb::arg("x"), nb::arg("y").none(), nb::arg("geometry"),
             nb::arg("summand"), "Sums of runs; geometry is (outer, step, inner, step, pieces, step, length).");
  module.def("sum_columns", sum_columns, nb::arg("out"), nb::arg("x"), nb::arg("summand"),
             "out[b, j] = the sum over i of x[b, i, j].");
  module.def("softmax", one_to_one<&exact::Kernels::softmax>, nb::arg("out"), nb::arg("x"), "Over the last axis.");
  module.def("log_softmax", one_to_one<&exact::Kernels::log_softmax>, nb::arg("out"), nb::arg("x"), "Over the last axis.");
  module.def("softmax_backward", two_to_one<&exact::Kernels::softmax_backward>, nb::arg("out"), nb::arg("grad"),
             nb::arg("y"), "Over the last axis.");
  module.def("log_softmax_backward", two_to_one<&exact::Kernels::log_softmax_backward>, nb::arg("out"),
             nb::arg("grad"), nb::arg("y"), "Over the last axis.");
}

}  // namespace samebits::python::exact_arithmetic
