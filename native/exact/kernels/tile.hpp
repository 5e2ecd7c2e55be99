// Tiles: what the registers hold of a product while it runs down a block of k.
#pragma once

#include <utility>

#include "exact/kernels.hpp"
#include "exact/vec.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

// Rows and vectors of a tile: as many accumulators as the registers hold beside a row of b.
#if SAMEBITS_VECTOR_BYTES == 64
constexpr int kRows = 14;
constexpr int kVectors = 2;
#elif defined(__aarch64__)
constexpr int kRows = 8;
constexpr int kVectors = 3;
#elif SAMEBITS_VECTOR_BYTES == 32
constexpr int kRows = 6;
constexpr int kVectors = 2;
#else
constexpr int kRows = 4;
constexpr int kVectors = 2;
#endif

template <class T>
constexpr int panel = kVectors * VectorOf<T>::count;

// Where the rows of b lie: one after the other, or in vectors of their own, offsets[p] behind the places
// where their first ones lie.
template <class T>
struct Packed {
  const T* values;
};
template <class T>
struct Spread {
  const T* first[kVectors];
  const long* offsets;
};

// Where the rows of a lie: packed, the values of a step side by side, or each row at a pointer of its
// own, its value for step p at[p] places further.
template <class T>
struct SideBySide {
  const T* values;
};
template <class T>
struct Placed {
  const T* const* rows;
  const long* at;
};

// The chain over one block of k, for R rows; b by reference, for it was just written, and a copy would
// wait for that. The sums go to rows of out, `out_step` apart, or are added to
// what is there.
template <class T, int R, class Left, class Right>
void tile(long k, Left a, const Right& b, T* out, long out_step, bool add) {
  using V = vec<T>;
  constexpr int count = VectorOf<T>::count;
  constexpr bool placed = sizeof(Left) == sizeof(Placed<T>);
  constexpr bool spread = sizeof(Right) == sizeof(Spread<T>);
  V acc[R][kVectors];
  for (int i = 0; i < R; ++i) {
    for (int j = 0; j < kVectors; ++j) acc[i][j] = V{};
  }
  const T* rows[placed ? R : 1];
  if constexpr (placed) {
    for (int i = 0; i < R; ++i) rows[i] = a.rows[i];
  }
  for (long p = 0; p < k; ++p) {
    V row[kVectors];
    for (int j = 0; j < kVectors; ++j) {
      if constexpr (spread) {
        row[j] = load<V>(b.first[j] + b.offsets[p]);
      } else {
        row[j] = load<V>(b.values + p * panel<T> + j * count);
      }
    }
    long at = 0;
    if constexpr (placed) at = a.at[p];
    for (int i = 0; i < R; ++i) {
      V x;
      if constexpr (placed) {
        x = all<V>(rows[i][at]);
      } else {
        x = all<V>(a.values[i]);
      }
      for (int j = 0; j < kVectors; ++j) acc[i][j] = fma(x, row[j], acc[i][j]);
    }
    if constexpr (!placed) a.values += R;
  }
  for (int i = 0; i < R; ++i, out += out_step) {
    for (int j = 0; j < kVectors; ++j) {
      store(out + j * count, add ? load<V>(out + j * count) + acc[i][j] : acc[i][j]);
    }
  }
}

template <class T, class Left, class Right>
using Tile = void (*)(long k, Left a, const Right& b, T* out, long out_step, bool add);

template <class T, class Left, class Right, int... Before>
Tile<T, Left, Right> tile_among(int rows, std::integer_sequence<int, Before...>) {
  static constexpr Tile<T, Left, Right> tiles[] = {tile<T, Before + 1, Left, Right>...};
  return tiles[rows - 1];
}

// The tile of 1 to kRows rows.
template <class T, class Left, class Right>
Tile<T, Left, Right> tile_of(int rows) {
  return tile_among<T, Left, Right>(rows, std::make_integer_sequence<int, kRows>{});
}

// Rows are cut evenly: 32 rows become 11, 11 and 10, not 14, 14 and 4.
struct Cut {
  long parts;
  long size;
  long longer;  // the first parts, which have one more
  Cut(long rows, long most) {
    parts = (rows + most - 1) / most;
    size = rows / parts;
    longer = rows % parts;
  }
  long rows(long part) const { return size + (part < longer); }
  long begin(long part) const { return part * size + (part < longer ? part : longer); }
};

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
