// Products of a few rows: what they take is to read b, which is therefore read once, as it lies, and not
// packed. A lane is a column; its chains, blocks and groups are those of any product.
#pragma once

#include "exact/kernels.hpp"
#include "exact/kernels/settle.hpp"
#include "exact/kernels/transpose.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

constexpr long kThin = 4;

template <class T>
bool is_thin(const Product<T>& p) {
  return p.m <= kThin && (p.b.columns == 1 || p.b.rows == 1);
}

// What is larger than a second-level cache is asked for ahead: strides of several rows are more than the
// processor fetches by itself.
template <class T>
bool is_far(const Product<T>& p) {
  return static_cast<double>(p.k) * static_cast<double>(p.n) * sizeof(T) > 1 << 20;
}

template <class T>
size_t thin_memory(long columns) {
  return static_cast<size_t>(3 * kThin * (columns + panel<T>));
}

// Rows of b one after the other, several at a time, their sums in memory.
template <class T, int R, bool far>
class Downward {
 public:
  Downward(const Product<T>& p, long j0, long j1, T* memory)
      : p_(p), j0_(j0), columns_(j1 - j0), step_((columns_ + panel<T> - 1) / panel<T> * panel<T>) {
    block_ = memory;
    group_ = block_ + R * step_;
    total_ = group_ + R * step_;
  }

  void run() {
    for (long k0 = 0; k0 < p_.k || k0 == 0; k0 += kChain) {
      const long k = p_.k - k0 < kChain ? p_.k - k0 : kChain;
      chain(k0, k);
      join(group_, block_, k0 % (kChain * kGroup) == 0);
      const bool last = k0 + kChain >= p_.k;
      if (last || (k0 + kChain) % (kChain * kGroup) == 0) join(total_, group_, k0 < kChain * kGroup);
    }
    const Finish<T> how{p_.add.data, p_.add.rows, p_.add.columns, p_.alpha, p_.beta};
    for (long j = 0; j < columns_; j += panel<T>) {
      const int here = static_cast<int>(columns_ - j < panel<T> ? columns_ - j : panel<T>);
      settle(total_ + j, step_, R, here, p_.out.data + j0_ + j, p_.out.rows, true, true, how, 0, j0_ + j);
    }
  }

 private:
  void chain(long k0, long k) {
    constexpr int depth = R == 1 ? 8 : 4;
    for (long j = 0; j < R * step_; j += VectorOf<T>::count) store(block_ + j, vec<T>{});
    long q = 0;
    for (; q + depth <= k; q += depth) add_rows<depth>(k0 + q);
    for (; q < k; ++q) add_rows<1>(k0 + q);
  }

  template <int depth>
  void add_rows(long k) {
    using V = vec<T>;
    constexpr long count = VectorOf<T>::count;
    T x[R][depth];
    const T* row[depth];
    for (int d = 0; d < depth; ++d) {
      for (int i = 0; i < R; ++i) x[i][d] = p_.a.data[i * p_.a.rows + (k + d) * p_.a.columns];
      row[d] = p_.b.data + (k + d) * p_.b.rows + j0_;
    }
    long j = 0;
    const long ahead = depth * p_.b.rows;
    for (; j + count <= columns_; j += count) {
      add<depth>(j, x, [&](int d) {
        if constexpr (far) __builtin_prefetch(row[d] + ahead + j, 0, 2);
        return load<V>(row[d] + j);
      });
    }
    if (j < columns_) {
      const int here = static_cast<int>(columns_ - j);
      add<depth>(j, x, [&](int d) { return load_first<V>(row[d] + j, here); });
    }
  }

  template <int depth, class Get>
  SAMEBITS_INLINE void add(long j, const T (&x)[R][depth], Get get) {
    using V = vec<T>;
    V values[depth];
    for (int d = 0; d < depth; ++d) values[d] = get(d);
    for (int i = 0; i < R; ++i) {
      V sum = load<V>(block_ + i * step_ + j);
      for (int d = 0; d < depth; ++d) sum = fma(all<V>(x[i][d]), values[d], sum);
      store(block_ + i * step_ + j, sum);
    }
  }

