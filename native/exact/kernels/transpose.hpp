// Transposing strips of rows, a square of vectors at a time.
#pragma once

#include "exact/vec.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

template <class T>
struct MaskOf;
template <>
struct MaskOf<float> {
  using type = vi;
};
template <>
struct MaskOf<double> {
  using type = vl;
};

// One stage of a transposition by halving (Eklundh): swaps the off-diagonal blocks of size H.
template <class T, int H>
SAMEBITS_INLINE void swap_blocks(vec<T>* rows) {
  constexpr int count = VectorOf<T>::count;
  typename MaskOf<T>::type upper, lower;
  for (int l = 0; l < count; ++l) {
    upper[l] = (l & H) ? count + (l - H) : l;
    lower[l] = (l & H) ? count + l : l + H;
  }
  for (int i = 0; i < count; ++i) {
    if (i & H) continue;
    const vec<T> a = rows[i];
    const vec<T> b = rows[i + H];
    rows[i] = __builtin_shuffle(a, b, upper);
    rows[i + H] = __builtin_shuffle(a, b, lower);
  }
}

template <class T>
SAMEBITS_INLINE void transpose_square(vec<T>* rows) {
  constexpr int count = VectorOf<T>::count;
  if constexpr (count > 8) swap_blocks<T, 8>(rows);
  if constexpr (count > 4) swap_blocks<T, 4>(rows);
  if constexpr (count > 2) swap_blocks<T, 2>(rows);
  swap_blocks<T, 1>(rows);
}

#if defined(__AVX2__) && !defined(__AVX512F__)
// The same with neighbours first: unpacking them takes one instruction, where exchanging them as blocks takes two.
template <>
SAMEBITS_INLINE void transpose_square<float>(vf* rows) {
  __m256 pairs[8], fours[8];
  for (int i = 0; i < 8; i += 2) {
    pairs[i] = _mm256_unpacklo_ps((__m256)rows[i], (__m256)rows[i + 1]);
    pairs[i + 1] = _mm256_unpackhi_ps((__m256)rows[i], (__m256)rows[i + 1]);
  }
  for (int i = 0; i < 8; i += 4) {
    for (int half = 0; half < 2; ++half) {
      fours[i + 2 * half] = _mm256_shuffle_ps(pairs[i + half], pairs[i + half + 2], 0x44);
      fours[i + 2 * half + 1] = _mm256_shuffle_ps(pairs[i + half], pairs[i + half + 2], 0xEE);
    }
  }
  for (int i = 0; i < 4; ++i) {
    rows[i] = (vf)_mm256_permute2f128_ps(fours[i], fours[i + 4], 0x20);
    rows[i + 4] = (vf)_mm256_permute2f128_ps(fours[i], fours[i + 4], 0x31);
  }
}
#endif

// from[i * row_step + p] to to[p * to_step + i], for i below rows and p below k. Where `to` is packed
// (to_step = rows) up to a vector beyond its end is overwritten; where there is room for a whole vector
// beside the rows, it gets zeros.
template <class T>
void transpose_rows(const T* from, long row_step, int rows, long k, T* to, long to_step) {
  using V = vec<T>;
  constexpr int count = VectorOf<T>::count;
  for (int i0 = 0; i0 < rows; i0 += count) {
    const int here = rows - i0 < count ? rows - i0 : count;
    const T* source = from + i0 * row_step;
    T* target = to + i0;
    long p = 0;
    for (; p + count <= k; p += count) {
      V square[count];
      for (int i = 0; i < count; ++i) square[i] = i < here ? load<V>(source + i * row_step + p) : V{};
      transpose_square<T>(square);
      // In ascending order what one store writes too much the next one puts right.
      const bool whole = here == count || i0 + count <= to_step || (rows <= count && to_step == rows);
      if (whole) {
        for (int i = 0; i < count; ++i) store(target + (p + i) * to_step, square[i]);
      } else {
        alignas(64) T values[count * count];
        for (int i = 0; i < count; ++i) store(values + i * count, square[i]);
        for (int i = 0; i < count; ++i) {
          for (int j = 0; j < here; ++j) target[(p + i) * to_step + j] = values[i * count + j];
        }
      }
    }
    for (; p < k; ++p) {
      for (int i = 0; i < here; ++i) target[p * to_step + i] = source[i * row_step + p];
    }
  }
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
