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

// Where the rows of b lie: one after the other, or at offsets of their own.
struct Packed {};  // shorter than a pointer, which tells them apart

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

// The chain over one block of k, for R rows: row p of b lies at b + p * panel or at b + offsets[p]. The
// sums go to rows of out, `out_step` apart, or are added to what is there.
template <class T, int R, class Left, class Offsets>
void tile(long k, Left a, const T* b, Offsets offsets, T* out, long out_step, bool add) {
  using V = vec<T>;
  constexpr int count = VectorOf<T>::count;
  constexpr bool placed = sizeof(Left) == sizeof(Placed<T>);
  V acc[R][kVectors];
  for (int i = 0; i < R; ++i) {
    for (int j = 0; j < kVectors; ++j) acc[i][j] = V{};
  }
  const T* rows[R];
  for (int i = 0; i < R; ++i) {
    if constexpr (placed) {
      rows[i] = a.rows[i];
    } else {
      rows[i] = a.values + i;
    }
  }
  for (long p = 0; p < k; ++p) {
    V row[kVectors];
    const T* from = b;
    if constexpr (sizeof(Offsets) == sizeof(long)) from = b + offsets[p];
    for (int j = 0; j < kVectors; ++j) row[j] = load<V>(from + j * count);
    long at = p * R;
    if constexpr (placed) at = a.at[p];
    for (int i = 0; i < R; ++i) {
      const V x = all<V>(rows[i][at]);
      for (int j = 0; j < kVectors; ++j) acc[i][j] = fma(x, row[j], acc[i][j]);
    }
    if constexpr (sizeof(Offsets) != sizeof(long)) b += panel<T>;
  }
  for (int i = 0; i < R; ++i, out += out_step) {
    for (int j = 0; j < kVectors; ++j) {
      store(out + j * count, add ? load<V>(out + j * count) + acc[i][j] : acc[i][j]);
    }
  }
}

template <class T, class Left, class Offsets>
using Tile = void (*)(long k, Left a, const T* b, Offsets offsets, T* out, long out_step, bool add);

template <class T, class Left, class Offsets, int... Before>
Tile<T, Left, Offsets> tile_among(int rows, std::integer_sequence<int, Before...>) {
  static constexpr Tile<T, Left, Offsets> tiles[] = {tile<T, Before + 1, Left, Offsets>...};
  return tiles[rows - 1];
}

// The tile of 1 to kRows rows.
template <class T, class Left, class Offsets>
Tile<T, Left, Offsets> tile_of(int rows) {
  return tile_among<T, Left, Offsets>(rows, std::make_integer_sequence<int, kRows>{});
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
