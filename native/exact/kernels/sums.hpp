// Sums of a fixed shape: 64 lanes, a tree over the lanes, blocks of 4096, and the same again over
// the sums of blocks (docs/arithmetic.md, "Sums").
//
//   values     x0 x1 … x63 | x64 x65 … x127 | …      up to 4096
//   lane l     ((0 + x[l]) + x[l + 64]) + x[l + 128] + …
//   tree       lane l += lane l + 32, then + 16, + 8, + 4, + 2, + 1
#pragma once

#include <type_traits>

#include "exact/kernels.hpp"
#include "exact/vec.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

// Values a line of the cache.
template <class T>
constexpr long kLine = 64 / sizeof(T);

// The tree over the lanes of one register: each gets the one `width` further added.
template <class T, int width = VectorOf<T>::count / 2>
SAMEBITS_INLINE T sum_register(vec<T> v) {
  if constexpr (width == 0) {
    return v[0];
  } else {
    constexpr int count = VectorOf<T>::count;
    std::conditional_t<sizeof(T) == 4, vi, vl> further;
    for (int l = 0; l < count; ++l) further[l] = (l + width) % count;
    return sum_register<T, width / 2>(v + __builtin_shuffle(v, further));
  }
}

// The tree over 64 lanes in registers.
template <class T>
SAMEBITS_INLINE T sum_registers(vec<T> (&lanes)[kLanes / VectorOf<T>::count]) {
#pragma GCC unroll 8
  for (int half = static_cast<int>(kLanes) / VectorOf<T>::count / 2; half > 0; half /= 2) {
#pragma GCC unroll 16
    for (int j = 0; j < half; ++j) lanes[j] = lanes[j] + lanes[j + half];
  }
  return sum_register<T>(lanes[0]);
}

// The tree over 64 lanes that are in memory. Those from `used` on hold +0: adding them changes nothing.
template <class T>
SAMEBITS_INLINE T sum_lanes(T* lanes, int used = static_cast<int>(kLanes)) {
  using V = vec<T>;
  constexpr int count = VectorOf<T>::count;
  int width = static_cast<int>(kLanes) / 2;
  while (width >= used && width >= count) width /= 2;
  for (; width >= count; width /= 2) {
    for (int l = 0; l < width; l += count) store(lanes + l, load<V>(lanes + l) + load<V>(lanes + l + width));
  }
  return sum_register<T>(load<V>(lanes));
}

// At most kBlock values next to each other. Those that are not in a cache yet are asked for two
// thousand values ahead: what the processor fetches by itself ends with each page.
template <class T, bool fetch = false>
T sum_block(const T* x, long n) {
  using V = vec<T>;
  constexpr int count = VectorOf<T>::count;
  constexpr int vectors = static_cast<int>(kLanes) / count;
  alignas(64) T lanes[kLanes];
  if (n < kLanes) {
    for (int l = 0; l < kLanes; ++l) lanes[l] = 0;
    for (int l = 0; l < n; ++l) lanes[l] += x[l];
    return n == 0 ? T{} : sum_lanes(lanes, static_cast<int>(n));
  }
  V acc[vectors];
  for (int j = 0; j < vectors; ++j) acc[j] = V{} + load<V>(x + j * count);
  long i = kLanes;
  for (; i + kLanes <= n; i += kLanes) {
    if constexpr (fetch) {
      for (long l = 0; l < kLanes; l += kLine<T>) __builtin_prefetch(x + i + 2048 + l);
    }
    for (int j = 0; j < vectors; ++j) acc[j] = acc[j] + load<V>(x + i + j * count);
  }
  if (i == n) return sum_registers<T>(acc);
  for (int j = 0; j < vectors; ++j) store(lanes + j * count, acc[j]);
  for (long l = 0; i + l < n; ++l) lanes[l] = lanes[l] + x[i + l];
  return sum_lanes(lanes);
}

// Sums of blocks to the sum of them all, in place: blocks of blocks, until one is left.
template <class T>
T sum_of_blocks(T* sums, long n) {
  while (n > 1) {
    const long blocks = (n + kBlock - 1) / kBlock;
    for (long b = 0; b < blocks; ++b) {
      const long here = n - b * kBlock < kBlock ? n - b * kBlock : kBlock;
      sums[b] = sum_block(sums + b * kBlock, here);
    }
    n = blocks;
  }
  return sums[0];
}

// The sum of values next to each other. `sums` has room for one value a block, unless they are a
// single block.
template <class T>
T sum_run(const T* x, long n, T* sums) {
  if (n <= kBlock) return sum_block(x, n);
  const long blocks = (n + kBlock - 1) / kBlock;
  for (long b = 0; b < blocks; ++b) {
    sums[b] = sum_block<T, true>(x + b * kBlock, n - b * kBlock < kBlock ? n - b * kBlock : kBlock);
  }
  return sum_of_blocks(sums, blocks);
}

