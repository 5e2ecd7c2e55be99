// Each takes tensors that Python has brought into the shape and layout which the kernel wants, and
// checks them once more: a wrong pointer must never reach a kernel.
#include "python/exact/kernel_calls.hpp"

#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "exact/builds.hpp"
#include "python/exact/product_call.hpp"
#include "python/exact/tensors.hpp"

namespace nb = nanobind;

namespace samebits::python::exact_arithmetic {
namespace {

using samebits::exact::kernels;

[[noreturn]] void refuse(const char* what) {
  throw nb::value_error((std::string("samebits kernel: ") + what).c_str());
}
[[noreturn]] void no_memory() { throw std::bad_alloc(); }

View need(nb::handle tensor, const char* what) {
  View view;
  if (!view_of(tensor.ptr(), &view)) refuse(what);
  return view;
}
View need_contiguous(nb::handle tensor, DType dtype, int64_t numel, const char* what) {
  View view = need(tensor, what);
  if (view.dtype != dtype || !view.contiguous() || (numel >= 0 && view.numel() != numel)) refuse(what);
  return view;
}

// Runs a kernel with the interpreter let go where there is work for it.
template <class Kernel>
void work(double values, Kernel kernel) {
  if (values < 30000) {
    kernel(1);
    return;
  }
  const int threads = thread_count();
  nb::gil_scoped_release released;
  kernel(threads);
}

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

// Whether the places that a sum reads lie within the tensor.
void check_reach(const View& x, long reach) {
  if (!x.contiguous() || reach > x.numel()) refuse("a sum would read beyond its tensor");
}

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

exact::Rows rows_of(const View& x) {
  const long n = x.ndim == 0 ? 1 : x.shape[x.ndim - 1];
  return {n == 0 ? 0 : static_cast<long>(x.numel() / n), n};
}

template <auto Member>
void one_to_one(nb::handle out_tensor, nb::handle x_tensor) {
  const View x = need_contiguous(x_tensor, DType::kFloat32, -1, "x");
  const View out = need_contiguous(out_tensor, DType::kFloat32, x.numel(), "out");
  work(static_cast<double>(x.numel()) * 4, [&](int threads) {
    (kernels().*Member)(rows_of(x), static_cast<const float*>(x.data), static_cast<float*>(out.data), threads);
  });
}

template <auto Member>
void two_to_one(nb::handle out_tensor, nb::handle grad_tensor, nb::handle y_tensor) {
  const View y = need_contiguous(y_tensor, DType::kFloat32, -1, "y");
  const View grad = need_contiguous(grad_tensor, DType::kFloat32, y.numel(), "grad");
  const View out = need_contiguous(out_tensor, DType::kFloat32, y.numel(), "out");
  work(static_cast<double>(y.numel()) * 4, [&](int threads) {
    (kernels().*Member)(rows_of(y), static_cast<const float*>(grad.data), static_cast<const float*>(y.data),
                        static_cast<float*>(out.data), threads);
  });
}

template <class T>
T* data_or_null(nb::handle tensor, DType dtype, int64_t numel, const char* what) {
  if (tensor.is_none()) return nullptr;
  return static_cast<T*>(need_contiguous(tensor, dtype, numel, what).data);
}

// (outer, outer_step, inner, inner_step, pieces, piece_step, length, inner_channel, piece_channel,
// channel_length, channels)
template <class P>
int64_t fill_groups(P& p, const nb::tuple& geometry, const View& x) {
  long* fields[] = {&p.outer,  &p.outer_step,    &p.inner,         &p.inner_step,    &p.pieces, &p.piece_step,
                    &p.length, &p.inner_channel, &p.piece_channel, &p.channel_length};
  for (int i = 0; i < 10; ++i) *fields[i] = nb::cast<long>(geometry[i]);
  if (p.outer * p.inner > 0) {
    check_reach(x, (p.outer - 1) * p.outer_step + (p.inner - 1) * p.inner_step + (p.pieces - 1) * p.piece_step + p.length);
    const long last = (p.inner - 1) * p.inner_channel + (p.pieces - 1) * p.piece_channel + (p.length - 1) / p.channel_length;
    if (last >= nb::cast<long>(geometry[10])) refuse("channels");
  }
  return nb::cast<int64_t>(geometry[10]);
}

template <class T>
void norm_of(DType dtype, nb::handle y, const View& x, nb::handle mean, nb::handle rstd, nb::handle variance,
             nb::handle weight, nb::handle bias, const nb::tuple& geometry, double eps) {
  exact::Norm<T> p{};
  const int64_t channels = fill_groups(p, geometry, x);
  const int64_t groups = p.outer * p.inner;
  p.x = static_cast<const T*>(x.data);
  p.y = data_or_null<T>(y, dtype, x.numel(), "y");
  p.mean = data_or_null<T>(mean, dtype, groups, "mean");
  p.rstd = data_or_null<T>(rstd, dtype, groups, "rstd");
  p.variance = data_or_null<T>(variance, dtype, groups, "variance");
  p.weight = data_or_null<T>(weight, dtype, channels, "weight");
  p.bias = data_or_null<T>(bias, dtype, channels, "bias");
  if (p.mean == nullptr || p.rstd == nullptr) refuse("mean and rstd");
  p.eps = static_cast<T>(eps);
  work(static_cast<double>(x.numel()) * 4, [&](int threads) {
    if constexpr (sizeof(T) == 4) {
      kernels().norm_f32(p, threads);
    } else {
      kernels().norm_f64(p, threads);
    }
  });
}

void norm(nb::handle y, nb::handle x_tensor, nb::handle mean, nb::handle rstd, nb::handle variance,
          nb::handle weight, nb::handle bias, nb::tuple geometry, double eps) {
  const View x = need(x_tensor, "x");
  if (x.dtype == DType::kFloat32) {
    norm_of<float>(x.dtype, y, x, mean, rstd, variance, weight, bias, geometry, eps);
  } else if (x.dtype == DType::kFloat64) {
    norm_of<double>(x.dtype, y, x, mean, rstd, variance, weight, bias, geometry, eps);
  } else {
    refuse("norms are made in float32 and float64");
  }
}

template <class T>
void norm_backward_of(DType dtype, nb::handle grad_x, nb::handle grad, const View& x, nb::handle mean, nb::handle rstd,
                      nb::handle weight, const nb::tuple& geometry) {
  exact::NormBackward<T> p{};
  const int64_t channels = fill_groups(p, geometry, x);
  const int64_t groups = p.outer * p.inner;
  p.x = static_cast<const T*>(x.data);
  p.grad = data_or_null<T>(grad, dtype, x.numel(), "grad");
  p.grad_x = data_or_null<T>(grad_x, dtype, x.numel(), "grad_x");
  p.mean = data_or_null<T>(mean, dtype, groups, "mean");
  p.rstd = data_or_null<T>(rstd, dtype, groups, "rstd");
  p.weight = data_or_null<T>(weight, dtype, channels, "weight");
  if (p.grad == nullptr || p.grad_x == nullptr || p.mean == nullptr || p.rstd == nullptr) refuse("grad, mean and rstd");
  work(static_cast<double>(x.numel()) * 4, [&](int threads) {
    if constexpr (sizeof(T) == 4) {
      kernels().norm_backward_f32(p, threads);
    } else {
      kernels().norm_backward_f64(p, threads);
    }
  });
}

void norm_backward(nb::handle grad_x, nb::handle grad, nb::handle x_tensor, nb::handle mean, nb::handle rstd,
                   nb::handle weight, nb::tuple geometry) {
  const View x = need(x_tensor, "x");
  if (x.dtype == DType::kFloat32) {
    norm_backward_of<float>(x.dtype, grad_x, grad, x, mean, rstd, weight, geometry);
  } else if (x.dtype == DType::kFloat64) {
    norm_backward_of<double>(x.dtype, grad_x, grad, x, mean, rstd, weight, geometry);
  } else {
    refuse("norms are made in float32 and float64");
  }
}

// Which of the three a call computes.
enum class Wanted : int { kForward = 0, kInput = 1, kWeight = 2 };

template <class T>
bool convolve(Wanted wanted, const exact::Convolution& c, const exact::ConvolutionTensors<T>& t, int threads) {
  const exact::Kernels& k = kernels();
  if constexpr (sizeof(T) == 4) {
    if (wanted == Wanted::kForward) return k.convolution_f32(c, t, threads);
    return wanted == Wanted::kInput ? k.convolution_input_f32(c, t, threads) : k.convolution_weight_f32(c, t, threads);
  } else {
    if (wanted == Wanted::kForward) return k.convolution_f64(c, t, threads);
    return wanted == Wanted::kInput ? k.convolution_input_f64(c, t, threads) : k.convolution_weight_f64(c, t, threads);
  }
}

template <class T>
void convolution_of(Wanted wanted, const exact::Convolution& c, DType dtype, nb::handle x, nb::handle y, nb::handle weight,
                    nb::handle bias) {
  const int64_t inputs = c.images * c.groups * c.in_channels * c.in_places();
  const int64_t outputs = c.images * c.groups * c.out_channels * c.out_places();
  const int64_t weights = c.groups * c.out_channels * c.in_channels * c.taps();
  T* own_x = data_or_null<T>(x, dtype, inputs, "x");
  T* own_y = data_or_null<T>(y, dtype, outputs, "y");
  T* own_weight = data_or_null<T>(weight, dtype, weights, "weight");
  const T* own_bias = data_or_null<T>(bias, dtype, c.groups * c.out_channels, "bias");
  if (own_x == nullptr || own_y == nullptr || own_weight == nullptr) refuse("x, y and weight");
  T* result = wanted == Wanted::kForward ? own_y : (wanted == Wanted::kInput ? own_x : own_weight);
  const exact::ConvolutionTensors<T> t{own_x, own_y, own_weight, own_bias, result};
  bool done = false;
  work(static_cast<double>(outputs) * static_cast<double>(c.in_channels * c.taps()),
       [&](int threads) { done = convolve<T>(wanted, c, t, threads); });
  if (!done) no_memory();
}

// sizes: images, groups, channels in and out of a group, then in, out, kernel, stride, padding and
// dilation, three each. What is wanted (0 y, 1 the gradient of x, 2 that of weight) is written.
void convolution(int wanted, nb::handle x, nb::handle y, nb::handle weight, nb::handle bias, const std::vector<long>& sizes) {
  if (sizes.size() != 22 || wanted < 0 || wanted > 2) refuse("sizes");
  exact::Convolution c{};
  c.images = sizes[0];
  c.groups = sizes[1];
  c.in_channels = sizes[2];
  c.out_channels = sizes[3];
  long* fields[] = {c.in, c.out, c.kernel, c.stride, c.padding, c.dilation};
  for (int f = 0; f < 6; ++f) {
    for (int a = 0; a < 3; ++a) fields[f][a] = sizes[static_cast<size_t>(4 + 3 * f + a)];
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    const long least = i < 4 ? 1 : 0;  // without images, groups or channels there is nothing to do
    if (sizes[i] < least) refuse("sizes");
  }
  for (int a = 0; a < 3; ++a) {
    const long reach = (c.kernel[a] - 1) * c.dilation[a];
    if (c.kernel[a] < 1 || c.stride[a] < 1 || c.dilation[a] < 1) refuse("kernel, stride and dilation");
    // The last result must lie within the padded input.
    if (c.out[a] < 1 || (c.out[a] - 1) * c.stride[a] + reach >= c.in[a] + 2 * c.padding[a]) refuse("sizes do not fit");
  }
  const View view = need(x, "x");
  if (view.dtype == DType::kFloat32) {
    convolution_of<float>(static_cast<Wanted>(wanted), c, view.dtype, x, y, weight, bias);
  } else if (view.dtype == DType::kFloat64) {
    convolution_of<double>(static_cast<Wanted>(wanted), c, view.dtype, x, y, weight, bias);
  } else {
    refuse("convolutions are made in float32 and float64");
  }
}

float* floats_of(const View& out) { return static_cast<float*>(out.data); }

void random_words(nb::handle out_tensor, uint64_t key) {
  const View out = need_contiguous(out_tensor, DType::kInt32, -1, "out");
  work(static_cast<double>(out.numel()), [&](int threads) {
    kernels().random_words(key, out.numel(), static_cast<uint32_t*>(out.data), threads);
  });
}
void random_uniform(nb::handle out_tensor, uint64_t key, double from, double to) {
  const View out = need_contiguous(out_tensor, DType::kFloat32, -1, "out");
  work(static_cast<double>(out.numel()), [&](int threads) {
    kernels().random_uniform(key, out.numel(), floats_of(out), static_cast<float>(from), static_cast<float>(to), threads);
  });
}
void random_bernoulli(nb::handle out_tensor, uint64_t key, uint64_t threshold) {
  const View out = need_contiguous(out_tensor, DType::kFloat32, -1, "out");
  work(static_cast<double>(out.numel()),
       [&](int threads) { kernels().random_bernoulli(key, out.numel(), floats_of(out), threshold, threads); });
}
void random_exponential(nb::handle out_tensor, uint64_t key, double rate) {
  const View out = need_contiguous(out_tensor, DType::kFloat32, -1, "out");
  work(static_cast<double>(out.numel()), [&](int threads) {
    kernels().random_exponential(key, out.numel(), floats_of(out), static_cast<float>(rate), threads);
  });
}
void random_normal(nb::handle out_tensor, uint64_t key, double mean, double deviation) {
  const View out = need_contiguous(out_tensor, DType::kFloat32, -1, "out");
  work(static_cast<double>(out.numel()), [&](int threads) {
    kernels().random_normal(key, out.numel(), floats_of(out), static_cast<float>(mean), static_cast<float>(deviation), threads);
  });
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

void add_kernel_calls(nb::module_& module) {
  module.def("products", products, nb::arg("out"), nb::arg("a"), nb::arg("b"), nb::arg("add").none(),
             nb::arg("alpha"), nb::arg("beta"), "out = beta * add + alpha * (a @ b), with a batch axis or without.");
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
  module.def("norm", norm, nb::arg("y").none(), nb::arg("x"), nb::arg("mean"), nb::arg("rstd"),
             nb::arg("variance").none(), nb::arg("weight").none(), nb::arg("bias").none(), nb::arg("geometry"),
             nb::arg("eps"), "Normalises groups of values.");
  module.def("norm_backward", norm_backward, nb::arg("grad_x"), nb::arg("grad"), nb::arg("x"), nb::arg("mean"),
             nb::arg("rstd"), nb::arg("weight").none(), nb::arg("geometry"), "The derivative of norm.");
  module.def("convolution", convolution, nb::arg("wanted"), nb::arg("x"), nb::arg("y"), nb::arg("weight"),
             nb::arg("bias").none(), nb::arg("sizes"), "A convolution, or one of its derivatives.");
  module.def("random_words", random_words, nb::arg("out"), nb::arg("key"), "Words of Philox4x32-10, into int32.");
  module.def("random_uniform", random_uniform, nb::arg("out"), nb::arg("key"), nb::arg("low"), nb::arg("high"),
             "Uniform between two numbers.");
  module.def("random_bernoulli", random_bernoulli, nb::arg("out"), nb::arg("key"), nb::arg("threshold"),
             "1 where the word is below the threshold, else 0.");
  module.def("random_exponential", random_exponential, nb::arg("out"), nb::arg("key"), nb::arg("rate"),
             "Exponentially distributed.");
  module.def("random_normal", random_normal, nb::arg("out"), nb::arg("key"), nb::arg("mean"), nb::arg("deviation"),
             "Normally distributed.");
}

}  // namespace samebits::python::exact_arithmetic
