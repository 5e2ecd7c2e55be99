// The derivative of a convolution with respect to its weights: chains over all places of all images.
//
// Rows of the product are (channel, tap), columns are output channels, and k runs over images and
// their results in row-major order. A row of a is never made: it is a tap's place in the planes of an
// image, and every row goes from there in the same steps. Threads take groups of chains, each of which
// reads its own images; where groups are few they share the rows as well.
#include <atomic>
#include <new>

#include "exact/convolution.hpp"
#include "exact/kernels/builds.hpp"
#include "exact/kernels/planes.hpp"
#include "exact/kernels/tile.hpp"
#include "exact/kernels/transpose.hpp"
#include "exact/pool.hpp"
#include "exact/turns.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {
namespace {

constexpr long kTerms = kChain * kGroup;  // of a group of chains

// What all threads read.
template <class T>
struct Scene {
  const Convolution& c;
  const ConvolutionTensors<T>& t;
  Layout layout;
  const long* taps;  // where each begins in the planes of a channel
  long terms;
  long panels;  // of output channels
  long width() const { return panels * panel<T>; }
  // Images that one block of a chain may touch.
  long images() const {
    const long places = c.out_places();
    const bool even = kChain % places == 0 || places % kChain == 0;
    const long most = even ? (kChain + places - 1) / places : (kChain - 2) / places + 2;
    return most < c.images ? most : c.images;
  }
};

// Rows [begin, end) of the product of one group of channels, and their sums over all groups of chains.
template <class T>
struct Sums {
  long group, begin, end;
  T* total;  // [rows][width]
  Turns turns;  // of the groups of chains
};

// One group of chains for some rows.
template <class T>
class WeightPart {
 public:
  WeightPart(const Scene<T>& scene, Sums<T>* sums)
      : s_(scene), c_(scene.c), layout_(scene.layout), sums_(sums), rows_(sums->end - sums->begin),
        channel0_(sums->begin / c_.taps()), channels_((sums->end - 1) / c_.taps() + 1 - channel0_),
        slot_((channels_ * layout_.channel() + 31) / 16 * 16) {}

  // Sums terms [k0, k1).
  bool run(long k0, long k1) {
    const long width = s_.width();
    const long slots = s_.images();
    const size_t values = static_cast<size_t>(slots * slot_ + (kChain + rows_) * width);
    const size_t bytes = values * sizeof(T) + static_cast<size_t>(rows_) * sizeof(T*);
    planes_ = static_cast<T*>(scratch(bytes));
    if (planes_ == nullptr) return false;
    columns_ = planes_ + slots * slot_;      // [panels][kChain][panel]
    group_ = columns_ + kChain * width;           // [rows][width]
    place_rows(reinterpret_cast<const T**>(group_ + rows_ * width));
    const long places = c_.out_places();
    long image = -1;
    for (long k = k0; k < k1; k += kChain) {
      const long here = k1 - k < kChain ? k1 - k : kChain;
      for (long done = 0; done < here;) {
        const long n = (k + done) / places;
        const long place = (k + done) % places;
        const long piece = places - place < here - done ? places - place : here - done;
        T* planes = planes_ + n % slots * slot_;
        if (n != image) {
          image = n;
          const long left = k1 - k - done;
          read_image(n, place, places - place < left ? places : place + left, planes);
        }
        read_columns(n, place, piece, done);
        follow(place, piece, planes - planes_, at_ + done);
        done += piece;
      }
      multiply(here, k != k0);
    }
    return true;
  }

  // Adds the group of chains that was run, the number-th of all, to the total, when its turn has come.
  void add(long number) {
    using V = vec<T>;
    sums_->turns.wait_for(number);
    for (long i = 0; i < rows_ * s_.width(); i += VectorOf<T>::count) {
      const V v = load<V>(group_ + i);
      store(sums_->total + i, number == 0 ? v : load<V>(sums_->total + i) + v);
    }
  }

