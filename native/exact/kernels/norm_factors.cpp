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

// Channels next to each other: [outer, channels]. The lanes of a strip of them, for both sums.
template <class T>
bool down_columns(const NormFactors<T>& p, int threads) {
  using V = vec<T>;
  constexpr long count = VectorOf<T>::count;
  constexpr long strip = 128 / static_cast<long>(sizeof(T));
  constexpr long vectors = strip / count;
  const long strips = (p.channels + strip - 1) / strip;
  const long blocks = (p.outer + kBlock - 1) / kBlock;
  const bool by_row = p.mean_outer == 1;
  T* sums = static_cast<T*>(shared_scratch(static_cast<size_t>(2 * strips * strip * blocks) * sizeof(T)));
  if (sums == nullptr) return false;
  parallel_apart(strips * blocks, threads, [&](long task) {
    const long j = task / blocks * strip, b = task % blocks;
    const long width = p.channels - j < strip ? p.channels - j : strip;
    alignas(64) T lanes[2][kLanes][strip] = {};
    const long first = b * kBlock;
    const long last = first + kBlock < p.outer ? first + kBlock : p.outer;
    const auto statistic = [&](const T* own, long c, int here) {
      if (by_row) return all<V>(*own);
      return here == count ? load<V>(own + j + c) : load_first<V>(own + j + c, here);
    };
    for (long i = first; i < last; ++i) {
      const T* g = p.grad + i * p.channels + j;
      const T* x = p.x + i * p.channels + j;
      const long row = by_row ? i : 0;
      T* first_lanes = lanes[0][(i - first) % kLanes];
      T* second_lanes = lanes[1][(i - first) % kLanes];
      for (long v = 0; v < vectors; ++v) {
        const int here = static_cast<int>(width - v * count < count ? width - v * count : count);
        if (here <= 0) break;
        const V grad = here == count ? load<V>(g + v * count) : load_first<V>(g + v * count, here);
        const V value = here == count ? load<V>(x + v * count) : load_first<V>(x + v * count, here);
        const V mean = statistic(p.mean + row, v * count, here), rstd = statistic(p.rstd + row, v * count, here);
        const V normal = canonical((value - mean) * rstd);
        store(first_lanes + v * count, load<V>(first_lanes + v * count) + canonical(grad * normal));
        store(second_lanes + v * count, load<V>(second_lanes + v * count) + grad);
      }
    }
    for (int which = 0; which < 2; ++which) {
      for (long half = kLanes / 2; half > 0; half /= 2) {
        for (long l = 0; l < half; ++l) {
          for (long c = 0; c < strip; c += count) {
            T* to = &lanes[which][l][c];
            store(to, load<V>(to) + load<V>(&lanes[which][l + half][c]));
          }
        }
      }
      for (long c = 0; c < width; ++c) sums[(which * strips * strip + j + c) * blocks + b] = lanes[which][0][c];
    }
  });
  T* results[] = {p.weight, p.bias};
  for (int which = 0; which < 2; ++which) {
    if (results[which] == nullptr) continue;
    for (long c = 0; c < p.channels; ++c) {
      const T sum = sum_of_blocks(sums + (which * strips * strip + c) * blocks, blocks);
      results[which][c] = canonical(all<V>(sum))[0];
    }
  }
  free_shared_scratch(sums);
  return true;
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
  return rows ? down_columns(p, threads) : along_runs(p, threads);
}

}  // namespace

void channels_f32(const Channels<float>& p, int threads) { channels(p, threads); }
void channels_f64(const Channels<double>& p, int threads) { channels(p, threads); }
bool norm_factors_f32(const NormFactors<float>& p, int threads) { return norm_factors(p, threads); }
bool norm_factors_f64(const NormFactors<double>& p, int threads) { return norm_factors(p, threads); }

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
