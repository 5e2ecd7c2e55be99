// The planes that convolutions read: an image with its padding, split by the phase of the stride.
#pragma once

#include "exact/vec.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

constexpr long kSlack = 256;  // vectors may read beyond the last plane

// Planes of one image and group: [channel][phase][depth][height][width], zero where there is nothing.
struct Layout {
  long size[3];   // of a plane
  long phases[3];
  long front[3];  // places before the first value, in the unsplit input
  long plane() const { return size[0] * size[1] * size[2]; }
  long channel() const { return plane() * phases[0] * phases[1] * phases[2]; }
};

template <class T>
void fill_planes(const Layout& layout, const T* x, long channels, const long (&in)[3], T* planes) {
  T* to = planes;
  for (long c = 0; c < channels; ++c) {
    const T* image = x + c * in[0] * in[1] * in[2];
    for (long pd = 0; pd < layout.phases[0]; ++pd) {
      for (long ph = 0; ph < layout.phases[1]; ++ph) {
        for (long pw = 0; pw < layout.phases[2]; ++pw) {
          for (long d = 0; d < layout.size[0]; ++d) {
            const long id = d * layout.phases[0] + pd - layout.front[0];
            for (long h = 0; h < layout.size[1]; ++h, to += layout.size[2]) {
              const long ih = h * layout.phases[1] + ph - layout.front[1];
              if (id < 0 || id >= in[0] || ih < 0 || ih >= in[1]) {
                for (long w = 0; w < layout.size[2]; ++w) to[w] = 0;
                continue;
              }
              const T* row = image + (id * in[1] + ih) * in[2];
              const long step = layout.phases[2];
              const long shift = pw - layout.front[2];  // place w holds row[w * step + shift]
              long first = shift >= 0 ? 0 : (-shift + step - 1) / step;
              long last = in[2] - shift <= 0 ? 0 : (in[2] - shift + step - 1) / step;
              if (last > layout.size[2]) last = layout.size[2];
              if (first > last) first = last;
              for (long w = 0; w < first; ++w) to[w] = 0;
              if (step == 1) {
                __builtin_memcpy(to + first, row + first + shift, static_cast<size_t>(last - first) * sizeof(T));
              } else {
                for (long w = first; w < last; ++w) to[w] = row[w * step + shift];
              }
              for (long w = last; w < layout.size[2]; ++w) to[w] = 0;
            }
          }
        }
      }
    }
  }
  for (long i = 0; i < kSlack; ++i) to[i] = 0;
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
