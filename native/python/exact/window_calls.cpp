// Weighted neighbours and boxes of places, as Python calls them.
#include "python/exact/arguments.hpp"
#include "python/exact/kernel_calls.hpp"

namespace samebits::python::exact_arithmetic {
namespace {

const int64_t* numbers(nb::handle tensor, int64_t count, const char* what) {
  return static_cast<const int64_t*>(need_contiguous(tensor, DType::kInt64, count, what).data);
}

View three_axes(nb::handle tensor, const char* what) {
  const View view = need(tensor, what);
  if (view.ndim != 3 || !view.contiguous()) refuse(what);
  return view;
}

template <class T>
exact::Weighted<T> weighted_of(const View& x, const View& out, const int64_t* begins, const int64_t* sources,
                               const View& weights) {
  return {static_cast<const T*>(x.data), static_cast<T*>(out.data), x.shape[0], x.shape[1], out.shape[1], x.shape[2],
          begins, sources, static_cast<const T*>(weights.data)};
}

// x [outer, n, inner], out [outer, m, inner], begins [m + 1], sources and weights [K]
void weighted(nb::handle out_tensor, nb::handle x_tensor, nb::handle begins_tensor, nb::handle sources_tensor,
              nb::handle weights_tensor) {
  const View x = three_axes(x_tensor, "x");
  const View out = three_axes(out_tensor, "out");
  const View weights = need_contiguous(weights_tensor, x.dtype, -1, "weights");
  if (out.dtype != x.dtype || out.shape[0] != x.shape[0] || out.shape[2] != x.shape[2]) refuse("out");
  const int64_t count = weights.numel();
  const int64_t* begins = numbers(begins_tensor, out.shape[1] + 1, "begins");
  const int64_t* sources = numbers(sources_tensor, count, "sources");
  if (begins[0] != 0 || begins[out.shape[1]] != count) refuse("begins");
  for (int64_t j = 0; j < out.shape[1]; ++j) {
    const int64_t own = begins[j + 1] - begins[j];
    if (own < 0 || own > exact::kBlock) refuse("a place takes from none to 4096 others");
  }
  for (int64_t k = 0; k < count; ++k) {
    if (sources[k] < 0 || sources[k] >= x.shape[1]) refuse("a source lies beyond x");
  }
  const double size = static_cast<double>(x.numel() + out.numel()) * 2;
  if (x.dtype == DType::kFloat32) {
    const auto w = weighted_of<float>(x, out, begins, sources, weights);
    work(size, [&](int threads) { kernels().weighted_f32(w, threads); });
  } else if (x.dtype == DType::kFloat64) {
    const auto w = weighted_of<double>(x, out, begins, sources, weights);
    work(size, [&](int threads) { kernels().weighted_f64(w, threads); });
  } else {
    refuse("sums are made in float32 and float64");
  }
}

template <class T>
exact::Boxes<T> boxes_of(const View& x, const View& out, const int64_t* const (&ends)[4], const void* divisors) {
  return {static_cast<const T*>(x.data), static_cast<T*>(out.data), x.shape[0], x.shape[1], x.shape[2], out.shape[1],
          out.shape[2], ends[0], ends[1], ends[2], ends[3], static_cast<const T*>(divisors)};
}

// x [P, H, W], out [P, A, B], tops and bottoms [A], lefts and rights [B], divisors [A, B]
void boxes(nb::handle out_tensor, nb::handle x_tensor, nb::tuple ends_tensors, nb::handle divisors_tensor) {
  const View x = three_axes(x_tensor, "x");
  const View out = three_axes(out_tensor, "out");
  if (out.dtype != x.dtype || out.shape[0] != x.shape[0] || ends_tensors.size() != 4) refuse("out");
  const int64_t* ends[4];
  int64_t longest[2] = {0, 0};
  for (int i = 0; i < 4; ++i) ends[i] = numbers(ends_tensors[i], out.shape[1 + i / 2], "ends");
  for (int axis = 0; axis < 2; ++axis) {
    for (int64_t i = 0; i < out.shape[1 + axis]; ++i) {
      const int64_t own = ends[2 * axis + 1][i] - ends[2 * axis][i];
      if (own < 0) refuse("a box ends before it begins");
      longest[axis] = own > longest[axis] ? own : longest[axis];
    }
  }
  if (longest[0] * longest[1] > exact::kBlock) refuse("a box has at most 4096 values");
  const void* divisors = nullptr;
  if (!divisors_tensor.is_none()) {
    divisors = need_contiguous(divisors_tensor, x.dtype, out.shape[1] * out.shape[2], "divisors").data;
  }
  const double size = static_cast<double>(x.numel() + out.numel() * longest[0] * longest[1]);
  if (x.dtype == DType::kFloat32) {
    const auto b = boxes_of<float>(x, out, ends, divisors);
    work(size, [&](int threads) { kernels().boxes_f32(b, threads); });
  } else if (x.dtype == DType::kFloat64) {
    const auto b = boxes_of<double>(x, out, ends, divisors);
    work(size, [&](int threads) { kernels().boxes_f64(b, threads); });
  } else {
    refuse("sums are made in float32 and float64");
  }
}

}  // namespace

void add_window_calls(nb::module_& module) {
  module.def("weighted", weighted, nb::arg("out"), nb::arg("x"), nb::arg("begins"), nb::arg("sources"),
             nb::arg("weights"), "out[o, j, i] = the sum of weights[k] x[o, sources[k], i], k from begins[j] on.");
  module.def("boxes", boxes, nb::arg("out"), nb::arg("x"), nb::arg("ends"), nb::arg("divisors").none(),
             "The sum of each box of a plane, divided; ends are (tops, bottoms, lefts, rights).");
}

}  // namespace samebits::python::exact_arithmetic
