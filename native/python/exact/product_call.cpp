// Matrix products, as Python calls them.
#include "python/exact/arguments.hpp"
#include "python/exact/kernel_calls.hpp"
#include "python/exact/product_call.hpp"

namespace samebits::python::exact_arithmetic {
namespace {

template <class T>
exact::Matrix<const T> matrix(const View& v) {
  const int d = v.ndim - 2;
  return {static_cast<const T*>(v.data), static_cast<long>(v.strides[d]), static_cast<long>(v.strides[d + 1])};
}

template <class T>
bool multiply(const View& a, const View& b, const View& out, const View* add, double alpha, double beta, int threads) {
  exact::Products<T> p{};
  const int d = out.ndim - 2;
  p.first.m = out.shape[d];
  p.first.n = out.shape[d + 1];
  p.first.k = a.shape[d + 1];
  p.first.a = matrix<T>(a);
  p.first.b = matrix<T>(b);
  p.first.out = {static_cast<T*>(out.data), static_cast<long>(out.strides[d]), 1};
  p.first.alpha = static_cast<T>(alpha);
  p.first.beta = static_cast<T>(beta);
  p.count = d > 0 ? out.shape[0] : 1;
  if (d > 0) {
    p.a_step = a.strides[0];
    p.b_step = b.strides[0];
    p.out_step = out.strides[0];
  }
  if (add != nullptr) {
    // Broadcast to the shape of the result.
    const int shift = out.ndim - add->ndim;
    const auto stride = [&](int axis) {
      return axis < shift || (add->shape[axis - shift] == 1) ? 0 : static_cast<long>(add->strides[axis - shift]);
    };
    p.first.add = {static_cast<const T*>(add->data), stride(d), stride(d + 1)};
    p.add_step = d > 0 ? stride(0) : 0;
  }
  if constexpr (sizeof(T) == 4) {
    return kernels().products_f32(p, threads);
  } else {
    return kernels().products_f64(p, threads);
  }
}

// out = beta * add + alpha * (a @ b); two axes, or three with a batch first.
void products(nb::handle out_tensor, nb::handle a_tensor, nb::handle b_tensor, nb::handle add_tensor,
              double alpha, double beta) {
  const View out = need(out_tensor, "out");
  const View a = need(a_tensor, "a");
  const View b = need(b_tensor, "b");
  const int n = out.ndim;
  if (n < 2 || n > 3 || a.ndim != n || b.ndim != n) refuse("products need two or three axes");
  if (a.dtype != out.dtype || b.dtype != out.dtype) refuse("products need one dtype");
  if (a.shape[n - 2] != out.shape[n - 2] || b.shape[n - 1] != out.shape[n - 1] || a.shape[n - 1] != b.shape[n - 2]) refuse("shapes do not match");
  if (n == 3 && (a.shape[0] != out.shape[0] || b.shape[0] != out.shape[0])) refuse("batches do not match");
  if (out.strides[n - 1] != 1 && out.shape[n - 1] > 1) refuse("columns of out must lie next to each other");
  View add;
  const bool adding = !add_tensor.is_none();
  if (adding) {
    add = need(add_tensor, "add");
    if (add.dtype != out.dtype || add.ndim > n) refuse("add");
    for (int d = 0; d < add.ndim; ++d) {
      if (add.shape[d] != 1 && add.shape[d] != out.shape[n - add.ndim + d]) refuse("add does not broadcast");
    }
  }
  bool done = false;
  const double size = static_cast<double>(out.numel()) * static_cast<double>(a.shape[n - 1]);
  if (out.dtype == DType::kFloat32) {
    work(size, [&](int threads) { done = multiply<float>(a, b, out, adding ? &add : nullptr, alpha, beta, threads); });
  } else if (out.dtype == DType::kFloat64) {
    work(size, [&](int threads) { done = multiply<double>(a, b, out, adding ? &add : nullptr, alpha, beta, threads); });
  } else {
    refuse("products are made in float32 and float64");
  }
  if (!done) no_memory();
}

}  // namespace

PyObject* product_of(PyObject* a_tensor, PyObject* b_tensor, PyObject* add_tensor, double alpha, double beta) {
  View a, b, add;
  PyObject* const declined = Py_NotImplemented;
  if (!view_of(a_tensor, &a) || !view_of(b_tensor, &b)) return Py_NewRef(declined);
  const int n = a.ndim;
  const bool fits = (n == 2 || n == 3) && b.ndim == n && a.dtype == b.dtype && a.shape[n - 1] == b.shape[n - 2] &&
                    (n == 2 || a.shape[0] == b.shape[0]);
  if (!fits || (a.dtype != DType::kFloat32 && a.dtype != DType::kFloat64)) return Py_NewRef(declined);
  int64_t shape[3];
  for (int d = 0; d < n - 1; ++d) shape[d] = a.shape[d];
  shape[n - 1] = b.shape[n - 1];
  const bool adding = add_tensor != nullptr && beta != 0;
  if (add_tensor != nullptr) {
    if (!view_of(add_tensor, &add) || add.dtype != a.dtype || add.ndim > n) return Py_NewRef(declined);
    for (int d = 0; d < add.ndim; ++d) {
      if (add.shape[d] != 1 && add.shape[d] != shape[n - add.ndim + d]) return Py_NewRef(declined);
    }
  }
  PyObject* result = new_tensor(a.dtype, n, shape, nullptr);
  if (result == nullptr) return nullptr;
  View out;
  bool done = view_of(result, &out);
  if (done) {
    const double size = static_cast<double>(out.numel()) * static_cast<double>(a.shape[n - 1]);
    const auto run = [&](int threads) {
      done = a.dtype == DType::kFloat32 ? multiply<float>(a, b, out, adding ? &add : nullptr, alpha, beta, threads)
                                        : multiply<double>(a, b, out, adding ? &add : nullptr, alpha, beta, threads);
    };
    work(size, run);
  }
  if (!done) {
    Py_DECREF(result);
    return PyErr_NoMemory();
  }
  return result;
}

void add_product_calls(nb::module_& module) {
  module.def("products", products, nb::arg("out"), nb::arg("a"), nb::arg("b"), nb::arg("add").none(),
             nb::arg("alpha"), nb::arg("beta"), "out = beta * add + alpha * (a @ b), with a batch axis or without.");
}

}  // namespace samebits::python::exact_arithmetic
