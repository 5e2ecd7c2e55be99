// Sampling images where a grid says, and its derivative (docs/arithmetic.md, "Places").
//
// An image is turned so that the channels of a place lie next to each other: a corner is then a row of
// channels times a number, and what comes to a place is a sum of such rows.
#include "exact/kernels/grid_points.hpp"
#include "exact/kernels/passes.hpp"
#include "exact/kernels/row_sums.hpp"
#include "exact/kernels/single_values.hpp"
#include "exact/kernels/transpose.hpp"
#include "exact/placing.hpp"
#include "exact/pool.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {
namespace {

// Rows of channels, as long as they are: [places][channels], with room for a vector behind them.
template <class T>
long room_for_rows(long places, long channels) {
  return places * channels + VectorOf<T>::count;
}

// [channels][places] to rows of channels.
template <class T>
void turn(const T* x, long channels, long places, T* rows) {
  transpose_rows(x, places, static_cast<int>(channels), places, rows, channels);
}

// Calls row(place, j, here) for each vector of channels, and stores it, a few places at a time, as
// [channels][places] again.
template <class T, class Row>
SAMEBITS_INLINE bool fill_turned(long channels, long places, T* rows, T* out, Row row) {
  using V = vec<T>;
  constexpr long count = VectorOf<T>::count;
  for (long first = 0; first < places; first += count) {
    const long here = smaller(count, places - first);
    for (long i = 0; i < here; ++i) {
      for (long j = 0; j < channels; j += count) {
        V found;
        if (!row(first + i, j, static_cast<int>(smaller(count, channels - j)), &found)) return false;
        store(rows + i * channels + j, canonical(found));
      }
    }
    if (here == count) {
      transpose_rows(rows, channels, static_cast<int>(count), channels, out + first, places);
    } else {
      for (long j = 0; j < channels; ++j) {
        for (long i = 0; i < here; ++i) out[j * places + first + i] = rows[i * channels + j];
      }
    }
  }
  return true;
}

template <class T>
SAMEBITS_INLINE vec<T> part_of(const T* row, long j, int here) {
  using V = vec<T>;
  return here == VectorOf<T>::count ? load<V>(row + j) : load_first<V>(row + j, here);
}

template <class T>
bool sample(const GridSample<T>& g, long image) {
  const long places = g.height * g.width;
  const long turned = room_for_rows<T>(places, g.channels);
  const long a_few = room_for_rows<T>(VectorOf<T>::count, g.channels);
  auto* memory = static_cast<char*>(
      scratch(Pieces::size<T>(turned) + Pieces::size<T>(a_few) + Pieces::size<T>(g.channels)));
  if (memory == nullptr) return false;
  Pieces pieces(memory);
  T* rows = pieces.of<T>(turned);
  T* few = pieces.of<T>(a_few);
  T* nothing = pieces.of<T>(g.channels);
  for (long j = 0; j < g.channels; ++j) nothing[j] = T{};
  turn(g.x + image * places * g.channels, g.channels, places, rows);
  Point<T> point{};
  long own = -1;
  return fill_turned(g.channels, g.points, few, g.out + image * g.points * g.channels,
                     [&](long number, long j, int here, vec<T>* found) {
                       if (number != own) {
                         own = number;
                         point = point_of<T>(g, g.grid + (image * g.points + number) * 2);
                       }
                       const auto term = [&](long c) {
                         const T* row = point.place[c] < 0 ? nothing : rows + point.place[c] * g.channels;
                         return part_of(row, j, here) * all<vec<T>>(point.share(c));
                       };
                       *found = ((term(0) + term(1)) + term(2)) + term(3);
                       return true;
                     });
}

// What one image's derivatives are made of.
template <class T>
class Returned {
 public:
  Returned(const GridSampleBackward<T>& g, long image)
      : g_(g), image_(image), places_(g.height * g.width), channels_(g.channels), points_(g.points) {}

  bool run() {
    const long of_image = room_for_rows<T>(places_, channels_);
    const long of_points = room_for_rows<T>(points_, channels_);
    const long a_few = room_for_rows<T>(VectorOf<T>::count, channels_);
    auto* memory = static_cast<char*>(scratch(Pieces::size<T>(of_image) + Pieces::size<T>(of_points) +
                                              2 * Pieces::size<T>(a_few) + Pieces::size<T>(channels_) +
                                              Pieces::size<Point<T>>(points_) + Pieces::size<int64_t>(points_ * kCorners)));
    if (memory == nullptr) return false;
    Pieces pieces(memory);
    rows_ = pieces.of<T>(of_image);
    grads_ = pieces.of<T>(of_points);
    few_ = pieces.of<T>(a_few);
    turned_ = pieces.of<T>(a_few * 1);
    nothing_ = pieces.of<T>(channels_);
    found_ = pieces.of<Point<T>>(points_);
    index_ = pieces.of<int64_t>(points_ * kCorners);
    for (long j = 0; j < channels_; ++j) nothing_[j] = T{};
    turn(g_.x + image_ * places_ * channels_, channels_, places_, rows_);
    turn(g_.grad + image_ * points_ * channels_, channels_, points_, grads_);
    for (long i = 0; i < points_; ++i) {
      found_[i] = point_of<T>(g_, g_.grid + (image_ * points_ + i) * 2);
      for (long c = 0; c < kCorners; ++c) index_[i * kCorners + c] = found_[i].place[c];
    }
    for (long first = 0; first < points_; first += VectorOf<T>::count) {
      if (!slopes(first, smaller(VectorOf<T>::count, points_ - first))) return false;
    }
    if (g_.grad_x == nullptr) return true;
    return points_ * kCorners < (1L << 31) && places_ < (1L << 31) ? give<uint32_t>() : give<uint64_t>();
  }

