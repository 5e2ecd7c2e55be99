// Normalisation by known statistics, and the derivatives of its weights and biases (docs/arithmetic.md, "Rows").
#include "exact/kernels/passes.hpp"
#include "exact/kernels/sums.hpp"
#include "exact/pool.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {
namespace {

template <class T>
void channels(const Channels<T>& p, int threads) {
  using V = vec<T>;
  const long planes = p.outer * p.channels;
  const long a_task = 16384 / (p.inner + 1) + 1;
  parallel_apart((planes + a_task - 1) / a_task, threads, [&](long task) {
    const long end = (task + 1) * a_task < planes ? (task + 1) * a_task : planes;
    for (long plane = task * a_task; plane < end; ++plane) {
      const long c = plane % p.channels;
      const T* from = p.x + plane * p.inner;
      const V mean = all<V>(p.mean[c]), rstd = all<V>(p.rstd[c]);
      const V weight = all<V>(p.weight == nullptr ? T{1} : p.weight[c]);
      const V bias = all<V>(p.bias == nullptr ? T{} : p.bias[c]);
      const bool scaled = p.weight != nullptr, moved = p.bias != nullptr;
      each(p.inner, p.y + plane * p.inner, [&](long i, auto get) {
        V v = (get(from + i) - mean) * rstd;
        if (scaled) v = v * weight;
        if (moved) v = v + bias;
        return canonical(v);
      });
    }
  });
}

// Some channels of rows next to each other, of a block: the lanes of both sums, one row of lanes for each.
template <class T>
class Strip {
 public:
  // Of rows that follow each other in one lane so many are added at a time: lanes lie in the second cache, and are
  // read and written once for all of them.
  static constexpr long kTogether = 4;
  static constexpr long kWidest = 2048 / static_cast<long>(sizeof(T));

  Strip(const NormFactors<T>& p, long first_row, long rows, long j, long width, T* lanes)
      : p_(p), first_row_(first_row), rows_(rows), j_(j), width_(width), padded_((width + count - 1) / count * count) {
    lanes_[0] = lanes;
    lanes_[1] = lanes + kLanes * padded_;
  }
  static size_t memory(long width) { return static_cast<size_t>(2 * kLanes * (width + count)) * sizeof(T); }

  void add() {
    for (long l = 0; l < kLanes; ++l) {
      if (l >= rows_) {
        for (T* lanes : lanes_) __builtin_memset(lanes + l * padded_, 0, static_cast<size_t>(padded_) * sizeof(T));
      }
      for (long i = l; i < rows_;) {
        const bool together = i + (kTogether - 1) * kLanes < rows_;
        if (together) add_rows<kTogether>(l, i);
        else add_rows<1>(l, i);
        i += (together ? kTogether : 1) * kLanes;
      }
    }
  }

  // The sums of both, one after the other: the tree over the lanes.
  const T* sum(int which) {
    for (long half = kLanes / 2; half > 0; half /= 2) {
      for (long at = 0; at < half * padded_; at += count) {
        T* to = lanes_[which] + at;
        store(to, load<V>(to) + load<V>(to + half * padded_));
      }
    }
    return lanes_[which];
  }

 private:
  using V = vec<T>;
  static constexpr long count = VectorOf<T>::count;

