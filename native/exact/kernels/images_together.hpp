// A vector of images side by side, where each alone has too few places to fill vectors: 4 x 4 places leave half of them
// empty, and the gaps between rows fill others.
#pragma once

#include "exact/convolution.hpp"
#include "exact/kernels/course.hpp"
#include "exact/kernels/planes.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

// What the images of a convolution cost, apart and together: in vectors multiplied and added.
template <class T>
class TogetherOrApart {
 public:
  static constexpr long count = VectorOf<T>::count;

  // The planes that are read have so many values an image; each result has so many channels.
  TogetherOrApart(const Convolution& c, long values, long channels)
      : images_(c.images), channels_(channels), together_(kFilled * count * values) {}

  void add(Scene<T> scene) {
    scene.images = 1;
    apart_ += scene.steps() * channels_;
    scene.images = count;
    together_ += scene.steps() * channels_;
  }

  // The number of images to lay side by side.
  long images() const { return (images_ + count - 1) / count * together_ < images_ * apart_ ? count : 1; }

 private:
  static constexpr long kFilled = 4;  // what a value costs that is laid beside those of other images

  long images_;
  long channels_;
  long apart_ = 0;
  long together_;
};

// The planes of `here` images, each `image` values behind the one before, and zeros for those that fill up the vector.
template <class T>
void fill_together(const Layout& layout, const T* x, long image, long here, long channels, const long (&in)[3],
                   T* planes) {
  using V = vec<T>;
  constexpr long count = VectorOf<T>::count;
  T* to = planes;
  for (long c = 0; c < channels; ++c, x += in[0] * in[1] * in[2]) {
    for (long phase = 0; phase < layout.phases[0] * layout.phases[1] * layout.phases[2]; ++phase) {
      const long pd = phase / (layout.phases[1] * layout.phases[2]) - layout.front[0];
      const long ph = phase / layout.phases[2] % layout.phases[1] - layout.front[1];
      const long pw = phase % layout.phases[2] - layout.front[2];
      for (long row = 0; row < layout.size[0] * layout.size[1]; ++row) {
        const long d = row / layout.size[1] * layout.phases[0] + pd;
        const long h = row % layout.size[1] * layout.phases[1] + ph;
        const bool inside = d >= 0 && d < in[0] && h >= 0 && h < in[1];
        const T* from = x + (d * in[1] + h) * in[2];
        for (long place = 0; place < layout.size[2]; ++place, to += count) {
          const long w = place * layout.phases[2] + pw;
          store(to, V{});
          if (!inside || w < 0 || w >= in[2]) continue;
          for (long i = 0; i < here; ++i) to[i] = from[i * image + w];
        }
      }
    }
  }
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
