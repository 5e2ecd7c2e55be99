// Normalisation over any groups of values (layer, batch, group, instance), and its derivative.
#include "exact/kernels/builds.hpp"
#include "exact/kernels/rounded.hpp"
#include "exact/kernels/sums.hpp"
#include "exact/pool.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {
namespace {

template <class T, class Group>
void by_groups(const Runs& runs, long groups, int threads, Group group) {
  const long n = runs.count();
  const long a_task = n >= 16384 ? 1 : 16384 / (n + 1) + 1;
  parallel_apart((groups + a_task - 1) / a_task, threads, [&](long task) {
    const long end = (task + 1) * a_task < groups ? (task + 1) * a_task : groups;
    T* sums = nullptr;
    if (n > kBlock) sums = static_cast<T*>(scratch(static_cast<size_t>((n + kBlock - 1) / kBlock) * 2 * sizeof(T)));
    for (long i = task * a_task; i < end; ++i) group(i, sums);
  });
}

template <class T>
SAMEBITS_INLINE T first_of(vec<T> v) {
  return v[0];
}

// rsqrt as the vectors have it, of one value: half a vector of binary64 would take several times as long.
SAMEBITS_INLINE double reciprocal_root(double x) { return 1.0 / __builtin_sqrt(x); }
SAMEBITS_INLINE float reciprocal_root(float x) { return static_cast<float>(reciprocal_root(static_cast<double>(x))); }

// The values of one factor along a run: one a value (channel_length 1), or one for a stretch.
template <class T, class Formula>
void along_channels(const T* factors, long channel, long channel_length, long n, T neutral, Formula formula) {
  using V = vec<T>;
  if (factors != nullptr && channel_length == 1) {
    formula(0, n, [factors, channel](long i, auto get) -> V { return get(factors + channel + i); });
    return;
  }
  if (factors == nullptr) {
    formula(0, n, [neutral](long, auto) -> V { return all<V>(neutral); });
    return;
  }
  for (long begin = 0; begin < n; begin += channel_length) {
    const T factor = factors[channel + begin / channel_length];
    const long here = n - begin < channel_length ? n - begin : channel_length;
    formula(begin, here, [factor](long, auto) -> V { return all<V>(factor); });
  }
}

// Where groups follow each other and are short, the next one is asked for while this one is worked on.
template <class P>
long to_next_group(const P& p) {
  return p.pieces == 1 && p.length <= 32768 ? p.length : 0;
}

template <class T>
bool norm(const Norm<T>& p, int threads) {
  using V = vec<T>;
  const Runs runs{p.length, p.pieces, p.piece_step};
  const T n = static_cast<T>(runs.count());
  const long ahead = to_next_group(p);
  by_groups<T>(runs, p.outer * p.inner, threads, [&](long group, T* sums) {
    const long b = group % p.inner;
    const long start = group / p.inner * p.outer_step + b * p.inner_step;
    const T* x = p.x + start;
    const T total = p.pieces == 1 ? sum_run(x, p.length, sums) : sum_made<T>(runs, sums, [&](long at, long count, T* to) {
      each(count, to, [&](long i, auto get) { return get(x + at + i); });
    });
    const T mean = total / n;
    const V center = all<V>(mean);
    const auto square = [&](const T* at, auto get) {
      const V d = get(at) - center;
      return d * d;
    };
    const T squares = p.pieces == 1
                          ? sum_formula<T>(p.length, sums, [&](long i, auto get) {
                              if (i % kLine<T> == 0) __builtin_prefetch(x + i + ahead);
                              return square(x + i, get);
                            })
                          : sum_made<T>(runs, sums, [&](long at, long count, T* to) {
                              each(count, to, [&](long i, auto get) { return square(x + at + i, get); });
                            });
    const T variance = squares / p.freedom;
    const T rstd = reciprocal_root(static_cast<T>(variance + p.eps));
    p.mean[group] = first_of<T>(canonical(center));
    if (p.rstd != nullptr) p.rstd[group] = first_of<T>(canonical(all<V>(rstd)));
    if (p.variance != nullptr) p.variance[group] = first_of<T>(canonical(all<V>(variance)));
    if (p.y == nullptr) return;
    for (long piece = 0; piece < p.pieces; ++piece) {
      const T* from = x + piece * p.piece_step;
      T* to = p.y + start + piece * p.piece_step;
      const long channel = b * p.inner_channel + piece * p.piece_channel;
      along_channels<T>(p.weight, channel, p.channel_length, p.length, T{1}, [&](long begin, long here, auto weight) {
        const T* bias = p.bias == nullptr ? nullptr : p.bias + channel + (p.channel_length == 1 ? 0 : begin / p.channel_length);
        each(here, to + begin, [&](long i, auto get) {
          if (i % kLine<T> == 0) __builtin_prefetch(to + begin + i + ahead, 1);
          V v = (get(from + begin + i) - center) * all<V>(rstd);
          if (p.weight != nullptr) v = v * weight(i, get);
          if (bias != nullptr) v = v + (p.channel_length == 1 ? get(bias + i) : all<V>(*bias));
          return canonical(v);
        });
      });
    }
  });
  return true;
}

// The sums of h = grad times factor and of h times the normalised value, for a group whose channels are whole rows
// of lanes: those of its blocks, one after the other; returns how many these are.
template <class T>
long sum_both(const T* g, const T* x, const T* factors, long n, long channel_length, vec<T> center, vec<T> rstd, T* sums) {
  using V = vec<T>;
  constexpr int count = VectorOf<T>::count;
  constexpr int vectors = static_cast<int>(kLanes) / count;
  const long blocks = (n + kBlock - 1) / kBlock;
  V first[vectors] = {}, second[vectors] = {};
  for (long i = 0; i < n; i += kLanes) {
    const V factor = all<V>(factors == nullptr ? T{1} : factors[i / channel_length]);
#pragma GCC unroll 16
    for (int j = 0; j < vectors; ++j) {
      const V h = load<V>(g + i + j * count) * factor;
      first[j] = first[j] + h;
      second[j] = second[j] + h * ((load<V>(x + i + j * count) - center) * rstd);
    }
    if ((i + kLanes) % kBlock != 0 && i + kLanes < n) continue;
    sums[i / kBlock] = sum_registers<T>(first);
    sums[blocks + i / kBlock] = sum_registers<T>(second);
    for (int j = 0; j < vectors; ++j) first[j] = second[j] = V{};
  }
  return blocks;
}

template <class T>
bool norm_backward(const NormBackward<T>& p, int threads) {
  using V = vec<T>;
  const Runs runs{p.length, p.pieces, p.piece_step};
  const T n = static_cast<T>(runs.count());
  // The first cache is to hold the next group's part of three tensors beside this one's.
  const long ahead = p.length * static_cast<long>(sizeof(T)) <= 4096 ? to_next_group(p) : 0;
  by_groups<T>(runs, p.outer * p.inner, threads, [&](long group, T* sums) {
    const long b = group % p.inner;
    const long start = group / p.inner * p.outer_step + b * p.inner_step;
    const T* x = p.x + start;
    const T* g = p.grad + start;
    const V center = all<V>(p.mean[group]);
    const V rstd = all<V>(p.rstd[group]);
    // grad times weight, for the values at [at, at + count), which lie in one piece.
    const auto weighted = [&](long at, long count, T* to, auto more) {
      const long piece = p.pieces == 1 ? 0 : at / p.piece_step;
      const long inside = at - piece * p.piece_step;
      const long channel = b * p.inner_channel + piece * p.piece_channel;
      long done = 0;
      while (done < count) {
        long here = count - done;
        T factor = 1;
        const T* factors = nullptr;
        if (p.weight != nullptr) {
          if (p.channel_length == 1) {
            factors = p.weight + channel + inside + done;
          } else {
            const long place = (inside + done) / p.channel_length;
            factor = p.weight[channel + place];
            const long left = (place + 1) * p.channel_length - (inside + done);
            if (left < here) here = left;
          }
        }
        each(here, to + done, [&](long i, auto get) {
          V v = get(g + at + done + i);
          if (p.weight != nullptr) v = v * (factors != nullptr ? get(factors + i) : all<V>(factor));
          return more(v, at + done + i, get);
        });
        done += here;
      }
    };
    const auto normal = [&](long at, auto get) { return (get(x + at) - center) * rstd; };
    T first, second;
    if (p.pieces == 1 && (p.weight == nullptr || p.channel_length == 1)) {
      const T* factors = p.weight == nullptr ? nullptr : p.weight + b * p.inner_channel;
      const auto here = [&](long i, auto get) { return factors == nullptr ? get(g + i) : get(g + i) * get(factors + i); };
      first = sum_formula<T>(p.length, sums, here) / n;
      second = sum_formula<T>(p.length, sums, [&](long i, auto get) { return here(i, get) * normal(i, get); }) / n;
    } else if (p.pieces == 1 && p.channel_length % kLanes == 0) {
      T single[2];
      T* of_blocks = sums == nullptr ? single : sums;
      const T* factors = p.weight == nullptr ? nullptr : p.weight + b * p.inner_channel;
      const long blocks = sum_both(g, x, factors, p.length, p.channel_length, center, rstd, of_blocks);
      first = sum_of_blocks(of_blocks, blocks) / n;
      second = sum_of_blocks(of_blocks + blocks, blocks) / n;
    } else {
      first = sum_made<T>(runs, sums, [&](long at, long count, T* to) {
        weighted(at, count, to, [&](V v, long, auto) { return v; });
      }) / n;
      second = sum_made<T>(runs, sums, [&](long at, long count, T* to) {
        weighted(at, count, to, [&](V v, long place, auto get) { return v * normal(place, get); });
      }) / n;
    }
    for (long piece = 0; piece < p.pieces; ++piece) {
      const long at = piece * p.piece_step;
      weighted(at, p.length, p.grad_x + start + at, [&](V v, long place, auto get) {
        if (ahead != 0 && place % kLine<T> == 0) {
          __builtin_prefetch(g + place + ahead);
          __builtin_prefetch(x + place + ahead);
          __builtin_prefetch(p.grad_x + start + place + ahead, 1);
        }
        return canonical(rstd * ((v - all<V>(first)) - normal(place, get) * all<V>(second)));
      });
    }
  });
  return true;
}

}  // namespace

bool norm_f32(const Norm<float>& p, int threads) { return norm(p, threads); }
bool norm_f64(const Norm<double>& p, int threads) { return norm(p, threads); }
bool norm_backward_f32(const NormBackward<float>& p, int threads) { return norm_backward(p, threads); }
bool norm_backward_f64(const NormBackward<double>& p, int threads) { return norm_backward(p, threads); }

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