  // Rows i, i + 64 … to lane l.
  template <int N>
  void add_rows(long l, long i) {
    const bool by_row = p_.mean_outer == 1;
    const T* g[N];
    const T* x[N];
    V mean[N], rstd[N];
    for (int k = 0; k < N; ++k) {
      const long row = first_row_ + i + k * kLanes;
      g[k] = p_.grad + row * p_.channels + j_;
      x[k] = p_.x + row * p_.channels + j_;
      mean[k] = all<V>(p_.mean[by_row ? row : 0]);
      rstd[k] = all<V>(p_.rstd[by_row ? row : 0]);
    }
    // Rows that are powers of two apart share a place in the first-level cache: each line of it is read whole.
    constexpr int vectors = static_cast<int>(kLine<T> / count);
    long c = 0;
    for (; c + kLine<T> <= width_; c += kLine<T>) {
      V first[vectors], second[vectors];
      for (int v = 0; v < vectors; ++v) {
        first[v] = i == l ? V{} : load<V>(lane(0, l, c + v * count));
        second[v] = i == l ? V{} : load<V>(lane(1, l, c + v * count));
      }
      for (int k = 0; k < N; ++k) {
        for (int v = 0; v < vectors; ++v) {
          const long at = c + v * count;
          const V grad = load<V>(g[k] + at);
          const V center = by_row ? mean[k] : load<V>(p_.mean + j_ + at);
          const V scale = by_row ? rstd[k] : load<V>(p_.rstd + j_ + at);
          first[v] = first[v] + grad * ((load<V>(x[k] + at) - center) * scale);
          second[v] = second[v] + grad;
        }
      }
      for (int v = 0; v < vectors; ++v) {
        store(lane(0, l, c + v * count), first[v]);
        store(lane(1, l, c + v * count), second[v]);
      }
    }
    for (; c < width_; c += count) {
      const int here = static_cast<int>(width_ - c < count ? width_ - c : count);
      const auto get = [here](const T* from) { return here == count ? load<V>(from) : load_first<V>(from, here); };
      V first = i == l ? V{} : load<V>(lane(0, l, c)), second = i == l ? V{} : load<V>(lane(1, l, c));
      for (int k = 0; k < N; ++k) {
        const V grad = get(g[k] + c);
        const V center = by_row ? mean[k] : get(p_.mean + j_ + c);
        const V scale = by_row ? rstd[k] : get(p_.rstd + j_ + c);
        first = first + grad * ((get(x[k] + c) - center) * scale);
        second = second + grad;
      }
      store(lane(0, l, c), first);
      store(lane(1, l, c), second);
    }
  }

  T* lane(int which, long l, long c) const { return lanes_[which] + l * padded_ + c; }

