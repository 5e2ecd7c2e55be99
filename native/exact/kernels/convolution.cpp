// Convolution and its derivative with respect to the input: products of the weights with a matrix
// that is never made.
//
// The input of an image is copied once into planes with its padding around it, split by the phase of
// the stride, so that one tap of the kernel reads neighbours for neighbouring results.
#include <atomic>

#include "exact/convolution.hpp"
#include "exact/kernels/builds.hpp"
#include "exact/kernels/course.hpp"
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

// The sums of a tile to the results, `step` apart along the width.
template <class T>
void settle(const T* sums, int rows, const T* bias, const Run* run, const Run* end, long step, T* out,
            long out_channel) {
  using V = vec<T>;
  constexpr int count = VectorOf<T>::count;
  for (int i = 0; i < rows; ++i, sums += panel<T>, out += out_channel) {
    const V add = bias == nullptr ? V{} : all<V>(bias[i]);
    for (const Run* r = run; r != end; ++r) {
      T* to = out + r->to;
      for (int x = 0; x < r->length; x += count, to += count * step) {
        V v = load<V>(sums + r->from + x);
        v = canonical(bias == nullptr ? v : v + add);
        const int here = r->length - x < count ? r->length - x : count;
        if (step != 1) {
          for (int l = 0; l < here; ++l) to[l * step] = v[l];
        } else if (here == count) {
          store(to, v);
        } else {
          store_first(to, v, here);
        }
      }
    }
  }
}

// Tiles [begin, end) of the results of one image and group.
template <class T>
void correlate(const Weights<T>& w, const Course& course, long step, const T* planes, const T* bias, T* out,
               long out_channel, long begin, long end) {
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
             course.runs + tile.run_end, step, out + channel * out_channel, out_channel);
    }
  }
}

constexpr long kWorthSharing = 1 << 14;  // weights that more than one thread packs

// Images by parts of an image, as many as keep the threads busy. A part makes its own planes, which costs
// a few hundredths of the image.
struct Split {
  long parts;
  long tiles_a_part;
};
Split split_of(long tiles, long units, int threads) {
  constexpr long kImage = 100, kPlanes = 4;
  long parts = 1, least = 0;
  for (long p = 1; p <= threads && p <= tiles; ++p) {
    const long turns = (units * p + threads - 1) / threads;
    const long cost = turns * (kImage / p + kPlanes);
    if (p > 1 && cost >= least) continue;
    parts = p;
    least = cost;
  }
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
  const Scene<T> scene{layout.size[1], layout.size[2],
                       {{c.out[0], c.out[1], c.out[2]}, {0, 0, 0}, {1, 1, 1}, {c.out[0], c.out[1], c.out[2]}}, k};
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
  const long units = c.images * c.groups;
  const Split split = split_of(scene.tiles(), units, threads);
  const long tiles = scene.tiles();
  std::atomic<bool> failed{false};
  parallel(units * split.parts, threads, [&](long task) {
    const long unit = task / split.parts;
    const long part = task % split.parts;
    const long group = unit % c.groups;
    T* planes = static_cast<T*>(scratch(static_cast<size_t>(c.in_channels * layout.channel() + kSlack) * sizeof(T)));
    if (planes == nullptr) {
      failed.store(true);
      return;
    }
    fill_planes(layout, t.x + unit * c.in_channels * c.in_places(), c.in_channels, c.in, planes);
    const Weights<T> w{strips, k, packed + group * c.out_channels * k, offsets};
    const long end = (part + 1) * split.tiles_a_part < tiles ? (part + 1) * split.tiles_a_part : tiles;
    correlate(w, course, 1, planes, t.bias == nullptr ? nullptr : t.bias + group * c.out_channels,
              t.result + unit * c.out_channels * c.out_places(), c.out_places(), part * split.tiles_a_part, end);
  });
  free_shared_scratch(packed);
  return !failed.load();
}

// One phase of the input's places, for the derivative: those that the same taps reach. Along an axis,
// input place i = j * stride + r - padding takes tap x from result j - (x - r) / stride, for the taps with
// x mod stride = r, where x = tap * dilation.
template <class T>
struct Phase {
  long r[3];
  Scene<T> scene;
  Course course;
  long base;      // of the first result in the planes
  T* packed;      // [group][strip][k][rows]
  long* offsets;  // [k]

  long k() const { return scene.k; }

  // False where no place of the input has this phase.
  bool set(const Convolution& c, const Layout& layout, long number) {
    r[0] = number / (c.stride[1] * c.stride[2]);
    r[1] = number / c.stride[2] % c.stride[1];
    r[2] = number % c.stride[2];
    scene.plane_height = layout.size[1];
    scene.plane_width = layout.size[2];
    base = 0;
    scene.k = c.out_channels;
    bool any = true;
    for (int a = 0; a < 3; ++a) {
      long first = -floor_div(r[a] - c.padding[a], c.stride[a]);  // the smallest j with i >= 0
      if (first < 0) first = 0;
      const long origin = first * c.stride[a] + r[a] - c.padding[a];
      scene.target.count[a] = origin >= c.in[a] ? 0 : (c.in[a] - 1 - origin) / c.stride[a] + 1;
      scene.target.origin[a] = origin;
      scene.target.step[a] = c.stride[a];
      scene.target.size[a] = c.in[a];
      any &= scene.target.count[a] > 0;
      base = base * layout.size[a] + first;
      long taps = 0;
      for (long tap = 0; tap < c.kernel[a]; ++tap) taps += reaches(c, a, tap);
      scene.k *= taps;
    }
    return any;
  }

  bool reaches(const Convolution& c, int axis, long tap) const {
    return tap * c.dilation[axis] % c.stride[axis] == r[axis];
  }

