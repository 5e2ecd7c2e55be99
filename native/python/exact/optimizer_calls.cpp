#include "python/exact/kernel_calls.hpp"

#include <cmath>

#include "exact/builds.hpp"
#include "python/exact/tensors.hpp"

namespace nb = nanobind;

namespace samebits::python::exact_arithmetic {
namespace {

using samebits::exact::kernels;

constexpr int64_t kWork = 30000;  // values; below, one thread is enough and keeps the interpreter

// The settings of Adam, as torch.optim names them.
struct Settings {
  double rate, beta1, beta2, decay, eps;
  bool decoupled;
};

// What the optimizer computes with Python's numbers, in its order; `count` is the step's number.
template <class T>
exact::AdamStep<T> prepared(const Settings& s, double count) {
  exact::AdamStep<T> step{};
  const double size = s.rate / (1 - std::pow(s.beta1, count));
  const double correction = std::pow(1 - std::pow(s.beta2, count), 0.5);
  step.shrinks = s.decoupled && s.decay != 0;
  step.decays = !s.decoupled && s.decay != 0;
  step.shrinking = static_cast<T>(1 - s.rate * s.decay);
  step.decay = static_cast<T>(s.decay);
  step.average_weight = static_cast<T>(1 - s.beta1);
  step.square_kept = static_cast<T>(s.beta2);
  step.square_weight = static_cast<T>(1 - s.beta2);
  step.correction = static_cast<T>(correction);
  step.eps = static_cast<T>(s.eps);
  step.rate = static_cast<T>(-size);
  return step;
}

template <class T, void (*exact::Kernels::*kernel)(const exact::AdamStep<T>&, int)>
void run(const View (&tensors)[4], const Settings& settings, double count) {
  exact::AdamStep<T> step = prepared<T>(settings, count);
  step.n = tensors[0].numel();
  step.parameter = static_cast<T*>(tensors[0].data);
  step.gradient = static_cast<const T*>(tensors[1].data);
  step.average = static_cast<T*>(tensors[2].data);
  step.square = static_cast<T*>(tensors[3].data);
  if (step.n < kWork) {
    (kernels().*kernel)(step, 1);
    return;
  }
  const int threads = thread_count();
  nb::gil_scoped_release released;
  (kernels().*kernel)(step, threads);
}

// Row-major tensors of one dtype and one shape, none of which lies in another's memory.
bool alike(const View (&tensors)[4]) {
  const View& first = tensors[0];
  if (first.dtype != DType::kFloat32 && first.dtype != DType::kFloat64) return false;
  const int64_t bytes = first.numel() * exact::size_of(first.dtype);
  for (int t = 0; t < 4; ++t) {
    const View& one = tensors[t];
    if (one.dtype != first.dtype || one.ndim != first.ndim || !one.contiguous()) return false;
    for (int d = 0; d < first.ndim; ++d) {
      if (one.shape[d] != first.shape[d]) return false;
    }
    const auto* begin = static_cast<const char*>(one.data);
    for (int other = 0; other < t; ++other) {
      const auto* before = static_cast<const char*>(tensors[other].data);
      if (begin < before + bytes && before < begin + bytes) return false;
    }
  }
  return true;
}

bool adam(nb::handle parameter, nb::handle gradient, nb::handle average, nb::handle square,
          nb::handle count, double rate, double beta1, double beta2, double decay, double eps,
          bool decoupled) {
  const nb::handle given[] = {parameter, gradient, average, square};
  View tensors[4];
  for (int t = 0; t < 4; ++t) {
    if (!view_of(given[t].ptr(), &tensors[t])) return false;
  }
  View counted;
  const bool counts = view_of(count.ptr(), &counted) && counted.dtype == DType::kFloat32 && counted.ndim == 0;
  if (!counts || !alike(tensors)) return false;
  auto* number = static_cast<float*>(counted.data);
  *number += 1.0f;
  const Settings settings{rate, beta1, beta2, decay, eps, decoupled};
  if (tensors[0].dtype == DType::kFloat32) {
    run<float, &exact::Kernels::adam_f32>(tensors, settings, *number);
  } else {
    run<double, &exact::Kernels::adam_f64>(tensors, settings, *number);
  }
  return true;
}

}  // namespace

void add_optimizer_calls(nb::module_& module) {
  module.def("adam", adam, nb::arg("parameter"), nb::arg("gradient"), nb::arg("average"),
             nb::arg("square"), nb::arg("count"), nb::arg("rate"), nb::arg("beta1"),
             nb::arg("beta2"), nb::arg("decay"), nb::arg("eps"), nb::arg("decoupled"),
             "One step of Adam for one parameter; False, and nothing changed, where it is not plain.");
}

}  // namespace samebits::python::exact_arithmetic
