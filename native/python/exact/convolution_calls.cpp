// Convolution and its derivatives, as Python calls them.
#include <nanobind/stl/vector.h>

#include <vector>

#include "python/exact/arguments.hpp"
#include "python/exact/kernel_calls.hpp"

namespace samebits::python::exact_arithmetic {
namespace {

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

}  // namespace

void add_convolution_calls(nb::module_& module) {
  module.def("convolution", convolution, nb::arg("wanted"), nb::arg("x"), nb::arg("y"), nb::arg("weight"),
             nb::arg("bias").none(), nb::arg("sizes"), "A convolution, or one of its derivatives.");
}

}  // namespace samebits::python::exact_arithmetic