  void write() const {
    const long rows = c_.in_channels * c_.taps();
    for (long o = 0; o < c_.out_channels; ++o) {
      T* to = s_.t.result + (sums_->group * c_.out_channels + o) * rows + sums_->begin;
      for (long i = 0; i < rows_; ++i) {
        const T v = sums_->total[i * s_.width() + o];
        to[i] = v == v ? v : static_cast<T>(__builtin_nan(""));
      }
    }
  }

 private:
  // Where each row begins, in the planes of an image in the first slot.
  void place_rows(const T** rows) {
    row_ = rows;
    long tap = sums_->begin % c_.taps();
    const T* channel = planes_;
    for (long i = 0; i < rows_; ++i) {
      rows[i] = channel + s_.taps[tap];
      if (++tap == c_.taps()) {
        tap = 0;
        channel += layout_.channel();
      }
    }
  }

  // The planes that results [begin, end) of an image read.
  void read_image(long image, long begin, long end, T* planes) {
    const T* x = s_.t.x + ((image * c_.groups + sums_->group) * c_.in_channels + channel0_) * c_.in_places();
    const long row0 = begin / c_.out[2];
    const long row1 = (end - 1) / c_.out[2];
    const long reach[2] = {layout_.size[0] - c_.out[0], layout_.size[1] - c_.out[1]};
    const long depth0 = row0 / c_.out[1];
    const long depth1 = row1 / c_.out[1];
    Slab slab{{depth0, 0}, {depth1 + 1 + reach[0], layout_.size[1]}};
    if (depth0 == depth1) {
      slab.begin[1] = row0 % c_.out[1];
      slab.end[1] = row1 % c_.out[1] + 1 + reach[1];
    }
    fill_planes(layout_, slab, x, channels_, c_.in, planes);
  }

  // Results [place, place + n) of an image to rows [done, done + n) of the columns.
  void read_columns(long image, long place, long n, long done) {
    const long places = c_.out_places();
    const T* from = s_.t.y + (image * c_.groups + sums_->group) * c_.out_channels * places + place;
    for (long q = 0; q < s_.panels; ++q, from += panel<T> * places) {
      const long left = c_.out_channels - q * panel<T>;
      const int columns = static_cast<int>(left < panel<T> ? left : panel<T>);
      T* to = columns_ + (q * kChain + done) * panel<T>;
      if (columns < panel<T>) {
        for (long i = 0; i < n * panel<T>; ++i) to[i] = 0;
      }
      transpose_rows(from, places, columns, n, to, panel<T>);
    }
  }

  // How far results [place, place + n) lie from the first one, in planes that begin at `slot`.
  void follow(long place, long n, long slot, long* at) const {
    long w = place % c_.out[2];
    long h = place / c_.out[2] % c_.out[1];
    long d = place / c_.out[2] / c_.out[1];
    for (long i = 0; i < n;) {
      const long from = slot + (d * layout_.size[1] + h) * layout_.size[2];
      for (; w < c_.out[2] && i < n; ++w) at[i++] = from + w;
      w = 0;
      if (++h == c_.out[1]) {
        h = 0;
        ++d;
      }
    }
  }

  void multiply(long k, bool add) {
    const Cut strips(rows_, kRows);
    for (long s = 0; s < strips.parts; ++s) {
      const long row = strips.begin(s);
      const auto run = tile_of<T, Placed<T>, Packed<T>>(static_cast<int>(strips.rows(s)));
      for (long q = 0; q < s_.panels; ++q) {
        run(k, {row_ + row, at_}, {columns_ + q * kChain * panel<T>}, group_ + row * s_.width() + q * panel<T>,
            s_.width(), add);
      }
    }
  }

