// The word sum, written once over a vector of 64-bit lanes; each kernel_*.cpp supplies the lanes
// and is compiled with its own instruction set. The unnamed namespace keeps the copies apart:
// with external linkage the linker would keep one of them, perhaps one this processor cannot run.
//
// Nothing of the standard library but memcpy here, for the same reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "samebits reads words as little-endian; big-endian machines are not supported"
#endif

namespace samebits::fingerprint {
namespace {

// The j-th word is masked by key(j) = (j + 1) * key_step, so that its position counts.
// 2^64 / golden ratio, made odd: keys of nearby words differ in about half of their bits.
constexpr uint64_t key_step = 0x9E3779B97F4A7C15u;

// Even, so that lo * (1 + multiplier) is a bijection of the low 32 bits (see `scramble`).
constexpr uint32_t multipliers[3] = {0x9E3779B0u, 0x85EBCA76u, 0xC2B2AE3Cu};

// A bijection of 64 bits. x ^ (x >> 32) is its own inverse; x + lo(x) * even maps the low half by
// an odd factor and then only adds to the high half. A 32 x 32 -> 64 product is one instruction on
// every vector unit and GPU, where a 64-bit product is three or more. Each xor breaks the linearity
// of the sums around it; three rounds are the fewest for which no tested change of two words cancels.
template <class Lanes>
inline Lanes scramble(Lanes x) {
  for (uint32_t multiplier : multipliers) {
    x = x ^ high_half(x);
    x = x + low_half_times(x, multiplier);
  }
  return x ^ high_half(x);
}

// One lane: the plain build, and the tail of all others.
struct Word {
  uint64_t value;
};
inline Word operator^(Word a, Word b) { return {a.value ^ b.value}; }
inline Word operator+(Word a, Word b) { return {a.value + b.value}; }
inline Word high_half(Word a) { return {a.value >> 32}; }
inline Word low_half_times(Word a, uint32_t multiplier) {
  return {(a.value & 0xFFFFFFFFu) * multiplier};
}

// Fewer words than a block, and then the bytes that are left, padded with zeros.
inline uint64_t sum_tail(const unsigned char* bytes, size_t nbytes, uint64_t key) {
  uint64_t sum = 0;
  for (; nbytes >= 8; nbytes -= 8, bytes += 8, key += key_step) {
    uint64_t word;
    std::memcpy(&word, bytes, 8);
    sum += scramble(Word{word ^ key}).value;
  }
  if (nbytes != 0) {
    uint64_t word = 0;
    std::memcpy(&word, bytes, nbytes);
    sum += scramble(Word{word ^ key}).value;
  }
  return sum;
}

// `Lanes` has: count, load(pointer), ascending(first, step), all(value), total(), and the operators.
template <class Lanes>
inline uint64_t sum_blocks(const void* data, size_t nbytes, uint64_t first_word) {
  // Four vectors a turn: their chains of dependent instructions overlap.
  constexpr size_t unroll = 4;
  constexpr size_t vector_bytes = Lanes::count * 8;
  const auto* bytes = static_cast<const unsigned char*>(data);
  uint64_t key = (first_word + 1) * key_step;
  uint64_t sum = 0;
  if (nbytes >= vector_bytes) {
    const Lanes vector_step = Lanes::all(key_step * Lanes::count);
    Lanes keys = Lanes::ascending(key, key_step);
    Lanes sums[unroll] = {Lanes::all(0), Lanes::all(0), Lanes::all(0), Lanes::all(0)};
    size_t vectors = nbytes / vector_bytes;
    key += key_step * Lanes::count * vectors;
    nbytes -= vectors * vector_bytes;
    for (; vectors >= unroll; vectors -= unroll) {
      for (size_t u = 0; u < unroll; ++u, bytes += vector_bytes) {
        sums[u] = sums[u] + scramble(Lanes::load(bytes) ^ keys);
        keys = keys + vector_step;
      }
    }
    for (; vectors != 0; --vectors, bytes += vector_bytes) {
      sums[0] = sums[0] + scramble(Lanes::load(bytes) ^ keys);
      keys = keys + vector_step;
    }
    sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])).total();
  }
  return sum + sum_tail(bytes, nbytes, key);
}

}  // namespace
}  // namespace samebits::fingerprint
