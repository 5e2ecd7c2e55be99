// Convolution and its derivative with respect to the input: products of the weights with a matrix
// that is never made.
//
// The input of an image is copied once into planes with its padding around it, split by the phase of
// the stride, so that one tap of the kernel reads neighbours for neighbouring results:
//
//   row k = (channel, tap) of the matrix, from its offset on:   x0 x1 x2 x3 | p p | x4 x5 …
//   results, a plane's width apart from row to row:             y0 y1 y2 y3 | – – | y4 y5 …
//
// What is computed between two rows of results is thrown away.
#include "exact/convolution.hpp"
#include "exact/kernels/builds.hpp"
#include "exact/kernels/planes.hpp"
#include "exact/kernels/tile.hpp"
#include "exact/pool.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {
namespace {

// The weights of one group (and, for the derivative, of one phase), packed for tiles, and where each
// row of the matrix begins.
template <class T>
struct Weights {
  Cut strips;
  long k;
  T* packed;        // [strip][k][rows of the strip]
  long* offsets;    // [k]
};

// Where results go: along each axis `count` of them, the first at `origin`, `step` apart.
struct Target {
  long count[3], origin[3], step[3], size[3];
};

template <class T>
struct Scene {
  long plane_height, plane_width;  // of the planes that offsets refer to
  Target target;
  long places() const {
    return ((target.count[0] - 1) * plane_height + target.count[1] - 1) * plane_width + target.count[2];
  }
};

template <class T>
SAMEBITS_INLINE void add_tile(T* to, const T* from, int rows, bool first) {
  using V = vec<T>;
  constexpr int count = VectorOf<T>::count;
  for (int i = 0; i < rows * panel<T>; i += count) {
    const V v = load<V>(from + i);
    store(to + i, first ? v : load<V>(to + i) + v);
  }
}

// Tiles [begin, end) of the results of one image and group.
template <class T>
void correlate(const Weights<T>& w, const Scene<T>& scene, const T* planes, const T* bias, T* out,
               long out_channel, long begin, long end) {
  using V = vec<T>;
  alignas(64) T values[kRows * panel<T>], group[kRows * panel<T>], total[kRows * panel<T>];
  const long places = scene.places();
  for (long t = begin; t < end; ++t) {
    const long q0 = t * panel<T>;
    const T* packed = w.packed;
    for (long s = 0; s < w.strips.parts; ++s) {
      const int rows = static_cast<int>(w.strips.rows(s));
      const auto run = tile_of<T, SideBySide<T>, const long*>(rows);
      T* sum = total;
      if (w.k > kChain) {
        for (long k0 = 0; k0 < w.k; k0 += kChain) {
          const long k = w.k - k0 < kChain ? w.k - k0 : kChain;
          const bool first = k0 % (kChain * kGroup) == 0;
          run(k, {packed + k0 * rows}, planes + q0, w.offsets + k0, first ? group : values, panel<T>, false);
          if (!first) add_tile(group, values, rows, false);
          if (k0 + kChain >= w.k || (k0 + kChain) % (kChain * kGroup) == 0) {
            add_tile(total, group, rows, k0 < kChain * kGroup);
          }
        }
      } else {
        run(w.k, {packed}, planes + q0, w.offsets, total, panel<T>, false);
      }
      packed += w.k * rows;
      for (int i = 0; i < rows; ++i) {
        const long channel = w.strips.begin(s) + i;
        for (int j = 0; j < panel<T>; j += VectorOf<T>::count) {
          V v = load<V>(sum + i * panel<T> + j);
          if (bias != nullptr) v = v + all<V>(bias[channel]);
          store(sum + i * panel<T> + j, canonical(v));
        }
      }
      // From places in the planes to results, a run along the width at a time.
      const Target& to = scene.target;
      long q = q0;
      const long q_end = q0 + panel<T> < places ? q0 + panel<T> : places;
      while (q < q_end) {
        const long w0 = q % scene.plane_width;
        const long h = q / scene.plane_width % scene.plane_height;
        const long d = q / scene.plane_width / scene.plane_height;
        long length = scene.plane_width - w0 < q_end - q ? scene.plane_width - w0 : q_end - q;
        if (h < to.count[1] && w0 < to.count[2]) {
          const long here = to.count[2] - w0 < length ? to.count[2] - w0 : length;
          const long at = ((to.origin[0] + d * to.step[0]) * to.size[1] + to.origin[1] + h * to.step[1]) * to.size[2] +
                          to.origin[2] + w0 * to.step[2];
          for (int i = 0; i < rows; ++i) {
            T* row = out + (w.strips.begin(s) + i) * out_channel + at;
            const T* from = sum + i * panel<T> + (q - q0);
            if (to.step[2] == 1) {
              __builtin_memcpy(row, from, static_cast<size_t>(here) * sizeof(T));
            } else {
              for (long x = 0; x < here; ++x) row[x * to.step[2]] = from[x];
            }
          }
        }
        q += length;
      }
    }
  }
}

// Images by parts of an image, as many as keep the threads busy.
struct Split {
  long parts;
  long tiles_a_part;
};
template <class T>
Split split_of(long places, long units, int threads) {
  const long tiles = (places + panel<T> - 1) / panel<T>;
  long parts = units >= threads ? 1 : (threads + units - 1) / units;
  if (parts > tiles) parts = tiles;
  const long each_part = (tiles + parts - 1) / parts;
  return {(tiles + each_part - 1) / each_part, each_part};
}

long floor_div(long a, long b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

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
  T* packed = static_cast<T*>(shared_scratch(weights * sizeof(T) + static_cast<size_t>(k) * sizeof(long)));
  if (packed == nullptr) return false;
  long* offsets = reinterpret_cast<long*>(packed + (weights + 1) / 2 * 2);
  T* to = packed;
  for (long g = 0; g < c.groups; ++g) {
    for (long s = 0; s < strips.parts; ++s) {
      const T* from = t.weight + (g * c.out_channels + strips.begin(s)) * k;
      for (long p = 0; p < k; ++p) {
        for (long i = 0; i < strips.rows(s); ++i) *to++ = from[i * k + p];
      }
    }
  }
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
  const Scene<T> scene{layout.size[1], layout.size[2],
                       {{c.out[0], c.out[1], c.out[2]}, {0, 0, 0}, {1, 1, 1}, {c.out[0], c.out[1], c.out[2]}}};
  const long units = c.images * c.groups;
  const Split split = split_of<T>(scene.places(), units, threads);
  const long tiles = (scene.places() + panel<T> - 1) / panel<T>;
  bool failed = false;
  parallel(units * split.parts, threads, [&](long task) {
    const long unit = task / split.parts;
    const long part = task % split.parts;
    const long group = unit % c.groups;
    T* planes = static_cast<T*>(scratch(static_cast<size_t>(c.in_channels * layout.channel() + kSlack) * sizeof(T)));
    if (planes == nullptr) {
      failed = true;
      return;
    }
    fill_planes(layout, t.x + unit * c.in_channels * c.in_places(), c.in_channels, c.in, planes);
    const Weights<T> w{strips, k, packed + group * c.out_channels * k, offsets};
    const long end = (part + 1) * split.tiles_a_part < tiles ? (part + 1) * split.tiles_a_part : tiles;
    correlate(w, scene, planes, t.bias == nullptr ? nullptr : t.bias + group * c.out_channels,
              t.result + unit * c.out_channels * c.out_places(), c.out_places(), part * split.tiles_a_part, end);
  });
  free_shared_scratch(packed);
  return !failed;
}

// One phase of the input's places, for the derivative: those that the same taps reach.
template <class T>
struct Phase {
  Scene<T> scene;
  long base;  // of the first result in the planes
  long k;
  T* packed;      // [group][strip][k][rows]
  long* offsets;  // [k]
};

template <class T>
bool backward_input(const Convolution& c, const ConvolutionTensors<T>& t, int threads) {
  // Along an axis, input place i = j * stride + r - padding takes tap x from result j - (x - r) / stride,
  // for the taps with x mod stride = r, where x = tap * dilation.
  Layout layout;
  for (int a = 0; a < 3; ++a) {
    layout.phases[a] = 1;
    layout.front[a] = (c.kernel[a] - 1) * c.dilation[a] / c.stride[a];
    const long last = (c.in[a] - 1 + c.padding[a]) / c.stride[a];
    layout.size[a] = layout.front[a] + (c.out[a] > last + 1 ? c.out[a] : last + 1);
  }
  const Cut strips(c.in_channels, kRows);
  const long all_k = c.out_channels * c.taps();
  const long phase_count = c.stride[0] * c.stride[1] * c.stride[2];
  const size_t weights = static_cast<size_t>(c.groups * c.in_channels * all_k);
  const size_t bytes = (weights + 2) * sizeof(T) + static_cast<size_t>(all_k) * sizeof(long) +
                       static_cast<size_t>(phase_count) * sizeof(Phase<T>) + 64;
  T* memory = static_cast<T*>(shared_scratch(bytes));
  if (memory == nullptr) return false;
  long* offsets = reinterpret_cast<long*>(memory + (weights + 1) / 2 * 2);
  auto* phases = reinterpret_cast<Phase<T>*>(offsets + all_k);
  T* packed = memory;
  long used = 0;
  bool some_untouched = false;
  for (long number = 0; number < phase_count; ++number) {
    const long r[3] = {number / (c.stride[1] * c.stride[2]), number / c.stride[2] % c.stride[1], number % c.stride[2]};
    Phase<T> phase{};
    long first[3];
    bool empty = false;
    for (int a = 0; a < 3; ++a) {
      first[a] = -floor_div(r[a] - c.padding[a], c.stride[a]);  // the smallest j with i >= 0
      if (first[a] < 0) first[a] = 0;
      const long origin = first[a] * c.stride[a] + r[a] - c.padding[a];
      const long count = origin >= c.in[a] ? 0 : (c.in[a] - 1 - origin) / c.stride[a] + 1;
      empty |= count == 0;
      phase.scene.target.count[a] = count;
      phase.scene.target.origin[a] = origin;
      phase.scene.target.step[a] = c.stride[a];
      phase.scene.target.size[a] = c.in[a];
    }
    if (empty) continue;
    phase.scene.plane_height = layout.size[1];
    phase.scene.plane_width = layout.size[2];
    phase.base = (first[0] * layout.size[1] + first[1]) * layout.size[2] + first[2];
    phase.packed = packed;
    phase.offsets = offsets;
    const auto taps = [&](auto use) {
      for (long channel = 0; channel < c.out_channels; ++channel) {
        for (long d = 0; d < c.kernel[0]; ++d) {
          if (d * c.dilation[0] % c.stride[0] != r[0]) continue;
          for (long h = 0; h < c.kernel[1]; ++h) {
            if (h * c.dilation[1] % c.stride[1] != r[1]) continue;
            for (long w = 0; w < c.kernel[2]; ++w) {
              if (w * c.dilation[2] % c.stride[2] == r[2]) use(channel, d, h, w);
            }
          }
        }
      }
    };
    taps([&](long channel, long d, long h, long w) {
      const long shift[3] = {layout.front[0] - (d * c.dilation[0] - r[0]) / c.stride[0],
                             layout.front[1] - (h * c.dilation[1] - r[1]) / c.stride[1],
                             layout.front[2] - (w * c.dilation[2] - r[2]) / c.stride[2]};
      *offsets++ = channel * layout.channel() + (shift[0] * layout.size[1] + shift[1]) * layout.size[2] + shift[2];
      ++phase.k;
    });
    some_untouched |= phase.k == 0;
    if (phase.k == 0) continue;
    for (long g = 0; g < c.groups; ++g) {
      for (long s = 0; s < strips.parts; ++s) {
        taps([&](long channel, long d, long h, long w) {
          for (long i = 0; i < strips.rows(s); ++i) {
            const long row = (g * c.out_channels + channel) * c.in_channels + strips.begin(s) + i;
            *packed++ = t.weight[((row * c.kernel[0] + d) * c.kernel[1] + h) * c.kernel[2] + w];
          }
        });
      }
    }
    phases[used++] = phase;
  }
  const long units = c.images * c.groups;
  const Split split = split_of<T>(used == 0 ? 1 : phases[0].scene.places(), units, threads);
  if (some_untouched) __builtin_memset(t.result, 0, static_cast<size_t>(units * c.in_channels * c.in_places()) * sizeof(T));
  bool failed = false;
  parallel(units * split.parts, threads, [&](long task) {
    const long unit = task / split.parts;
    const long part = task % split.parts;
    const long group = unit % c.groups;
    T* out = t.result + unit * c.in_channels * c.in_places();
    T* planes = static_cast<T*>(scratch(static_cast<size_t>(c.out_channels * layout.channel() + kSlack) * sizeof(T)));
    if (planes == nullptr) {
      failed = true;
      return;
    }
    fill_planes(layout, t.y + unit * c.out_channels * c.out_places(), c.out_channels, c.out, planes);
    for (long number = 0; number < used; ++number) {
      const Phase<T>& phase = phases[number];
      const Weights<T> w{strips, phase.k, phase.packed + group * c.in_channels * phase.k, phase.offsets};
      const long tiles = (phase.scene.places() + panel<T> - 1) / panel<T>;
      const long each_part = (tiles + split.parts - 1) / split.parts;
      const long end = (part + 1) * each_part < tiles ? (part + 1) * each_part : tiles;
      correlate(w, phase.scene, planes + phase.base, static_cast<const T*>(nullptr), out, c.in_places(), part * each_part, end);
    }
  });
  free_shared_scratch(memory);
  return !failed;
}

}  // namespace

bool convolution_f32(const Convolution& c, const ConvolutionTensors<float>& t, int threads) { return forward(c, t, threads); }
bool convolution_f64(const Convolution& c, const ConvolutionTensors<double>& t, int threads) { return forward(c, t, threads); }
bool convolution_input_f32(const Convolution& c, const ConvolutionTensors<float>& t, int threads) { return backward_input(c, t, threads); }
bool convolution_input_f64(const Convolution& c, const ConvolutionTensors<double>& t, int threads) { return backward_input(c, t, threads); }

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