  const Scene<T>& s_;
  const Convolution& c_;
  const Layout& layout_;
  Sums<T>* const sums_;
  const long rows_, channel0_, channels_;
  const long slot_;  // room for the planes of an image, and what vectors write beyond them
  T *planes_ = nullptr, *columns_ = nullptr, *group_ = nullptr;
  const T** row_ = nullptr;
  long at_[kChain];
};

// When the last thread is done, in terms: `tasks` of kTerms, and after them as many of `rest` as there
// are `units`.
long busy(long units, long tasks, long rest, int threads) {
  const long turns = (tasks + threads - 1) / threads;
  const long idle = turns * threads - tasks;  // threads without a task in the last turn
  const long left = units - idle * (kTerms / rest);
  return turns * kTerms + (left > 0 ? (left + threads - 1) / threads * rest : 0);
}

// Into how many parts the rows are cut: every part reads all gradients anew, which costs about as much
// as kAnew rows more, but what is left over for one thread costs most.
long parts_of(const Convolution& c, long rows, long terms, int threads) {
  constexpr long kAnew = 10;
  const long most = (rows + kRows - 1) / kRows;
  const long full = (terms - 1) / kTerms;
  long best = 1, least = 0;
  for (long parts = 1; parts <= most && parts <= 2 * threads; ++parts) {
    const long units = c.groups * parts;
    const long cost = busy(units, units * full, terms - full * kTerms, threads) * ((rows + parts - 1) / parts + kAnew);
    if (parts == 1 || cost < least) {
      best = parts;
      least = cost;
    }
  }
  return best;
}

template <class T>
bool backward_weight(const Convolution& c, const ConvolutionTensors<T>& t, int threads) {
  Scene<T> scene{c, t, {}, nullptr, c.images * c.out_places(), (c.out_channels + panel<T> - 1) / panel<T>};
  Layout& layout = scene.layout;
  for (int a = 0; a < 3; ++a) {
    layout.phases[a] = c.stride[a];
    layout.front[a] = c.padding[a];
    layout.size[a] = c.out[a] + (c.kernel[a] - 1) * c.dilation[a] / c.stride[a];
  }
  const long rows = c.in_channels * c.taps();
  const long chains = (scene.terms + kTerms - 1) / kTerms;  // groups of them
  const long parts = parts_of(c, rows, scene.terms, threads);
  const Cut cut(rows, (rows + parts - 1) / parts);
  const long units = c.groups * cut.parts;
  const size_t totals = static_cast<size_t>(c.groups * rows * scene.width()) * sizeof(T);
  const size_t tables = static_cast<size_t>(units) * sizeof(Sums<T>) + static_cast<size_t>(c.taps()) * sizeof(long);
  T* total = static_cast<T*>(shared_scratch(totals + tables));
  if (total == nullptr) return false;
  auto* sums = reinterpret_cast<Sums<T>*>(reinterpret_cast<char*>(total) + totals);
  for (long u = 0; u < units; ++u) {
    const long begin = cut.begin(u % cut.parts);
    T* own = total + (u / cut.parts * rows + begin) * scene.width();
    new (sums + u) Sums<T>{u / cut.parts, begin, begin + cut.rows(u % cut.parts), own, {}};
  }
  long* taps = reinterpret_cast<long*>(sums + units);
  for (long tap = 0; tap < c.taps(); ++tap) {
    taps[tap] = layout.of_tap({tap / (c.kernel[1] * c.kernel[2]) * c.dilation[0],
                               tap / c.kernel[2] % c.kernel[1] * c.dilation[1], tap % c.kernel[2] * c.dilation[2]});
  }
  scene.taps = taps;
  std::atomic<bool> failed{false};
  // In the order of the groups: who waits for the turn of its own waits for one that has begun.
  parallel(units * chains, threads, [&](long task) {
    const long number = task / units;
    Sums<T>* own = sums + task % units;
    WeightPart<T> part(scene, own);
    const long end = (number + 1) * kTerms < scene.terms ? (number + 1) * kTerms : scene.terms;
    if (part.run(number * kTerms, end)) {
      part.add(number);
      if (number + 1 == chains) part.write();
    } else {
      failed.store(true);
      own->turns.wait_for(number);
    }
    own->turns.pass();
  });
  free_shared_scratch(total);
  return !failed.load();
}

}  // namespace

bool convolution_weight_f32(const Convolution& c, const ConvolutionTensors<float>& t, int threads) {
  return backward_weight(c, t, threads);
}
bool convolution_weight_f64(const Convolution& c, const ConvolutionTensors<double>& t, int threads) {
  return backward_weight(c, t, threads);
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