  void join(T* to, const T* from, bool first) {
    using V = vec<T>;
    for (long j = 0; j < R * step_; j += VectorOf<T>::count) {
      const V own = load<V>(from + j);
      store(to + j, first ? own : load<V>(to + j) + own);
    }
  }

  const Product<T>& p_;
  const long j0_, columns_, step_;
  T* block_;
  T* group_;
  T* total_;
};

template <class T>
constexpr long kAhead = 4 * 64 / static_cast<long>(sizeof(T));  // four lines of the cache

// Columns of b one after the other: as many as a vector has lanes, turned a square at a time.
template <class T, int R, bool far>
void run_along(const Product<T>& p, long j0, long j1) {
  using V = vec<T>;
  constexpr long count = VectorOf<T>::count;
  const Finish<T> how{p.add.data, p.add.rows, p.add.columns, p.alpha, p.beta};
  for (long j = j0; j < j1; j += count) {
    const int here = static_cast<int>(j1 - j < count ? j1 - j : count);
    V group[R] = {};
    V total[R] = {};
    for (long k0 = 0; k0 < p.k || k0 == 0; k0 += kChain) {
      const long end = p.k - k0 < kChain ? p.k : k0 + kChain;
      V block[R] = {};
      for (long k = k0; k < end; k += count) {
        const int deep = static_cast<int>(end - k < count ? end - k : count);
        const T* from = p.b.data + j * p.b.columns + k;
        V square[count];
        for (int i = 0; i < count; ++i) {
          if constexpr (far) __builtin_prefetch(from + i * p.b.columns + kAhead<T>, 0, 2);
          square[i] = V{};
          if (i < here) square[i] = deep == count ? load<V>(from + i * p.b.columns) : load_first<V>(from + i * p.b.columns, deep);
        }
        transpose_square<T>(square);
        for (int i = 0; i < R; ++i) {
          const T* x = p.a.data + i * p.a.rows + k * p.a.columns;
          if (deep == count) {
            for (int d = 0; d < count; ++d) block[i] = fma(all<V>(x[d * p.a.columns]), square[d], block[i]);
          } else {
            for (int d = 0; d < deep; ++d) block[i] = fma(all<V>(x[d * p.a.columns]), square[d], block[i]);
          }
        }
      }
      const bool last = k0 + kChain >= p.k;
      for (int i = 0; i < R; ++i) {
        group[i] = k0 % (kChain * kGroup) == 0 ? block[i] : group[i] + block[i];
        if (last || (k0 + kChain) % (kChain * kGroup) == 0) total[i] = k0 < kChain * kGroup ? group[i] : total[i] + group[i];
      }
    }
    alignas(64) T values[R * count];
    for (int i = 0; i < R; ++i) store(values + i * count, total[i]);
    settle(values, count, R, here, p.out.data + j, p.out.rows, true, true, how, 0, j);
  }
}

template <class T, int R>
void thin_rows(const Product<T>& p, long j0, long j1, T* memory) {
  if (p.b.rows == 1) {
    if (is_far(p)) run_along<T, R, true>(p, j0, j1);
    else run_along<T, R, false>(p, j0, j1);
  } else if (is_far(p)) {
    Downward<T, R, true>(p, j0, j1, memory).run();
  } else {
    Downward<T, R, false>(p, j0, j1, memory).run();
  }
}

// Columns [j0, j1) of a thin product.
template <class T>
void thin_product(const Product<T>& p, long j0, long j1, T* memory) {
  switch (p.m) {
    case 1: return thin_rows<T, 1>(p, j0, j1, memory);
    case 2: return thin_rows<T, 2>(p, j0, j1, memory);
    case 3: return thin_rows<T, 3>(p, j0, j1, memory);
    default: return thin_rows<T, 4>(p, j0, j1, memory);
  }
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