  const NormFactors<T>& p_;
  const long first_row_, rows_, j_, width_, padded_;
  T* lanes_[2];
};

// Channels next to each other: [outer, channels].
template <class T>
bool down_columns(const NormFactors<T>& p, int threads) {
  using V = vec<T>;
  const long blocks = (p.outer + kBlock - 1) / kBlock;
  // As wide as may be, where all threads have something to do then.
  const long parts = blocks >= threads ? 1 : threads;
  long strip = (p.channels + parts - 1) / parts;
  strip = (strip + kLine<T> - 1) / kLine<T> * kLine<T>;
  if (strip > Strip<T>::kWidest) strip = Strip<T>::kWidest;
  const long strips = (p.channels + strip - 1) / strip;
  T* sums = static_cast<T*>(shared_scratch(static_cast<size_t>(2 * p.channels * blocks) * sizeof(T)));
  if (sums == nullptr) return false;
  bool good = true;
  parallel_apart(strips * blocks, threads, [&](long task) {
    const long j = task / blocks * strip, b = task % blocks;
    const long width = p.channels - j < strip ? p.channels - j : strip;
    const long rows = p.outer - b * kBlock < kBlock ? p.outer - b * kBlock : kBlock;
    T* lanes = static_cast<T*>(scratch(Strip<T>::memory(width)));
    if (lanes == nullptr) {
      __atomic_store_n(&good, false, __ATOMIC_RELAXED);
      return;
    }
    Strip<T> own(p, b * kBlock, rows, j, width, lanes);
    own.add();
    for (int which = 0; which < 2; ++which) {
      const T* found = own.sum(which);
      for (long c = 0; c < width; ++c) sums[(which * p.channels + j + c) * blocks + b] = found[c];
    }
  });
  T* results[] = {p.weight, p.bias};
  for (int which = 0; which < 2 && good; ++which) {
    if (results[which] == nullptr) continue;
    for (long c = 0; c < p.channels; ++c) {
      const T sum = sum_of_blocks(sums + (which * p.channels + c) * blocks, blocks);
      results[which][c] = canonical(all<V>(sum))[0];
    }
  }
  free_shared_scratch(sums);
  return good;
}

// Both sums of a channel whose runs are whole rows of lanes, in registers: the sums of its blocks, those of the
// weight first.
template <class T>
void sum_blocks_of(const NormFactors<T>& p, long c, long blocks, T* sums) {
  using V = vec<T>;
  constexpr int count = VectorOf<T>::count;
  constexpr int vectors = static_cast<int>(kLanes) / count;
  constexpr long a_block = kBlock / kLanes;
  V first[vectors] = {}, second[vectors] = {};
  long done = 0;
  const auto end_block = [&] {
    const long b = (done - 1) / a_block;
    sums[b] = sum_registers<T>(first);
    sums[blocks + b] = sum_registers<T>(second);
    for (int j = 0; j < vectors; ++j) first[j] = second[j] = V{};
  };
  for (long run = 0; run < p.outer; ++run) {
    const long own = run * p.mean_outer + c / p.mean_channels;
    const V mean = all<V>(p.mean[own]), rstd = all<V>(p.rstd[own]);
    const long begin = (run * p.channels + c) * p.inner;
    for (long i = begin; i < begin + p.inner; i += kLanes) {
#pragma GCC unroll 16
      for (int j = 0; j < vectors; ++j) {
        const V grad = load<V>(p.grad + i + j * count);
        first[j] = first[j] + grad * ((load<V>(p.x + i + j * count) - mean) * rstd);
        second[j] = second[j] + grad;
      }
      if (++done % a_block == 0) end_block();
    }
  }
  if (done % a_block != 0) end_block();
}

// Channels apart, whose runs are whole rows of lanes.
template <class T>
bool along_lanes(const NormFactors<T>& p, int threads) {
  using V = vec<T>;
  const long n = p.outer * p.inner;
  const long blocks = (n + kBlock - 1) / kBlock;
  const long a_task = 16384 / (n + 1) + 1;
  bool good = true;
  parallel_apart((p.channels + a_task - 1) / a_task, threads, [&](long task) {
    T* sums = static_cast<T*>(scratch(static_cast<size_t>(2 * blocks) * sizeof(T)));
    if (sums == nullptr) {
      __atomic_store_n(&good, false, __ATOMIC_RELAXED);
      return;
    }
    const long end = (task + 1) * a_task < p.channels ? (task + 1) * a_task : p.channels;
    for (long c = task * a_task; c < end; ++c) {
      sum_blocks_of(p, c, blocks, sums);
      if (p.weight != nullptr) p.weight[c] = canonical(all<V>(sum_of_blocks(sums, blocks)))[0];
      if (p.bias != nullptr) p.bias[c] = canonical(all<V>(sum_of_blocks(sums + blocks, blocks)))[0];
    }
  });
  return good;
}

// Channels apart: each is a sequence of runs.
template <class T>
bool along_runs(const NormFactors<T>& p, int threads) {
  using V = vec<T>;
  const Runs runs{p.inner, p.outer, p.channels * p.inner};
  const long blocks = (runs.count() + kBlock - 1) / kBlock;
  const long a_task = 16384 / (runs.count() + 1) + 1;
  bool good = true;
  parallel_apart((p.channels + a_task - 1) / a_task, threads, [&](long task) {
    T* sums = nullptr;
    if (blocks > 1) {
      sums = static_cast<T*>(scratch(static_cast<size_t>(blocks) * sizeof(T)));
      if (sums == nullptr) {
        __atomic_store_n(&good, false, __ATOMIC_RELAXED);
        return;
      }
    }
    const long end = (task + 1) * a_task < p.channels ? (task + 1) * a_task : p.channels;
    for (long c = task * a_task; c < end; ++c) {
      const T* g = p.grad + c * p.inner;
      const T* x = p.x + c * p.inner;
      if (p.weight != nullptr) {
        const T sum = sum_made<T>(runs, sums, [&](long at, long n, T* to) {
          const long own = at / runs.step * p.mean_outer + c / p.mean_channels;
          const V mean = all<V>(p.mean[own]), rstd = all<V>(p.rstd[own]);
          each(n, to, [&](long i, auto get) {
            return canonical(get(g + at + i) * canonical((get(x + at + i) - mean) * rstd));
          });
        });
        p.weight[c] = canonical(all<V>(sum))[0];
      }
      if (p.bias != nullptr) {
        const T sum = sum_made<T>(runs, sums, [&](long at, long n, T* to) {
          each(n, to, [&](long i, auto get) { return get(g + at + i); });
        });
        p.bias[c] = canonical(all<V>(sum))[0];
      }
    }
  });
  return good;
}

template <class T>
bool norm_factors(const NormFactors<T>& p, int threads) {
  const bool of_rows = p.mean_outer == 1 && p.mean_channels >= p.channels;
  const bool of_channels = p.mean_outer == 0 && p.mean_channels == 1;
  const bool rows = p.inner == 1 && (of_rows || of_channels);
  if (rows) return down_columns(p, threads);
  const bool whole = p.inner % kLanes == 0 && p.outer * p.inner > 0;
  return whole ? along_lanes(p, threads) : along_runs(p, threads);
}

}  // namespace

void channels_f32(const Channels<float>& p, int threads) { channels(p, threads); }
void channels_f64(const Channels<double>& p, int threads) { channels(p, threads); }
bool norm_factors_f32(const NormFactors<float>& p, int threads) { return norm_factors(p, threads); }
bool norm_factors_f64(const NormFactors<double>& p, int threads) { return norm_factors(p, threads); }

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
