// A vector of images side by side, where each alone has too few places to fill vectors: 4 x 4 places leave half of them
// empty, and the gaps between rows fill others.
#pragma once

#include "exact/convolution.hpp"
#include "exact/kernels/course.hpp"
#include "exact/kernels/planes.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

// The tiles of a unit (an image and group, or a vector of images) in parts, as many as keep the threads busy. Each
// part makes the planes of its unit anew.
struct TileSplit {
  long parts;
  long tiles_a_part;
  long cost;
};
inline TileSplit split_tiles(long tiles, long units, int threads, long unit_cost, long planes_cost) {
  long parts = 1, least = 0;
  for (long p = 1; p <= threads && p <= tiles; ++p) {
    const long turns = (units * p + threads - 1) / threads;
    const long cost = turns * (unit_cost / p + planes_cost);
    if (p > 1 && cost >= least) continue;
    parts = p;
    least = cost;
  }
  const long each_part = (tiles + parts - 1) / parts;
  return {(tiles + each_part - 1) / each_part, each_part, least};
}

// Whether the images of a convolution are computed side by side. Costs are in vectors multiplied and added.
template <class T>
class TogetherOrApart {
 public:
  static constexpr long count = VectorOf<T>::count;

  // The planes of an image and group have so many values, its results so many channels.
  TogetherOrApart(const Convolution& c, long plane_values, long channels, int threads)
      : c_(c), plane_values_(plane_values), channels_(channels), threads_(threads) {}

  // A scene of each unit: where results go by phases of a stride, there are several.
  void add(Scene<T> scene) {
    scene.images = 1;
    if (apart_cost_ == 0) apart_tiles_ = scene.tiles();
    apart_cost_ += scene.steps() * channels_;
    scene.images = count;
    if (together_cost_ == 0) together_tiles_ = scene.tiles();
    together_cost_ += (scene.steps() + kStored * count * scene.rows() * scene.target.count[2]) * channels_;
  }

  // The number of images to lay side by side: together they must save a tenth, and their planes fit a cache.
  long images() const {
    const bool fits = plane_values_ * count * static_cast<long>(sizeof(T)) <= kMostBytes;
    return fits && 10 * together().cost < 9 * apart().cost ? count : 1;
  }
  TileSplit split() const { return images() == 1 ? apart() : together(); }

 private:
  static constexpr long kFilled = 4;  // a value that is put between those of other images
  static constexpr long kStored = 1;  // a result that is taken from between them
  static constexpr long kMostBytes = 4 << 20;

  TileSplit apart() const {
    // Planes are a few hundredths of an image.
    return split_tiles(apart_tiles_, c_.images * c_.groups, threads_, apart_cost_, apart_cost_ / 25);
  }
  TileSplit together() const {
    const long units = (c_.images + count - 1) / count * c_.groups;
    return split_tiles(together_tiles_, units, threads_, together_cost_, kFilled * count * plane_values_);
  }

  const Convolution& c_;
  const long plane_values_, channels_;
  const int threads_;
  long apart_tiles_ = 1, together_tiles_ = 1;
  long apart_cost_ = 0, together_cost_ = 0;
};

// Lays so many images side by side. Channels begin an odd number of cache lines apart: a power of two would have them
// all in the same few places of a cache.
template <class T>
void lay_together(Layout* layout, long images) {
  layout->images = images;
  if (images == 1) return;
  constexpr long line = 64 / static_cast<long>(sizeof(T));
  const long lines = (layout->channel() + line - 1) / line | 1;
  layout->between = lines * line - layout->channel();
}

// The planes of `here` images, each `image` values behind the one before, and zeros for those that fill up the vector.
template <class T>
void fill_together(const Layout& layout, const T* x, long image, long here, long channels, const long (&in)[3],
                   T* planes) {
  using V = vec<T>;
  constexpr long count = VectorOf<T>::count;
  for (long c = 0; c < channels; ++c, x += in[0] * in[1] * in[2]) {
    T* to = planes + c * layout.channel();
    for (long phase = 0; phase < layout.phases[0] * layout.phases[1] * layout.phases[2]; ++phase) {
      const long pd = phase / (layout.phases[1] * layout.phases[2]) - layout.front[0];
      const long ph = phase / layout.phases[2] % layout.phases[1] - layout.front[1];
      const long pw = phase % layout.phases[2] - layout.front[2];
      for (long row = 0; row < layout.size[0] * layout.size[1]; ++row) {
        const long d = row / layout.size[1] * layout.phases[0] + pd;
        const long h = row % layout.size[1] * layout.phases[1] + ph;
        const bool inside = d >= 0 && d < in[0] && h >= 0 && h < in[1];
        const T* from = inside ? x + (d * in[1] + h) * in[2] : x;
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
