// The end of a product: sums join the total, and are multiplied and added to.
#pragma once

#include "exact/kernels.hpp"
#include "exact/kernels/tile.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

template <class T>
struct Finish {
  const T* add;
  long add_rows, add_columns;
  T alpha, beta;
};

template <class T>
SAMEBITS_INLINE vec<T> finished(const Finish<T>& how, vec<T> x, const T* add) {
  using V = vec<T>;
  if (how.alpha != T{1}) x = all<V>(how.alpha) * x;
  if (add != nullptr) {
    V y = load<V>(add);
    if (how.beta != T{1}) y = all<V>(how.beta) * y;
    x = y + x;
  }
  return canonical(x);
}

// Moves at most a panel of sums, rows `step` apart, into the matrix.
template <class T>
void settle(const T* values, long step, int rows, int columns, T* out, long out_rows, bool first, bool last,
            const Finish<T>& how, long i0, long j0) {
  using V = vec<T>;
  constexpr int count = VectorOf<T>::count;
  T row_add[panel<T>];
  for (int i = 0; i < rows; ++i) {
    const T* from = values + i * step;
    T* to = out + i * out_rows;
    const T* add = nullptr;
    if (last && how.add != nullptr) {
      const T* source = how.add + (i0 + i) * how.add_rows + j0 * how.add_columns;
      if (how.add_columns == 1 && columns == panel<T>) {
        add = source;
      } else {
        for (int j = 0; j < columns; ++j) row_add[j] = source[j * how.add_columns];
        for (int j = columns; j < panel<T>; ++j) row_add[j] = 0;
        add = row_add;
      }
    }
    for (int j = 0; j < columns; j += count) {
      const int here = columns - j < count ? columns - j : count;
      V x = load<V>(from + j);
      if (!first) x = (here == count ? load<V>(to + j) : load_first<V>(to + j, here)) + x;
      if (last) x = finished<T>(how, x, add == nullptr ? nullptr : add + j);
      if (here == count) {
        store(to + j, x);
      } else {
        store_first(to + j, x, here);
      }
    }
  }
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
