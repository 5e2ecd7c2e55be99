// Distances of rows: a vector holds those from one row to several others (docs/arithmetic.md, "Losses").
#include "exact/kernels/passes.hpp"
#include "exact/kernels/sums.hpp"
#include "exact/pool.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {
namespace {

// The tree over 64 lanes, from its leaves: lane(l) is made where it is needed, and six sums wait at most. Lanes
// that hold nothing are left out.
template <class V, long l, long width, class Lane>
SAMEBITS_INLINE V tree_of(long used, Lane lane) {
  if constexpr (width == kLanes) {
    return lane(l);
  } else {
    const V first = tree_of<V, l, 2 * width>(used, lane);
    return l + width < used ? first + tree_of<V, l + width, 2 * width>(used, lane) : first;
  }
}

template <class T>
bool distances(const Distances<T>& p, int threads) {
  using V = vec<T>;
  constexpr long count = VectorOf<T>::count;
  const long strips = (p.m + count - 1) / count;
  const size_t room = static_cast<size_t>(p.columns * count) * sizeof(T);
  bool good = true;
  parallel_apart(p.batches * strips, threads, [&](long task) {
    T* turned = static_cast<T*>(scratch(room));
    if (turned == nullptr) {
      __atomic_store_n(&good, false, __ATOMIC_RELAXED);
      return;
    }
    const long batch = task / strips, j = task % strips * count;
    const int here = static_cast<int>(p.m - j < count ? p.m - j : count);
    const T* y = p.y + (batch * p.m + j) * p.columns;
    for (long c = 0; c < count; ++c) {
      const T* row = y + (c < here ? c : 0) * p.columns;
      for (long f = 0; f < p.columns; ++f) turned[f * count + c] = row[f];
    }
    for (long i = 0; i < p.n; ++i) {
      const T* x = p.x + (batch * p.n + i) * p.columns;
      const auto square = [&](long f) {
        const V d = all<V>(x[f]) - load<V>(turned + f * count);
        return d * d;
      };
      const auto lane = [&](long l) {
        V sum = square(l);
        for (long f = l + kLanes; f < p.columns; f += kLanes) sum = sum + square(f);
        return sum;
      };
      // With as many columns as lanes or more all lanes are used: what asks for each of them is left out.
      V sum{};
      if (p.columns == kLanes) sum = tree_of<V, 0, 1>(kLanes, square);
      else if (p.columns > kLanes) sum = tree_of<V, 0, 1>(kLanes, lane);
      else if (p.columns > 0) sum = tree_of<V, 0, 1>(p.columns, square);
      store_first(p.out + (batch * p.n + i) * p.m + j, canonical(sqrt(sum)), here);
    }
  });
  return good;
}

}  // namespace

bool distances_f32(const Distances<float>& p, int threads) { return distances(p, threads); }
bool distances_f64(const Distances<double>& p, int threads) { return distances(p, threads); }

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
