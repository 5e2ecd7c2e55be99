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

// So many vectors of columns go down k side by side, for their chains wait for nothing but themselves.
template <int R>
constexpr int kBeside = R == 1 ? 2 : 1;

// Columns of b one after the other: G times as many as a vector has lanes, turned a square at a time.
template <class T, int R, int G, bool far, bool whole>
void run_along(const Product<T>& p, long j0, int columns) {
  using V = vec<T>;
  constexpr int count = VectorOf<T>::count;
  constexpr long line = 64 / static_cast<long>(sizeof(T));
  const Finish<T> how{p.add.data, p.add.rows, p.add.columns, p.alpha, p.beta};
  V group[G][R] = {};
  V total[G][R] = {};
  for (long k0 = 0; k0 < p.k || k0 == 0; k0 += kChain) {
    const long end = p.k - k0 < kChain ? p.k : k0 + kChain;
    V block[G][R] = {};
    long k = k0;  // of the next step
    const auto add_square = [&](int g, long at) {
      const T* from = p.b.data + (j0 + g * count) * p.b.columns + at;
      V square[count];
      for (int i = 0; i < count; ++i) {
        if (far && at % line == 0) __builtin_prefetch(from + i * p.b.columns + kAhead<T>, 0, 2);
        square[i] = whole || i < columns ? load<V>(from + i * p.b.columns) : V{};
      }
      transpose_square<T>(square);
      for (int i = 0; i < R; ++i) {
        const T* x = p.a.data + i * p.a.rows + at * p.a.columns;
        for (int d = 0; d < count; ++d) block[g][i] = fma(all<V>(x[d * p.a.columns]), square[d], block[g][i]);
      }
    };
    // Lines that are powers of two apart share a place in the first-level cache: each is read whole.
    for (; k + line <= end; k += line) {
      for (int g = 0; g < G; ++g) {
        for (long own = 0; own < line; own += count) add_square(g, k + own);
      }
    }
    for (; k + count <= end; k += count) {
      for (int g = 0; g < G; ++g) add_square(g, k);
    }
    for (; k < end; ++k) {
      for (int g = 0; g < G; ++g) {
        const T* from = p.b.data + (j0 + g * count) * p.b.columns + k;
        V column{};
        for (int i = 0; i < count && (whole || i < columns); ++i) column[i] = from[i * p.b.columns];
        for (int i = 0; i < R; ++i) {
          block[g][i] = fma(all<V>(p.a.data[i * p.a.rows + k * p.a.columns]), column, block[g][i]);
        }
      }
    }
    const bool last = k0 + kChain >= p.k;
    for (int g = 0; g < G; ++g) {
      for (int i = 0; i < R; ++i) {
        V& sum = group[g][i];
        sum = k0 % (kChain * kGroup) == 0 ? block[g][i] : sum + block[g][i];
        if (last || (k0 + kChain) % (kChain * kGroup) == 0) total[g][i] = k0 < kChain * kGroup ? sum : total[g][i] + sum;
      }
    }
  }
  alignas(64) T values[R * G * count];
  for (int i = 0; i < R; ++i) {
    for (int g = 0; g < G; ++g) store(values + (i * G + g) * count, total[g][i]);
  }
  settle(values, G * count, R, columns, p.out.data + j0, p.out.rows, true, true, how, 0, j0);
}

template <class T, int R, bool far>
void run_along(const Product<T>& p, long j0, long j1) {
  constexpr int count = VectorOf<T>::count;
  constexpr int beside = kBeside<R>;
  long j = j0;
  for (; j + beside * count <= j1; j += beside * count) run_along<T, R, beside, far, true>(p, j, beside * count);
  for (; j + count <= j1; j += count) run_along<T, R, 1, far, true>(p, j, count);
  if (j < j1) run_along<T, R, 1, far, false>(p, j, static_cast<int>(j1 - j));
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
