// Operations in one pass, as Python calls them.
#include "exact/passes.hpp"
#include "python/exact/arguments.hpp"
#include "python/exact/kernel_calls.hpp"

namespace samebits::python::exact_arithmetic {
namespace {

// [outer, channels, inner] with statistics and factors for each channel
void channels(nb::handle y_tensor, nb::handle x_tensor, nb::handle mean, nb::handle rstd, nb::handle weight,
              nb::handle bias, long outer, long count, long inner) {
  const View x = need(x_tensor, "x");
  by_type(x.dtype, [&](auto kind) {
    using T = decltype(kind);
    const int64_t size = static_cast<int64_t>(outer) * count * inner;
    if (outer < 0 || count < 0 || inner < 0 || size != x.numel() || !x.contiguous()) refuse("shape");
    exact::Channels<T> p{};
    p.x = static_cast<const T*>(x.data);
    p.y = data_or_null<T>(y_tensor, x.dtype, size, "y");
    p.mean = data_or_null<T>(mean, x.dtype, count, "mean");
    p.rstd = data_or_null<T>(rstd, x.dtype, count, "rstd");
    p.weight = data_or_null<T>(weight, x.dtype, count, "weight");
    p.bias = data_or_null<T>(bias, x.dtype, count, "bias");
    if (p.y == nullptr || p.mean == nullptr || p.rstd == nullptr) refuse("y and statistics");
    p.outer = outer;
    p.channels = count;
    p.inner = inner;
    work(static_cast<double>(size), [&](int threads) {
      if constexpr (sizeof(T) == 4) exact::passes().channels_f32(p, threads);
      else exact::passes().channels_f64(p, threads);
    });
  });
}

void norm_factors(nb::handle weight, nb::handle bias, nb::handle grad, nb::handle x_tensor, nb::handle mean_tensor,
                  nb::handle rstd, long outer, long count, long inner, long mean_outer, long mean_channels) {
  const View x = need(x_tensor, "x");
  const View mean = need(mean_tensor, "mean");
  bool done = true;
  by_type(x.dtype, [&](auto kind) {
    using T = decltype(kind);
    const int64_t size = static_cast<int64_t>(outer) * count * inner;
    if (outer <= 0 || count <= 0 || inner <= 0 || size != x.numel() || !x.contiguous()) refuse("shape");
    if (mean_outer < 0 || mean_channels <= 0) refuse("statistics");
    if ((outer - 1) * mean_outer + (count - 1) / mean_channels >= mean.numel()) refuse("statistics");
    exact::NormFactors<T> p{};
    p.x = static_cast<const T*>(x.data);
    p.grad = data_or_null<T>(grad, x.dtype, size, "grad");
    p.mean = data_or_null<T>(mean_tensor, x.dtype, mean.numel(), "mean");
    p.rstd = data_or_null<T>(rstd, x.dtype, mean.numel(), "rstd");
    p.weight = data_or_null<T>(weight, x.dtype, count, "weight");
    p.bias = data_or_null<T>(bias, x.dtype, count, "bias");
    if (p.grad == nullptr || p.mean == nullptr || p.rstd == nullptr) refuse("grad and statistics");
    p.outer = outer;
    p.channels = count;
    p.inner = inner;
    p.mean_outer = mean_outer;
    p.mean_channels = mean_channels;
    work(static_cast<double>(size), [&](int threads) {
      if constexpr (sizeof(T) == 4) done = exact::passes().norm_factors_f32(p, threads);
      else done = exact::passes().norm_factors_f64(p, threads);
    });
  });
  if (!done) no_memory();
}

// table [R, D], index [N], begins [B], weights [N] or none, out [B, D], bag [N], sizes [B]; false where the indices or the bags are
// not right, or a bag is too long.
bool bags(nb::handle out_tensor, nb::handle bag, nb::handle sizes, nb::handle table_tensor, nb::handle index_tensor, nb::handle begins_tensor,
          nb::handle weights, bool mean) {
  const View table = need(table_tensor, "table");
  const View out = need(out_tensor, "out");
  const View index = need_contiguous(index_tensor, DType::kInt64, -1, "index");
  const View begins = need_contiguous(begins_tensor, DType::kInt64, -1, "begins");
  if (table.ndim != 2 || out.ndim != 2 || !table.contiguous() || !out.contiguous()) refuse("tables");
  if (table.dtype != out.dtype || out.shape[0] != begins.numel() || out.shape[1] != table.shape[1]) refuse("bags");
  auto done = exact::Placed::kDone;
  by_type(table.dtype, [&](auto kind) {
    using T = decltype(kind);
    exact::Bags<T> p{};
    p.table = static_cast<const T*>(table.data);
    p.rows = table.shape[0];
    p.columns = table.shape[1];
    p.index = static_cast<const int64_t*>(index.data);
    p.n = index.numel();
    p.begins = static_cast<const int64_t*>(begins.data);
    p.bags = begins.numel();
    p.weights = data_or_null<T>(weights, table.dtype, p.n, "weights");
    p.mean = mean;
    p.out = static_cast<T*>(out.data);
    p.bag = static_cast<int64_t*>(need_contiguous(bag, DType::kInt64, p.n, "bag").data);
    p.sizes = static_cast<int64_t*>(need_contiguous(sizes, DType::kInt64, p.bags, "sizes").data);
    work(static_cast<double>(p.n * p.columns), [&](int threads) {
      if constexpr (sizeof(T) == 4) done = exact::passes().bags_f32(p, threads);
      else done = exact::passes().bags_f64(p, threads);
    });
  });
  return done == exact::Placed::kDone;
}

// x [B, N, D], y [B, M, D], out [B, N, M]
void distances(nb::handle out_tensor, nb::handle x_tensor, nb::handle y_tensor) {
  const View x = need(x_tensor, "x");
  const View y = need(y_tensor, "y");
  if (x.ndim != 3 || y.ndim != 3 || x.dtype != y.dtype || !x.contiguous() || !y.contiguous()) refuse("x and y");
  if (x.shape[0] != y.shape[0] || x.shape[2] != y.shape[2] || x.shape[2] > exact::kBlock) refuse("shapes");
  const int64_t size = x.shape[0] * x.shape[1] * y.shape[1];
  bool done = true;
  by_type(x.dtype, [&](auto kind) {
    using T = decltype(kind);
    exact::Distances<T> p{};
    p.x = static_cast<const T*>(x.data);
    p.y = static_cast<const T*>(y.data);
    p.out = data_or_null<T>(out_tensor, x.dtype, size, "out");
    if (p.out == nullptr) refuse("out");
    p.batches = x.shape[0];
    p.n = x.shape[1];
    p.m = y.shape[1];
    p.columns = x.shape[2];
    if (size == 0) return;
    work(static_cast<double>(size * (p.columns + 1)), [&](int threads) {
      if constexpr (sizeof(T) == 4) done = exact::passes().distances_f32(p, threads);
      else done = exact::passes().distances_f64(p, threads);
    });
  });
  if (!done) no_memory();
}

// The values of x, row-major, as whole numbers of 64 bits; None where it lies otherwise or one does not fit.
nb::object whole_numbers(nb::handle x_tensor) {
  View x;
  if (!view_of(x_tensor.ptr(), &x) || x.dtype != DType::kFloat32 || !x.contiguous()) return nb::none();
  PyObject* made = new_tensor(DType::kInt64, x.ndim, x.shape, x.strides);
  if (made == nullptr) throw nb::python_error();
  nb::object result = nb::steal(made);
  auto* to = static_cast<int64_t*>(need(result, "a new tensor").data);
  const long n = static_cast<long>(x.numel());
  bool fit = true;
  work(static_cast<double>(n), [&](int threads) {
    fit = exact::passes().whole_numbers(static_cast<const float*>(x.data), n, to, threads);
  });
  return fit ? result : nb::none();
}

}  // namespace

void add_pass_calls(nb::module_& module) {
  module.def("channels", channels, nb::arg("y"), nb::arg("x"), nb::arg("mean"), nb::arg("rstd"),
             nb::arg("weight").none(), nb::arg("bias").none(), nb::arg("outer"), nb::arg("channels"), nb::arg("inner"),
             "y = ((x - mean) * rstd) * weight + bias, by channel.");
  module.def("norm_factors", norm_factors, nb::arg("weight").none(), nb::arg("bias").none(), nb::arg("grad"),
             nb::arg("x"), nb::arg("mean"), nb::arg("rstd"), nb::arg("outer"), nb::arg("channels"), nb::arg("inner"),
             nb::arg("mean_outer"), nb::arg("mean_channels"), "The derivatives of a norm's weights and biases.");
  module.def("bags", bags, nb::arg("out"), nb::arg("bag"), nb::arg("sizes"), nb::arg("table"), nb::arg("index"), nb::arg("begins"),
             nb::arg("weights").none(), nb::arg("mean"),
             "The sums of the rows of bags; False, where the indices or bags are not right or too long.");
  module.def("distances", distances, nb::arg("out"), nb::arg("x"), nb::arg("y"),
             "The norms of order 2 of the differences of rows.");
  module.def("whole_numbers", whole_numbers, nb::arg("x"),
             "As int64, truncated; None where it is not plain float32 or a value does not fit.");
}

}  // namespace samebits::python::exact_arithmetic