// out[i] = formula(i) for i below n, a vector at a time: formula(vector, index) with loads of its own.
template <class T, class Formula>
SAMEBITS_INLINE void each(long n, T* out, Formula formula) {
  using V = vec<T>;
  constexpr int count = VectorOf<T>::count;
  long i = 0;
  for (; i + count <= n; i += count) {
    store(out + i, formula(i, [](const T* p) { return load<V>(p); }));
  }
  if (i < n) {
    const int rest = static_cast<int>(n - i);
    store_first(out + i, formula(i, [rest](const T* p) { return load_first<V>(p, rest); }), rest);
  }
}

// The sum of formula(i) for i from `begin` on, n values and at most a block, a vector at a time as `each`
// takes them.
template <class T, class Formula>
SAMEBITS_INLINE T sum_block_of(long begin, long n, Formula formula) {
  using V = vec<T>;
  constexpr int count = VectorOf<T>::count;
  constexpr int vectors = static_cast<int>(kLanes) / count;
  // With AVX2 all lanes would fill half of the registers, and what the formula holds the others: parts of the lanes
  // one after the other are spilled less.
  constexpr int together = kBytes == 32 && vectors > 4 ? 4 : vectors;
  V acc[vectors];
  const long whole = n / kLanes * kLanes;
  for (int part = 0; part < vectors; part += together) {
    V own[together] = {};
    for (long i = part * count; i < whole; i += kLanes) {
#pragma GCC unroll 16
      for (int j = 0; j < together; ++j) {
        own[j] = own[j] + formula(begin + i + j * count, [](const T* p) { return load<V>(p); });
      }
    }
    for (int j = 0; j < together; ++j) acc[part + j] = own[j];
  }
  const long i = whole;
  if (i == n) return sum_registers<T>(acc);
  alignas(64) T lanes[kLanes];
  alignas(64) T rest[kLanes];
  for (int j = 0; j < vectors; ++j) store(lanes + j * count, acc[j]);
  each(n - i, rest, [&](long j, auto get) { return formula(begin + i + j, get); });
  for (long l = 0; i + l < n; ++l) lanes[l] = lanes[l] + rest[l];
  return sum_lanes(lanes, n < kLanes ? static_cast<int>(n) : static_cast<int>(kLanes));
}

// The same for any n. `sums` has room for one value a block, unless n is a single one.
template <class T, class Formula>
SAMEBITS_INLINE T sum_formula(long n, T* sums, Formula formula) {
  if (n <= kBlock) return sum_block_of<T>(0, n, formula);
  const long blocks = (n + kBlock - 1) / kBlock;
  for (long b = 0; b < blocks; ++b) {
    sums[b] = sum_block_of<T>(b * kBlock, n - b * kBlock < kBlock ? n - b * kBlock : kBlock, formula);
  }
  return sum_of_blocks(sums, blocks);
}

// Values that are summed as one sequence: `pieces` runs of `length` values, `step` apart.
struct Runs {
  long length;
  long pieces;
  long step;
  long count() const { return length * pieces; }
};

// Calls make(offset, n, buffer + i) for the runs of values that make up values [begin, begin + n) of
// the sequence.
template <class T, class Make>
SAMEBITS_INLINE void fill_block(const Runs& runs, long begin, long n, T* buffer, Make make) {
  long done = 0;
  while (done < n) {
    const long piece = (begin + done) / runs.length;
    const long inside = (begin + done) % runs.length;
    long here = runs.length - inside;
    if (here > n - done) here = n - done;
    make(piece * runs.step + inside, here, buffer + done);
    done += here;
  }
}

// The sum of a sequence whose values `make` computes into a buffer. `sums` has room for one value a
// block, unless the sequence is a single block.
template <class T, class Make>
T sum_made(const Runs& runs, T* sums, Make make) {
  alignas(64) T buffer[kBlock];
  const long n = runs.count();
  if (n <= kBlock) {
    fill_block(runs, 0, n, buffer, make);
    return sum_block(buffer, n);
  }
  const long blocks = (n + kBlock - 1) / kBlock;
  for (long b = 0; b < blocks; ++b) {
    const long here = n - b * kBlock < kBlock ? n - b * kBlock : kBlock;
    fill_block(runs, b * kBlock, here, buffer, make);
    sums[b] = sum_block(buffer, here);
  }
  return sum_of_blocks(sums, blocks);
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
