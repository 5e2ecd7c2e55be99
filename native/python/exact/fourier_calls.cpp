// Fourier transforms, as Python calls them.
#include <vector>

#include "exact/fourier_plan.hpp"
#include "python/exact/arguments.hpp"
#include "python/exact/kernel_calls.hpp"

namespace samebits::python::exact_arithmetic {
namespace {

template <class T>
void transform(DType dtype, nb::handle out, nb::handle in, const nb::tuple& geometry, exact::FourierKind kind,
               bool exchanged, double scale) {
  exact::Fourier<T> f{};
  f.kind = kind;
  f.exchanged = exchanged;
  f.outer = nb::cast<long>(geometry[0]);
  f.n = nb::cast<long>(geometry[1]);
  f.inner = nb::cast<long>(geometry[2]);
  f.scale = static_cast<T>(scale);
  if (f.n < 1 || f.outer < 0 || f.inner < 0) refuse("geometry");
  const bool from_real = kind == exact::FourierKind::kFromReal;
  const bool to_real = kind == exact::FourierKind::kToReal;
  const int64_t rows = f.outer * f.inner;
  const int64_t spectrum = 2 * (f.n / 2 + 1);
  const View x = need_contiguous(in, dtype, rows * (from_real ? f.n : to_real ? spectrum : 2 * f.n), "in");
  const View y = need_contiguous(out, dtype, rows * (to_real ? f.n : from_real ? spectrum : 2 * f.n), "out");
  if (rows == 0) return;
  f.in = static_cast<const T*>(x.data);
  f.out = static_cast<T*>(y.data);
  const bool paired = kind != exact::FourierKind::kComplex && f.n % 2 == 0;
  const auto plan = exact::fourier_plan<T>(paired ? f.n / 2 : f.n);
  f.plan = plan.get();
  std::shared_ptr<const exact::UnitRoots<T>> roots;
  if (paired) {
    roots = exact::kept_roots<T>(f.n);
    f.root_re = roots->re.data();
    f.root_im = roots->im.data();
  }
  bool done = true;
  work(static_cast<double>(rows) * static_cast<double>(f.n) * 8, [&](int threads) {
    if constexpr (sizeof(T) == 4) {
      done = kernels().fourier_f32(f, threads);
    } else {
      done = kernels().fourier_f64(f, threads);
    }
  });
  if (!done) no_memory();
}

void fourier(nb::handle out, nb::handle in, nb::tuple geometry, int kind, bool exchanged, double scale) {
  const View x = need(in, "in");
  const auto what = static_cast<exact::FourierKind>(kind);
  if (x.dtype == DType::kFloat32) {
    transform<float>(x.dtype, out, in, geometry, what, exchanged, scale);
  } else if (x.dtype == DType::kFloat64) {
    transform<double>(x.dtype, out, in, geometry, what, exchanged, scale);
  } else {
    refuse("transforms are made in float32 and float64");
  }
}

template <class T>
void fill_roots(const View& out, long n) {
  const auto roots = exact::unit_roots<T>(n);
  T* to = static_cast<T*>(out.data);
  for (long k = 0; k < n; ++k) {
    to[2 * k] = roots.re[static_cast<size_t>(k)];
    to[2 * k + 1] = roots.im[static_cast<size_t>(k)];
  }
}

void unit_roots(nb::handle out_tensor) {
  const View out = need(out_tensor, "out");
  if (!out.contiguous() || out.ndim != 2 || out.shape[1] != 2) refuse("out");
  const long n = static_cast<long>(out.shape[0]);
  if (out.dtype == DType::kFloat32) {
    fill_roots<float>(out, n);
  } else if (out.dtype == DType::kFloat64) {
    fill_roots<double>(out, n);
  } else {
    refuse("roots are made in float32 and float64");
  }
}

}  // namespace

void add_fourier_calls(nb::module_& module) {
  module.def("fourier", fourier, nb::arg("out"), nb::arg("in_"), nb::arg("geometry"), nb::arg("kind"),
             nb::arg("exchanged"), nb::arg("scale"),
             "Transforms over the middle axis of (outer, n, inner): 0 complex, 1 of real, 2 to real numbers; parts side "
             "by side.");
  module.def("unit_roots", unit_roots, nb::arg("out"), "The n roots of unity into [n, 2].");
}

}  // namespace samebits::python::exact_arithmetic
