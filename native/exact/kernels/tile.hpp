// Tiles: what the registers hold of a product while it runs down a block of k.
#pragma once

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

// The chain over one block of k, for R rows: a is packed [k][R], row p of b lies at b + p * panel or
// at b + offsets[p]; the sums go to out, [R][panel].
template <class T, int R, class Offsets>
void tile(long k, const T* a, const T* b, Offsets offsets, T* out) {
  using V = vec<T>;
  constexpr int count = VectorOf<T>::count;
  V acc[R][kVectors];
  for (int i = 0; i < R; ++i) {
    for (int j = 0; j < kVectors; ++j) acc[i][j] = V{};
  }
  for (long p = 0; p < k; ++p) {
    V row[kVectors];
    const T* from = b;
    if constexpr (sizeof(Offsets) == sizeof(long)) from = b + offsets[p];
    for (int j = 0; j < kVectors; ++j) row[j] = load<V>(from + j * count);
    for (int i = 0; i < R; ++i) {
      const V x = all<V>(a[i]);
      for (int j = 0; j < kVectors; ++j) acc[i][j] = fma(x, row[j], acc[i][j]);
    }
    a += R;
    if constexpr (sizeof(Offsets) != sizeof(long)) b += panel<T>;
  }
  for (int i = 0; i < R; ++i) {
    for (int j = 0; j < kVectors; ++j) store(out + i * panel<T> + j * count, acc[i][j]);
  }
}

template <class T, class Offsets>
using Tile = void (*)(long k, const T* a, const T* b, Offsets offsets, T* out);

template <class T, class Offsets>
Tile<T, Offsets> tile_of(int rows) {
  switch (rows) {
    case 1: return tile<T, 1, Offsets>;
    case 2: return tile<T, 2, Offsets>;
    case 3: return tile<T, 3, Offsets>;
    case 4: return tile<T, 4, Offsets>;
#if SAMEBITS_VECTOR_BYTES > 16 || defined(__aarch64__)
    case 5: return tile<T, 5, Offsets>;
    case 6: return tile<T, 6, Offsets>;
#endif
#if SAMEBITS_VECTOR_BYTES == 64 || defined(__aarch64__)
    case 7: return tile<T, 7, Offsets>;
    case 8: return tile<T, 8, Offsets>;
#endif
#if SAMEBITS_VECTOR_BYTES == 64
    case 9: return tile<T, 9, Offsets>;
    case 10: return tile<T, 10, Offsets>;
    case 11: return tile<T, 11, Offsets>;
    case 12: return tile<T, 12, Offsets>;
    case 13: return tile<T, 13, Offsets>;
    case 14: return tile<T, 14, Offsets>;
#endif
    default: return nullptr;
  }
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
