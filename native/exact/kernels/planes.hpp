// The planes that convolutions read: an image with its padding, split by the phase of the stride.
#pragma once

#include "exact/vec.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

constexpr long kSlack = 256;  // vectors may read beyond the last plane

// Planes of one group: [channel][phase][depth][height][width][image], zero where there is nothing.
struct Layout {
  long size[3];   // of a plane
  long phases[3];
  long front[3];  // places before the first value, in the unsplit input
  long images = 1;
  long between = 0;  // values between channels that nobody reads
  long plane() const { return size[0] * size[1] * size[2] * images; }
  long channel() const { return plane() * phases[0] * phases[1] * phases[2] + between; }
  // Where a tap, so many places from the first along each axis, begins in the planes of a channel.
  long of_tap(const long (&x)[3]) const {
    const long phase = ((x[0] % phases[0]) * phases[1] + x[1] % phases[1]) * phases[2] + x[2] % phases[2];
    const long row = (x[0] / phases[0]) * size[1] + x[1] / phases[1];
    return phase * plane() + (row * size[2] + x[2] / phases[2]) * images;
  }
};

// The depths and heights of planes that are wanted.
struct Slab {
  long begin[2], end[2];
};

// Values shift, shift + step, … of a row to `n` places, zeros where the row of `size` has none. Vectors
// write beyond what they mean, where later ones put it right, and read no further than `readable`.
// What lies `ahead` values further is wanted soon: a channel may be a page, and what a processor
// fetches by itself ends with a page.
template <class T>
SAMEBITS_INLINE void fill_row(const T* row, const T* readable, long ahead, long size, long shift, long step, T* to,
                              long n) {
  using V = vec<T>;
  constexpr int count = VectorOf<T>::count;
  long first = shift >= 0 ? 0 : -shift;
  long last = size > shift ? size - shift : 0;
  if (step > 1) {
    first = (first + step - 1) / step;
    last = (last + step - 1) / step;
  }
  if (last > n) last = n;
  if (first > last) first = last;
  for (long w = 0; w < first; w += count) store(to + w, V{});
  if (step == 1) {
    for (long w = first; w < last; w += count) {
      const T* from = row + w + shift;
      __builtin_prefetch(from + ahead);
      if (from + count <= readable) {
        store(to + w, load<V>(from));
      } else {
        for (long i = w; i < last; ++i) to[i] = row[i + shift];
        break;
      }
    }
  } else {
    for (long w = first; w < last; ++w) to[w] = row[w * step + shift];
  }
  for (long w = last; w < n; w += count) store(to + w, V{});
}

template <class T>
void fill_planes(const Layout& layout, const Slab& slab, const T* x, long channels, const long (&in)[3],
                 T* planes) {
  const long size = in[0] * in[1] * in[2];
  const T* readable = x + channels * size;
  for (long c = 0; c < channels; ++c) {
    const T* image = x + c * size;
    T* plane = planes + c * layout.channel();
    for (long pd = 0; pd < layout.phases[0]; ++pd) {
      for (long ph = 0; ph < layout.phases[1]; ++ph) {
        for (long pw = 0; pw < layout.phases[2]; ++pw, plane += layout.plane()) {
          for (long d = slab.begin[0]; d < slab.end[0]; ++d) {
            const long id = d * layout.phases[0] + pd - layout.front[0];
            T* to = plane + (d * layout.size[1] + slab.begin[1]) * layout.size[2];
            for (long h = slab.begin[1]; h < slab.end[1]; ++h, to += layout.size[2]) {
              const long ih = h * layout.phases[1] + ph - layout.front[1];
              const bool inside = id >= 0 && id < in[0] && ih >= 0 && ih < in[1];
              const T* row = inside ? image + (id * in[1] + ih) * in[2] : image;
              fill_row(row, readable, size, inside ? in[2] : 0, pw - layout.front[2], layout.phases[2], to,
                       layout.size[2]);
            }
          }
        }
      }
    }
  }
}

// All of it, and zeros after the last plane.
template <class T>
void fill_planes(const Layout& layout, const T* x, long channels, const long (&in)[3], T* planes) {
  fill_planes(layout, {{0, 0}, {layout.size[0], layout.size[1]}}, x, channels, in, planes);
  T* beyond = planes + channels * layout.channel();
  for (long i = 0; i < kSlack; ++i) beyond[i] = 0;
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