 private:
  // For the grid: of each corner the sum over the channels, times the other axis' share.
  bool slopes(long first, long here) {
    using V = vec<T>;
    constexpr long count = VectorOf<T>::count;
    V along[2] = {};
    for (long c = 0; c < kCorners; ++c) {
      alignas(64) T across[count] = {};
      alignas(64) T down[count] = {};
      for (long i = 0; i < here; ++i) {
        const Point<T>& point = found_[first + i];
        across[i] = point.across[c & 1];
        down[i] = point.down[c >> 1];
        const T* row = point.place[c] < 0 ? nothing_ : rows_ + point.place[c] * channels_;
        const T* grad = grads_ + (first + i) * channels_;
        each(channels_, few_ + i * channels_, [&](long j, auto get) { return get(grad + j) * get(row + j); });
      }
      transpose_rows(few_, channels_, static_cast<int>(here), channels_, turned_, count);
      V total;
      if (!sum_of_rows<T>(channels_, [&](long j) { return load<V>(turned_ + j * count); }, &total)) return false;
      const T right = c & 1 ? T{1} : T{-1};
      const T below = c >> 1 ? T{1} : T{-1};
      along[0] = along[0] + total * load<V>(down) * all<V>(right);
      along[1] = along[1] + total * load<V>(across) * all<V>(below);
    }
    T* to = g_.grad_grid + (image_ * points_ + first) * 2;
    for (long i = 0; i < here; ++i) {
      to[2 * i] = canonical_value(along[0][i] * found_[first + i].slope_x);
      to[2 * i + 1] = canonical_value(along[1][i] * found_[first + i].slope_y);
    }
    return true;
  }

  // For the image: what comes to each place, in the order of points and their corners.
  template <class I>
  bool give() {
    ByPlace<I> sorted;
    const bool good = sort_by_place<I>(index_, points_ * kCorners, places_, -1, &sorted) == Sorting::kDone &&
                      give_sorted(sorted);
    forget(&sorted);
    return good;
  }

  template <class I>
  bool give_sorted(const ByPlace<I>& sorted) {
    long s = 0;  // places come in their order
    const auto sum = [&](long place, long j, int here, vec<T>* found) {
      while (s < sorted.count && static_cast<long>(sorted.places[s]) < place) ++s;
      *found = vec<T>{};
      if (s == sorted.count || static_cast<long>(sorted.places[s]) != place) return true;
      const long begin = static_cast<long>(sorted.begins[s]);
      const auto row = [&](long k) {
        const long number = sorted.order == nullptr ? begin + k : static_cast<long>(sorted.order[begin + k]);
        const T* grad = grads_ + number / kCorners * channels_;
        return part_of(grad, j, here) * all<vec<T>>(found_[number / kCorners].share(number % kCorners));
      };
      return sum_of_rows<T>(static_cast<long>(sorted.begins[s + 1]) - begin, row, found);
    };
    return fill_turned(channels_, places_, few_, g_.grad_x + image_ * places_ * channels_, sum);
  }

  const GridSampleBackward<T>& g_;
  const long image_, places_, channels_, points_;
  T *rows_, *grads_, *few_, *turned_, *nothing_;
  Point<T>* found_;
  int64_t* index_;
};

// Calls one(image) for each; whether all had the memory that they needed.
template <class One>
bool each_image(long images, int threads, One one) {
  bool good = true;
  parallel_apart(images, threads, [&](long image) {
    if (!one(image)) __atomic_store_n(&good, false, __ATOMIC_RELAXED);
  });
  return good;
}

}  // namespace

bool grid_sample_f32(const GridSample<float>& g, int threads) {
  return each_image(g.images, threads, [&](long image) { return sample(g, image); });
}
bool grid_sample_f64(const GridSample<double>& g, int threads) {
  return each_image(g.images, threads, [&](long image) { return sample(g, image); });
}
bool grid_sample_backward_f32(const GridSampleBackward<float>& g, int threads) {
  return each_image(g.images, threads, [&](long image) { return Returned<float>(g, image).run(); });
}
bool grid_sample_backward_f64(const GridSampleBackward<double>& g, int threads) {
  return each_image(g.images, threads, [&](long image) { return Returned<double>(g, image).run(); });
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