  // Calls use(channel, d, h, w) for the terms of a chain, in their order.
  template <class Use>
  void terms(const Convolution& c, Use use) const {
    for (long channel = 0; channel < c.out_channels; ++channel) {
      for (long d = 0; d < c.kernel[0]; ++d) {
        if (!reaches(c, 0, d)) continue;
        for (long h = 0; h < c.kernel[1]; ++h) {
          if (!reaches(c, 1, h)) continue;
          for (long w = 0; w < c.kernel[2]; ++w) {
            if (reaches(c, 2, w)) use(channel, d, h, w);
          }
        }
      }
    }
  }

  void fill_offsets(const Convolution& c, const Layout& layout) const {
    long* to = offsets;
    terms(c, [&](long channel, long d, long h, long w) {
      const long tap[3] = {d, h, w};
      long shift = 0;
      for (int a = 0; a < 3; ++a) {
        shift = shift * layout.size[a] + layout.front[a] - (tap[a] * c.dilation[a] - r[a]) / c.stride[a];
      }
      *to++ = channel * layout.channel() + shift;
    });
  }

  // The weights of one strip of a group.
  void pack(const Convolution& c, const T* weight, const Cut& strips, long group, long strip) const {
    T* to = packed + (group * c.in_channels + strips.begin(strip)) * k();
    const long rows = strips.rows(strip);
    terms(c, [&](long channel, long d, long h, long w) {
      const long first = (group * c.out_channels + channel) * c.in_channels + strips.begin(strip);
      const T* from = weight + ((first * c.kernel[0] + d) * c.kernel[1] + h) * c.kernel[2] + w;
      for (long i = 0; i < rows; ++i) *to++ = from[i * c.taps()];
    });
  }
};

template <class T>
bool backward_input(const Convolution& c, const ConvolutionTensors<T>& t, int threads) {
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
  const size_t weights = static_cast<size_t>(c.groups * c.in_channels * all_k + 2) / 2 * 2;
  size_t bytes = weights * sizeof(T) + static_cast<size_t>(all_k) * sizeof(long) +
                 static_cast<size_t>(phase_count) * sizeof(Phase<T>);
  for (long number = 0; number < phase_count; ++number) {
    Phase<T> phase;
    if (phase.set(c, layout, number) && phase.k() > 0) bytes += CourseMaker<T>::room(phase.scene);
  }
  T* packed = static_cast<T*>(shared_scratch(bytes));
  if (packed == nullptr) return false;
  T* const memory = packed;
  long* offsets = reinterpret_cast<long*>(memory + weights);
  auto* phases = reinterpret_cast<Phase<T>*>(offsets + all_k);
  auto* courses = reinterpret_cast<char*>(phases + phase_count);
  long used = 0;
  bool some_untouched = false;
  for (long number = 0; number < phase_count; ++number) {
    Phase<T>& phase = phases[used];
    if (!phase.set(c, layout, number)) continue;
    some_untouched |= phase.k() == 0;
    if (phase.k() == 0) continue;
    phase.packed = packed;
    phase.offsets = offsets;
    phase.fill_offsets(c, layout);
    phase.course = CourseMaker<T>(phase.scene, courses).make();
    packed += c.groups * c.in_channels * phase.k();
    offsets += phase.k();
    courses += CourseMaker<T>::room(phase.scene);
    ++used;
  }
  const long all_strips = c.groups * strips.parts;
  parallel(used * all_strips, c.groups * c.in_channels * all_k < kWorthSharing ? 1 : threads, [&](long task) {
    const long strip = task % all_strips;
    phases[task / all_strips].pack(c, t.weight, strips, strip / strips.parts, strip % strips.parts);
  });
  const long units = c.images * c.groups;
  const Split split = split_of(used == 0 ? 1 : phases[0].scene.tiles(), units, threads);
  if (some_untouched) {
    __builtin_memset(t.result, 0, static_cast<size_t>(units * c.in_channels * c.in_places()) * sizeof(T));
  }
  std::atomic<bool> failed{false};
  parallel(units * split.parts, threads, [&](long task) {
    const long unit = task / split.parts;
    const long part = task % split.parts;
    const long group = unit % c.groups;
    T* out = t.result + unit * c.in_channels * c.in_places();
    T* planes = static_cast<T*>(scratch(static_cast<size_t>(c.out_channels * layout.channel() + kSlack) * sizeof(T)));
    if (planes == nullptr) {
      failed.store(true);
      return;
    }
    fill_planes(layout, t.y + unit * c.out_channels * c.out_places(), c.out_channels, c.out, planes);
    for (long number = 0; number < used; ++number) {
      const Phase<T>& phase = phases[number];
      const Weights<T> w{strips, phase.k(), phase.packed + group * c.in_channels * phase.k(), phase.offsets};
      const long tiles = phase.scene.tiles();
      const long each_part = (tiles + split.parts - 1) / split.parts;
      const long end = (part + 1) * each_part < tiles ? (part + 1) * each_part : tiles;
      correlate(w, phase.course, c.stride[2], planes + phase.base, static_cast<const T*>(nullptr), out, c.in_places(),
                part * each_part, end);
    }
  });
  free_shared_scratch(memory);
  return !failed.load();
}

}  // namespace

bool convolution_f32(const Convolution& c, const ConvolutionTensors<float>& t, int threads) {
  return forward(c, t, threads);
}
bool convolution_f64(const Convolution& c, const ConvolutionTensors<double>& t, int threads) {
  return forward(c, t, threads);
}
bool convolution_input_f32(const Convolution& c, const ConvolutionTensors<float>& t, int threads) {
  return backward_input(c, t, threads);
}
bool convolution_input_f64(const Convolution& c, const ConvolutionTensors<double>& t, int threads) {
  return backward_input(c, t, threads);
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
