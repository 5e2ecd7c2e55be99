// Scans and products along an axis, as Python calls them.
#include "python/exact/arguments.hpp"
#include "python/exact/kernel_calls.hpp"

namespace samebits::python::exact_arithmetic {
namespace {

View three_axes(nb::handle tensor) {
  const View x = need(tensor, "x");
  if (x.ndim != 3 || !x.contiguous()) refuse("x has three axes, row-major");
  return x;
}

// x and out [outer, n, inner]; kind as in ScanKind
void scan(nb::handle out_tensor, nb::handle x_tensor, int kind) {
  const View x = three_axes(x_tensor);
  const View out = need_contiguous(out_tensor, x.dtype, x.numel(), "out");
  if (x.numel() == 0) return;
  const auto way = static_cast<exact::ScanKind>(kind);
  if (kind < 0 || kind > 2) refuse("a scan is 0, 1 or 2");
  const double size = static_cast<double>(x.numel()) * (way == exact::ScanKind::kLogSumExp ? 16 : 1);
  if (x.dtype == DType::kFloat32) {
    const exact::Scan<float> s{static_cast<const float*>(x.data), static_cast<float*>(out.data),
                               x.shape[0], x.shape[1], x.shape[2], way};
    work(size, [&](int threads) { kernels().scan_f32(s, threads); });
  } else if (x.dtype == DType::kFloat64 && way != exact::ScanKind::kLogSumExp) {
    const exact::Scan<double> s{static_cast<const double*>(x.data), static_cast<double*>(out.data),
                                x.shape[0], x.shape[1], x.shape[2], way};
    work(size, [&](int threads) { kernels().scan_f64(s, threads); });
  } else {
    refuse("scans are made in float32 and float64, those of exponentials in float32");
  }
}

template <class T>
exact::Multiplied<T> product_over(const View& x, const View& out) {
  return {static_cast<const T*>(x.data), static_cast<T*>(out.data), x.shape[0], x.shape[1], x.shape[2]};
}

// x [outer, n, inner] to out [outer, inner]
void multiplied(nb::handle out_tensor, nb::handle x_tensor) {
  const View x = three_axes(x_tensor);
  const View out = need_contiguous(out_tensor, x.dtype, x.shape[0] * x.shape[2], "out");
  bool done = false;
  const double size = static_cast<double>(x.numel());
  if (x.dtype == DType::kFloat32) {
    const auto m = product_over<float>(x, out);
    work(size, [&](int threads) { done = kernels().multiplied_f32(m, threads); });
  } else if (x.dtype == DType::kFloat64) {
    const auto m = product_over<double>(x, out);
    work(size, [&](int threads) { done = kernels().multiplied_f64(m, threads); });
  } else {
    refuse("products over an axis are made in float32 and float64");
  }
  if (!done) no_memory();
}

}  // namespace

void add_scan_calls(nb::module_& module) {
  module.def("scan", scan, nb::arg("out"), nb::arg("x"), nb::arg("kind"),
             "Along the middle axis: 0 the sum so far, 1 the product, 2 the logarithm of the sum of exponentials.");
  module.def("multiplied", multiplied, nb::arg("out"), nb::arg("x"), "The product over the middle axis.");
}

}  // namespace samebits::python::exact_arithmetic
