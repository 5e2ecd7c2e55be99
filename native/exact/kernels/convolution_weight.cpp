// The derivative of a convolution with respect to its weights: chains over all places of all images.
//
// Rows of the product are (channel, tap), columns are output channels, and k runs over images and
// their results in row-major order, so that a row of a is runs of a plane.
#include "exact/convolution.hpp"
#include "exact/kernels/builds.hpp"
#include "exact/kernels/planes.hpp"
#include "exact/kernels/tile.hpp"
#include "exact/kernels/transpose.hpp"
#include "exact/pool.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {
namespace {

template <class T>
class WeightPart {
 public:
  // Rows [r0, r1) of group g; the planes of the channels that they read are made image by image.
  WeightPart(const Convolution& c, const ConvolutionTensors<T>& t, const Layout& layout, long g, long r0, long r1)
      : c_(c), t_(t), layout_(layout), g_(g), r0_(r0), r1_(r1), panels_((c.out_channels + panel<T> - 1) / panel<T>),
        width_(panels_ * panel<T>), channel0_(r0 / c.taps()), channels_((r1 - 1) / c.taps() + 1 - channel0_) {}

  bool run() {
    const size_t planes = static_cast<size_t>(channels_ * layout_.channel() + kSlack);
    const size_t sums = static_cast<size_t>((r1_ - r0_) * width_);
    const size_t size = planes + 2 * sums + static_cast<size_t>(kChain) * static_cast<size_t>(width_ + 2 * kRows + 16) + 64;
    T* memory = static_cast<T*>(scratch(size * sizeof(T)));
    if (memory == nullptr) return false;
    planes_ = memory;
    total_ = planes_ + planes;
    group_ = total_ + sums;
    columns_ = group_ + sums;                    // [kChain][width]
    packed_ = columns_ + kChain * width_;        // [kChain][kRows]
    const long places = c_.out_places();
    const long k = c_.images * places;
    for (long i = 0; i < (r1_ - r0_) * width_; ++i) total_[i] = 0;
    if (c_.out_channels < width_) {
      for (long i = 0; i < kChain * width_; ++i) columns_[i] = 0;
    }
    // The rows of a block may come from two images or more: their pieces are laid side by side.
    const Cut strips(r1_ - r0_, kRows);
    pieces_ = static_cast<T*>(shared_scratch(static_cast<size_t>(strips.parts * kRows * kChain) * sizeof(T)));
    if (pieces_ == nullptr) return false;
    long image = -1;
    for (long k0 = 0; k0 < k; k0 += kChain) {
      const long here = k - k0 < kChain ? k - k0 : kChain;
      for (long done = 0; done < here;) {
        const long n = (k0 + done) / places;
        const long place = (k0 + done) % places;
        const long piece = places - place < here - done ? places - place : here - done;
        if (n != image) {
          image = n;
          const T* x = t_.x + ((n * c_.groups + g_) * c_.in_channels + channel0_) * c_.in_places();
          fill_planes(layout_, x, channels_, c_.in, planes_);
        }
        read_columns(n, place, piece, done);
        read_rows(place, piece, done);
        done += piece;
      }
      multiply(strips, k0, here, k0 + kChain >= k);
    }
    free_shared_scratch(pieces_);
    write();
    return true;
  }

 private:
  // Results [place, place + n) of an image to rows [done, done + n) of the columns.
  void read_columns(long image, long place, long n, long done) {
    const T* from = t_.y + (image * c_.groups + g_) * c_.out_channels * c_.out_places() + place;
    transpose_rows(from, c_.out_places(), static_cast<int>(c_.out_channels), n, columns_ + done * width_, width_);
  }

  // Input values under each tap for those results: row (channel, tap) at pieces_[row][done …].
  void read_rows(long place, long n, long done) {
    // The same runs along the width for every row.
    struct Run {
      long from, to, length;
    } runs[kChain];
    int count = 0;
    const long wide = c_.out[2];
    for (long i = 0; i < n;) {
      const long w = (place + i) % wide;
      const long h = (place + i) / wide % c_.out[1];
      const long d = (place + i) / wide / c_.out[1];
      const long length = wide - w < n - i ? wide - w : n - i;
      runs[count++] = {(d * layout_.size[1] + h) * layout_.size[2] + w, i, length};
      i += length;
    }
    T* to = pieces_ + done;
    for (long row = r0_; row < r1_; ++row, to += kChain) {
      const long channel = row / c_.taps() - channel0_;
      const long tap = row % c_.taps();
      const long x[3] = {tap / (c_.kernel[1] * c_.kernel[2]) * c_.dilation[0],
                         tap / c_.kernel[2] % c_.kernel[1] * c_.dilation[1], tap % c_.kernel[2] * c_.dilation[2]};
      const long phase = ((x[0] % c_.stride[0]) * c_.stride[1] + x[1] % c_.stride[1]) * c_.stride[2] + x[2] % c_.stride[2];
      const T* plane = planes_ + channel * layout_.channel() + phase * layout_.plane() +
                       ((x[0] / c_.stride[0]) * layout_.size[1] + x[1] / c_.stride[1]) * layout_.size[2] + x[2] / c_.stride[2];
      for (int r = 0; r < count; ++r) {
        __builtin_memcpy(to + runs[r].to, plane + runs[r].from, static_cast<size_t>(runs[r].length) * sizeof(T));
      }
    }
  }

