// What convolution and its derivative with respect to the input share: products of packed weights with a matrix
// that is never made, of which planes hold each value once.
#pragma once

#include "exact/convolution.hpp"
#include "exact/kernels/builds.hpp"
#include "exact/kernels/course.hpp"
#include "exact/kernels/images_together.hpp"
#include "exact/kernels/planes.hpp"
#include "exact/kernels/tile.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

// The weights of one group (and, for the derivative, of one phase), packed for tiles, and where each
// row of the matrix begins.
template <class T>
struct Weights {
  Cut strips;
  long k;
  T* packed;        // [strip][k][rows of the strip]
  long* offsets;    // [k]
};

// Where the results of a group go: channels `channel` values apart, the values of a run `step` apart.
template <class T>
struct Into {
  T* out;
  long channel;
  long step;
  int most;  // values of a vector that are kept: fewer where zeros fill up a vector of images
};

// The sums of a tile to the results, whose first channel begins at `out`.
template <class T>
void settle(const T* sums, int rows, const T* bias, const Run* run, const Run* end, const Into<T>& into, T* out) {
  using V = vec<T>;
  constexpr int count = VectorOf<T>::count;
  for (int i = 0; i < rows; ++i, sums += panel<T>, out += into.channel) {
    const V add = bias == nullptr ? V{} : all<V>(bias[i]);
    for (const Run* r = run; r != end; ++r) {
      for (int x = 0; x < r->length; x += count) {
        T* to = out + r->to + x * into.step;
        V v = load<V>(sums + r->from + x);
        v = canonical(bias == nullptr ? v : v + add);
        const int here = r->length - x < into.most ? r->length - x : into.most;
        if (into.step != 1) {
          for (int l = 0; l < here; ++l) to[l * into.step] = v[l];
        } else if (here == count) {
          store(to, v);
        } else {
          store_first(to, v, here);
        }
      }
    }
  }
}

// Tiles [begin, end) of the results of one group, of an image or several together.
template <class T>
void correlate(const Weights<T>& w, const Course& course, const T* planes, const T* bias, const Into<T>& into,
               long begin, long end) {
  using V = vec<T>;
  constexpr int count = VectorOf<T>::count;
  // A run may begin at the last value of a tile's rows, and is read as a vector.
  alignas(64) T group[kRows * panel<T> + count], total[kRows * panel<T> + count];
  const bool grouped = w.k > kChain * kGroup;
  for (long t = begin; t < end; ++t) {
    const Vectors& tile = course.tiles[t];
    Spread<T> b{};
    for (int j = 0; j < kVectors; ++j) b.first[j] = planes + tile.first[j];
    const T* packed = w.packed;
    for (long s = 0; s < w.strips.parts; ++s) {
      const int rows = static_cast<int>(w.strips.rows(s));
      const auto run = tile_of<T, SideBySide<T>, Spread<T>>(rows);
      for (long k0 = 0; k0 < w.k; k0 += kChain) {
        const long k = w.k - k0 < kChain ? w.k - k0 : kChain;
        b.offsets = w.offsets + k0;
        run(k, {packed + k0 * rows}, b, group, panel<T>, k0 % (kChain * kGroup) != 0);
        const bool ends = k0 + kChain >= w.k || (k0 + kChain) % (kChain * kGroup) == 0;
        if (!grouped || !ends) continue;
        for (int i = 0; i < rows * panel<T>; i += count) {
          const V v = load<V>(group + i);
          store(total + i, k0 < kChain * kGroup ? v : load<V>(total + i) + v);
        }
      }
      packed += w.k * rows;
      const long channel = w.strips.begin(s);
      settle(grouped ? total : group, rows, bias == nullptr ? nullptr : bias + channel, course.runs + tile.run,
             course.runs + tile.run_end, into, into.out + channel * into.channel);
    }
  }
}

constexpr long kWorthSharing = 1 << 14;  // weights that more than one thread packs

// The images of a group that are computed at once, and one stretch of their tiles.
struct ConvolutionTask {
  long group, part;
  long first;  // in units of a group's channels: image * groups + group
  long here;   // images

  ConvolutionTask(long number, const Convolution& c, long together, long parts) : part(number % parts) {
    const long unit = number / parts;
    group = unit % c.groups;
    const long image = unit / c.groups * together;
    first = image * c.groups + group;
    here = c.images - image < together ? c.images - image : together;
  }

  // The planes of the images, filled; null where there is no memory. x has so many channels a group.
  template <class T>
  T* planes(const Convolution& c, const Layout& layout, const T* x, long channels, const long (&in)[3]) const {
    T* planes = static_cast<T*>(scratch(static_cast<size_t>(channels * layout.channel() + kSlack) * sizeof(T)));
    if (planes == nullptr) return nullptr;
    const long size = channels * in[0] * in[1] * in[2];
    if (layout.images == 1) fill_planes(layout, x + first * size, channels, in, planes);
    else fill_together(layout, x + first * size, c.groups * size, here, channels, in, planes);
    return planes;
  }

  // Where results of so many channels and places go; those of an image lie `step` apart.
  template <class T>
  Into<T> into(const Convolution& c, const Layout& layout, T* result, long channels, long places, long step) const {
    T* out = result + first * channels * places;
    if (layout.images == 1) return {out, places, step, VectorOf<T>::count};
    return {out, places, c.groups * channels * places, static_cast<int>(here)};
  }
};

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
