// The shape of a convolution; axes are depth, height and width, of which the first ones may be 1.
#pragma once

namespace samebits::exact {

struct Convolution {
  long images, groups;
  long in_channels, out_channels;  // of one group
  long in[3], out[3], kernel[3], stride[3], padding[3], dilation[3];

  long in_places() const { return in[0] * in[1] * in[2]; }
  long out_places() const { return out[0] * out[1] * out[2]; }
  long taps() const { return kernel[0] * kernel[1] * kernel[2]; }
};

// Tensors are row-major: x [images][groups][in_channels][in], y likewise with out, weight
// [groups][out_channels][in_channels][kernel].
template <class T>
struct ConvolutionTensors {
  const T* x;
  const T* y;  // the gradient of the result, for the two derivatives
  const T* weight;
  const T* bias;  // or null
  T* result;      // y, the gradient of x, or the gradient of weight
};

}  // namespace samebits::exact
