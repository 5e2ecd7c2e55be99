// Convolution: products of the weights with a matrix that is never made.
//
// The input of an image is copied once into planes with its padding around it, split by the phase of
// the stride, so that one tap of the kernel reads neighbours for neighbouring results. Small images are laid
// side by side, so that a vector holds one place of several.
#include <atomic>

#include "exact/kernels/correlation.hpp"
#include "exact/pool.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {
namespace {

template <class T>
bool forward(const Convolution& c, const ConvolutionTensors<T>& t, int threads) {
  Layout layout;
  for (int a = 0; a < 3; ++a) {
    layout.phases[a] = c.stride[a];
    layout.front[a] = c.padding[a];
    layout.size[a] = c.out[a] + (c.kernel[a] - 1) * c.dilation[a] / c.stride[a];
  }
  const long k = c.in_channels * c.taps();
  const Cut strips(c.out_channels, kRows);
  const size_t weights = static_cast<size_t>(c.groups * c.out_channels * k);
  Scene<T> scene{layout.size[1], layout.size[2],
                 {{c.out[0], c.out[1], c.out[2]}, {0, 0, 0}, {1, 1, 1}, {c.out[0], c.out[1], c.out[2]}}, k, 1};
  TogetherOrApart<T> choice(c, c.in_channels * layout.channel(), c.out_channels, threads);
  choice.add(scene);
  scene.images = choice.images();
  lay_together<T>(&layout, scene.images);
  const size_t bytes = (weights + 2) * sizeof(T) + static_cast<size_t>(k) * sizeof(long) + CourseMaker<T>::room(scene);
  T* packed = static_cast<T*>(shared_scratch(bytes));
  if (packed == nullptr) return false;
  long* offsets = reinterpret_cast<long*>(packed + (weights + 1) / 2 * 2);
  parallel(c.groups * strips.parts, weights < kWorthSharing ? 1 : threads, [&](long task) {
    const long first = task / strips.parts * c.out_channels + strips.begin(task % strips.parts);
    const T* from = t.weight + first * k;
    T* to = packed + first * k;
    const long rows = strips.rows(task % strips.parts);
    for (long p = 0; p < k; ++p) {
      for (long i = 0; i < rows; ++i) *to++ = from[i * k + p];
    }
  });
  long row = 0;
  for (long channel = 0; channel < c.in_channels; ++channel) {
    for (long d = 0; d < c.kernel[0]; ++d) {
      for (long h = 0; h < c.kernel[1]; ++h) {
        for (long w = 0; w < c.kernel[2]; ++w) {
          const long tap[3] = {d * c.dilation[0], h * c.dilation[1], w * c.dilation[2]};
          offsets[row++] = channel * layout.channel() + layout.of_tap(tap);
        }
      }
    }
  }
  const Course course = CourseMaker<T>(scene, offsets + k).make();
  const long units = (c.images + layout.images - 1) / layout.images * c.groups;
  const TileSplit split = choice.split();
  const long tiles = scene.tiles();
  std::atomic<bool> failed{false};
  parallel(units * split.parts, threads, [&](long number) {
    const ConvolutionTask task(number, c, layout.images, split.parts);
    const T* planes = task.planes(c, layout, t.x, c.in_channels, c.in);
    if (planes == nullptr) {
      failed.store(true);
      return;
    }
    const Weights<T> w{strips, k, packed + task.group * c.out_channels * k, offsets};
    const long begin = task.part * split.tiles_a_part;
    const long end = begin + split.tiles_a_part < tiles ? begin + split.tiles_a_part : tiles;
    correlate(w, course, planes, t.bias == nullptr ? nullptr : t.bias + task.group * c.out_channels,
              task.into(c, layout, t.result, c.out_channels, c.out_places(), 1), begin, end);
  });
  free_shared_scratch(packed);
  return !failed.load();
}

}  // namespace

bool convolution_f32(const Convolution& c, const ConvolutionTensors<float>& t, int threads) {
  return forward(c, t, threads);
}
bool convolution_f64(const Convolution& c, const ConvolutionTensors<double>& t, int threads) {
  return forward(c, t, threads);
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
