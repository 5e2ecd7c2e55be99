// Factors of products, packed as tiles read them.
#pragma once

#include "exact/kernels/settle.hpp"
#include "exact/kernels/transpose.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

// [rows][k] to [k][rows].
template <class T>
void pack_rows(const T* a, long row_step, long k_step, int rows, long k, T* to) {
  if (k_step == 1 && rows > 1) {
    transpose_rows(a, row_step, rows, k, to, rows);
    return;
  }
  for (long p = 0; p < k; ++p) {
    for (int i = 0; i < rows; ++i) to[i] = a[i * row_step + p * k_step];
    to += rows;
  }
}

// [k][columns] to panels of [k][panel], zeros where there are no more columns.
template <class T>
void pack_panel(const T* b, long k_step, long column_step, int columns, long k, T* to) {
  using V = vec<T>;
  constexpr int count = VectorOf<T>::count;
  constexpr int width = panel<T>;
  if (column_step == 1 && columns == width) {
    for (long p = 0; p < k; ++p) {
      for (int j = 0; j < kVectors; ++j) {
        store(to + p * width + j * count, load<V>(b + p * k_step + j * count));
      }
    }
    return;
  }
  if (columns < width) {
    for (long p = 0; p < k * width; ++p) to[p] = 0;
  }
  if (k_step == 1 && columns > 1) {
    transpose_rows(b, column_step, columns, k, to, width);
    return;
  }
  for (long p = 0; p < k; ++p) {
    for (int j = 0; j < columns; ++j) to[p * width + j] = b[p * k_step + j * column_step];
  }
}

// A second factor that serves several products: packed once, in blocks of k, a panel after the other.
template <class T>
class PackedFactor {
 public:
  PackedFactor(Matrix<const T> b, long k, long n, T* memory) : k_(k), n_(n), values_(memory) {
    for (long k0 = 0; k0 < k; k0 += kChain) {
      for (long q = 0; q < panels(); ++q) {
        const long j = q * panel<T>;
        pack_panel(b.data + k0 * b.rows + j * b.columns, b.rows, b.columns, columns(q), block(k0), at(k0, q));
      }
    }
  }
  static long size(long k, long n) { return k * ((n + panel<T> - 1) / panel<T>)*panel<T>; }
  // Blocks of k join the total without groups between them.
  static bool serves(long k) { return k > 0 && k <= kChain * kGroup; }
  static long room(long m) { return (m + kRows) * kChain; }
  long panels() const { return (n_ + panel<T> - 1) / panel<T>; }

  // Panels q0 to q1 - 1 of a product with m rows of a; `room` is for a block of these.
  void multiply(long m, Matrix<const T> a, const Finish<T>& how, T* out, long q0, long q1, T* room) const {
    alignas(64) T values[kRows * panel<T>];
    const Cut strips(m, kRows);
    for (long k0 = 0; k0 < k_; k0 += kChain) {
      const long k = block(k0);
      for (long s = 0; s < strips.parts; ++s) {
        const long i = strips.begin(s);
        pack_rows(a.data + i * a.rows + k0 * a.columns, a.rows, a.columns, static_cast<int>(strips.rows(s)), k, room + i * k);
      }
      for (long q = q0; q < q1; ++q) {
        for (long s = 0; s < strips.parts; ++s) {
          const int rows = static_cast<int>(strips.rows(s));
          const long i = strips.begin(s), j = q * panel<T>;
          const auto run = tile_of<T, SideBySide<T>, Packed<T>>(rows);
          run(k, {room + i * k}, {at(k0, q)}, values, panel<T>, false);
          settle(values, panel<T>, rows, columns(q), out + i * n_ + j, n_, k0 == 0, k0 + k == k_, how, i, j);
        }
      }
    }
  }

 private:
  long block(long k0) const { return k_ - k0 < kChain ? k_ - k0 : kChain; }
  int columns(long q) const { return static_cast<int>(n_ - q * panel<T> < panel<T> ? n_ - q * panel<T> : panel<T>); }
  T* at(long k0, long q) const { return values_ + (k0 * panels() + q * block(k0)) * panel<T>; }

  const long k_, n_;
  T* values_;
};

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