  void multiply(const Cut& strips, long k0, long k, bool last) {
    alignas(64) T values[kRows * panel<T>];
    using V = vec<T>;
    const bool first = k0 % (kChain * kGroup) == 0;
    const bool ends = last || (k0 + kChain) % (kChain * kGroup) == 0;
    const bool first_group = k0 < kChain * kGroup;
    for (long s = 0; s < strips.parts; ++s) {
      const int rows = static_cast<int>(strips.rows(s));
      transpose_rows(pieces_ + strips.begin(s) * kChain, kChain, rows, k, packed_, rows);
      const auto run = tile_of<T, const long*>(rows);
      for (long q = 0; q < panels_; ++q) {
        run(k, packed_, columns_ + q * panel<T>, offsets(), values);
        for (int i = 0; i < rows; ++i) {
          const long at = (strips.begin(s) + i) * width_ + q * panel<T>;
          for (int j = 0; j < panel<T>; j += VectorOf<T>::count) {
            V v = load<V>(values + i * panel<T> + j);
            if (!first) v = load<V>(group_ + at + j) + v;
            store(group_ + at + j, v);
            if (ends) store(total_ + at + j, first_group ? v : load<V>(total_ + at + j) + v);
          }
        }
      }
    }
  }

  // Rows of the columns follow each other at the width of all panels.
  const long* offsets() {
    if (!offsets_made_) {
      for (long p = 0; p < kChain; ++p) offsets_[p] = p * width_;
      offsets_made_ = true;
    }
    return offsets_;
  }

  void write() {
    const long rows = c_.in_channels * c_.taps();
    for (long o = 0; o < c_.out_channels; ++o) {
      T* to = t_.result + (g_ * c_.out_channels + o) * rows + r0_;
      for (long i = 0; i < r1_ - r0_; ++i) {
        const T v = total_[i * width_ + o];
        to[i] = v == v ? v : static_cast<T>(__builtin_nan(""));
      }
    }
  }

  const Convolution& c_;
  const ConvolutionTensors<T>& t_;
  const Layout& layout_;
  const long g_, r0_, r1_, panels_, width_, channel0_, channels_;
  T *planes_ = nullptr, *total_ = nullptr, *group_ = nullptr, *columns_ = nullptr, *packed_ = nullptr,
    *pieces_ = nullptr;
  long offsets_[kChain];
  bool offsets_made_ = false;
};

template <class T>
bool backward_weight(const Convolution& c, const ConvolutionTensors<T>& t, int threads) {
  Layout layout;
  for (int a = 0; a < 3; ++a) {
    layout.phases[a] = c.stride[a];
    layout.front[a] = c.padding[a];
    layout.size[a] = c.out[a] + (c.kernel[a] - 1) * c.dilation[a] / c.stride[a];
  }
  const long rows = c.in_channels * c.taps();
  // Every part reads all gradients, so there are no more parts than threads.
  long parts = c.groups >= threads ? 1 : (threads + c.groups - 1) / c.groups;
  const long most = (rows + kRows - 1) / kRows;
  if (parts > most) parts = most;
  const Cut cut(rows, (rows + parts - 1) / parts);
  bool failed = false;
  parallel(c.groups * cut.parts, threads, [&](long task) {
    const long part = task % cut.parts;
    const long begin = cut.begin(part);
    if (!WeightPart<T>(c, t, layout, task / cut.parts, begin, begin + cut.rows(part)).run()) failed = true;
  });
  return !failed;
}

}  // namespace

bool convolution_weight_f32(const Convolution& c, const ConvolutionTensors<float>& t, int threads) { return backward_weight(c, t, threads); }
bool convolution_weight_f64(const Convolution& c, const ConvolutionTensors<double>& t, int threads) { return backward_weight(c, t, threads); }

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
