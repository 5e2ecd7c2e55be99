// The derivative of convolution with respect to the input: a convolution of the results' gradients for each phase
// of the stride, with the taps that reach it.
#include <atomic>

#include "exact/kernels/correlation.hpp"
#include "exact/pool.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {
namespace {

long floor_div(long a, long b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

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
    scene.images = layout.images;
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
    base *= layout.images;
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
      *to++ = channel * layout.channel() + shift * layout.images;
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
  TogetherOrApart<T> choice(c, c.out_channels * layout.channel(), c.in_channels, threads);
  for (long number = 0; number < phase_count; ++number) {
    Phase<T> phase;
    if (phase.set(c, layout, number)) choice.add(phase.scene);
  }
  lay_together<T>(&layout, choice.images());
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
  const long units = (c.images + layout.images - 1) / layout.images * c.groups;
  const TileSplit split = choice.split();
  if (some_untouched) {
    __builtin_memset(t.result, 0, static_cast<size_t>(c.images * c.groups * c.in_channels * c.in_places()) * sizeof(T));
  }
  std::atomic<bool> failed{false};
  parallel(units * split.parts, threads, [&](long number) {
    const ConvolutionTask task(number, c, layout.images, split.parts);
    const T* planes = task.planes(c, layout, t.y, c.out_channels, c.out);
    if (planes == nullptr) {
      failed.store(true);
      return;
    }
    const Into<T> into = task.into(c, layout, t.result, c.in_channels, c.in_places(), c.stride[2]);
    for (long p = 0; p < used; ++p) {
      const Phase<T>& phase = phases[p];
      const Weights<T> w{strips, phase.k(), phase.packed + task.group * c.in_channels * phase.k(), phase.offsets};
      const long tiles = phase.scene.tiles();
      const long each_part = (tiles + split.parts - 1) / split.parts;
      const long end = (task.part + 1) * each_part < tiles ? (task.part + 1) * each_part : tiles;
      correlate(w, phase.course, planes + phase.base, static_cast<const T*>(nullptr), into, task.part * each_part, end);
    }
  });
  free_shared_scratch(memory);
  return !failed.load();
}

}  // namespace

bool convolution_input_f32(const Convolution& c, const ConvolutionTensors<float>& t, int threads) {
  return backward_input(c, t, threads);
}
bool convolution_input_f64(const Convolution& c, const ConvolutionTensors<double>& t, int threads) {
  return backward_input(c, t, threads);
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
