// Normalisation, as Python calls it.
#include "python/exact/arguments.hpp"
#include "python/exact/kernel_calls.hpp"

namespace samebits::python::exact_arithmetic {
namespace {

// As the freedom of squared deviations: their count.
constexpr double kCount = -1;

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
             nb::handle weight, nb::handle bias, const nb::tuple& geometry, double eps, double freedom) {
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
  if (p.mean == nullptr) refuse("mean");
  p.freedom = static_cast<T>(freedom == kCount ? static_cast<double>(p.pieces * p.length) : freedom);
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
          nb::handle weight, nb::handle bias, nb::tuple geometry, double eps, double freedom) {
  const View x = need(x_tensor, "x");
  if (x.dtype == DType::kFloat32) {
    norm_of<float>(x.dtype, y, x, mean, rstd, variance, weight, bias, geometry, eps, freedom);
  } else if (x.dtype == DType::kFloat64) {
    norm_of<double>(x.dtype, y, x, mean, rstd, variance, weight, bias, geometry, eps, freedom);
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

}  // namespace

void add_norm_calls(nb::module_& module) {
  module.def("norm", norm, nb::arg("y").none(), nb::arg("x"), nb::arg("mean"), nb::arg("rstd").none(),
             nb::arg("variance").none(), nb::arg("weight").none(), nb::arg("bias").none(), nb::arg("geometry"),
             nb::arg("eps"), nb::arg("freedom") = kCount, "Normalises groups of values.");
  module.def("norm_backward", norm_backward, nb::arg("grad_x"), nb::arg("grad"), nb::arg("x"), nb::arg("mean"),
             nb::arg("rstd"), nb::arg("weight").none(), nb::arg("geometry"), "The derivative of norm.");
}

}  // namespace samebits::python::exact_arithmetic
