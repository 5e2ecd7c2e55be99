// The word sum, written once over a vector of 64-bit lanes; each kernel_*.cpp supplies the lanes
// and is compiled with its own instruction set. The unnamed namespace keeps the copies apart:
// with external linkage the linker would keep one of them, perhaps one this processor cannot run.
// For the same reason nothing of the standard library but memcpy is used here.
//
// A block, rows of words; each column is a chain, absorbed from top to bottom:
//
//            chain 0  chain 1   …   chain 63
//   key        k0       k1      …     k63       keys go on counting in the next block
//   row 0      w0       w1      …     w63
//   row 1      w64      w65     …     w127
//    ⋮                                           the last block may end anywhere: chains without
//   row 15     w960     …       …     w1023     a word there keep what they have
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "fingerprint/fingerprint.hpp"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "samebits reads words as little-endian; big-endian machines are not supported"
#endif

#if defined(__GNUC__)
#define SAMEBITS_PREFETCH(pointer) __builtin_prefetch(pointer)
#else
#define SAMEBITS_PREFETCH(pointer) ((void)(pointer))
#endif

namespace samebits::fingerprint {
namespace {

// 2^64 / golden ratio, made odd: the keys of nearby chains differ in about half of their bits.
constexpr uint64_t key_step = 0x9E3779B97F4A7C15u;

// Even, so that lo * (1 + multiplier) permutes the low 32 bits (see `mix`).
constexpr uint32_t multipliers[4] = {0x9E3779B0u, 0x85EBCA76u, 0xC2B2AE3Cu, 0x27D4EB2Eu};

// A shift distance known when compiling: the intrinsics take no other.
template <int N>
struct Bits {};

// x + lo(x) * even: the low half is multiplied by an odd number, the high half is added to. A
// bijection, and one multiplication on every vector unit and GPU (32 x 32 -> 64 bits), where a
// 64-bit product costs three or more.
template <class Lanes>
inline Lanes mix(Lanes x, uint32_t multiplier) {
  return x + low_half_times(x, multiplier);
}

// One more word for a chain; a bijection of the state for every word and of the word for every
// state, so that a single changed word always changes the chain.
template <class Lanes>
inline Lanes absorb(Lanes state, Lanes word) {
  Lanes x = state ^ word;
  x = mix(x ^ shift_right(x, Bits<29>{}), multipliers[0]);
  return mix(swap_halves(x), multipliers[1]);
}

// Chains are added up, so what is left of linearity must go: otherwise +1 ULP here and -1 ULP
// there could cancel. Each xor-shift between two multiplications breaks it; a bijection again.
template <class Lanes>
inline Lanes finish(Lanes x) {
  x = mix(x ^ shift_right(x, Bits<29>{}), multipliers[2]);
  x = mix(x ^ shift_right(x, Bits<32>{}), multipliers[3]);
  return x ^ shift_right(x, Bits<32>{});
}

// One lane, for the plain build.
struct Word {
  static constexpr size_t count = 1;
  static constexpr size_t unroll = 4;  // what fits in the general registers
  uint64_t value;

  static Word load(const unsigned char* pointer) {
    Word word;
    std::memcpy(&word.value, pointer, 8);
    return word;
  }
  static Word load_cut(const unsigned char* pointer, size_t nbytes) {
    if (nbytes == 8) return load(pointer);
    Word word{0};
    if (nbytes == 4) {
      std::memcpy(&word.value, pointer, 4);
    } else {
      std::memcpy(&word.value, pointer, nbytes);
    }
    return word;
  }
  static Word load_first(const unsigned char* pointer, size_t) { return load(pointer); }
  static Word all(uint64_t value) { return {value}; }
  static Word ascending(uint64_t first, uint64_t) { return {first}; }
  static Word first_of(size_t lanes, Word a, Word b) { return lanes != 0 ? a : b; }
  uint64_t total() const { return value; }
};
inline Word operator^(Word a, Word b) { return {a.value ^ b.value}; }
inline Word operator+(Word a, Word b) { return {a.value + b.value}; }
template <int N>
inline Word shift_right(Word a, Bits<N>) {
  return {a.value >> N};
}
inline Word swap_halves(Word a) { return {(a.value << 32) | (a.value >> 32)}; }
inline Word low_half_times(Word a, uint32_t multiplier) {
  return {(a.value & 0xFFFFFFFFu) * multiplier};
}

// The sum of blocks, the last of which may be cut. `Lanes` has what Word has:
//   count              words a vector
//   unroll             vectors worked on together: their chains of dependent instructions overlap
//   first_of(n, a, b)  the first n lanes of a, the others of b
//   load_first(p, n)   the first n words at p, zeros after them, reading no further
template <class Lanes>
class BlockSum {
 public:
  static uint64_t of(const void* data, size_t nbytes, uint64_t first_block) {
    const auto* bytes = static_cast<const unsigned char*>(data);
    uint64_t key = (first_block * chains + 1) * key_step;
    // Scalars are common: losses, step counts.
    if (nbytes <= 8) return nbytes == 0 ? 0 : finish(absorb(Word{key}, Word::load_cut(bytes, nbytes))).value;
    Lanes sum = Lanes::all(0);
    for (; nbytes >= block_bytes; nbytes -= block_bytes, bytes += block_bytes) {
      for (size_t c = 0; c < chains; c += group, key += group * key_step) {
        sum = sum + full_group(bytes + c * 8, key);
      }
    }
    if (nbytes >= row_bytes) {
      sum = sum + cut_block(bytes, nbytes, key);
    } else if (nbytes != 0) {
      sum = sum + cut_row(bytes, nbytes, key);
    }
    return sum.total();
  }

 private:
  static constexpr size_t unroll = Lanes::unroll;
  static constexpr size_t group = unroll * Lanes::count;  // chains in work together
  static constexpr size_t vector_bytes = Lanes::count * 8;
  static_assert(chains % group == 0, "groups must fill the row");

  static void start(Lanes (&states)[unroll], uint64_t key) {
    const Lanes step = Lanes::all(key_step * Lanes::count);
    Lanes keys = Lanes::ascending(key, key_step);
    for (size_t u = 0; u < unroll; ++u, keys = keys + step) states[u] = keys;
  }

  static void absorb_row(Lanes (&states)[unroll], const unsigned char* row) {
    for (size_t u = 0; u < unroll; ++u) {
      states[u] = absorb(states[u], Lanes::load(row + u * vector_bytes));
    }
  }

  static Lanes full_group(const unsigned char* column, uint64_t key) {
    Lanes states[unroll];
    start(states, key);
    for (size_t r = 0; r < rows; ++r, column += row_bytes) {
      // The same place in the next block. The processor's own prefetcher stops at each page;
      // a large tensor is read a third faster with this. Past the end it does nothing.
      for (size_t b = 0; b < group * 8; b += 64) SAMEBITS_PREFETCH(column + block_bytes + b);
      absorb_row(states, column);
    }
    Lanes sum = Lanes::all(0);
    for (size_t u = 0; u < unroll; ++u) sum = sum + finish(states[u]);
    return sum;
  }

  // Fewer bytes than a block, and at least one row: full rows, then one that may be cut, perhaps
  // inside a word.
  static Lanes cut_block(const unsigned char* bytes, size_t nbytes, uint64_t key) {
    const size_t full_rows = nbytes / row_bytes;
    const unsigned char* cut_row = bytes + full_rows * row_bytes;
    const size_t cut_bytes = nbytes % row_bytes;
    Lanes sum = Lanes::all(0);
    for (size_t c = 0; c < chains; c += group, key += group * key_step) {
      Lanes states[unroll];
      start(states, key);
      for (size_t r = 0; r < full_rows; ++r) absorb_row(states, bytes + r * row_bytes + c * 8);
      for (size_t u = 0; u < unroll; ++u) {
        const size_t begin = (c + u * Lanes::count) * 8;
        if (begin + vector_bytes <= cut_bytes) {
          states[u] = absorb(states[u], Lanes::load(cut_row + begin));
        } else if (begin < cut_bytes) {
          const size_t left = cut_bytes - begin;
          const Lanes absorbed = absorb(states[u], load_cut(cut_row + begin, left));
          states[u] = Lanes::first_of((left + 7) / 8, absorbed, states[u]);
        }
        sum = sum + finish(states[u]);
      }
    }
    return sum;
  }

  // Less than a row: chains of one word, and no others.
  static Lanes cut_row(const unsigned char* bytes, size_t nbytes, uint64_t key) {
    const Lanes step = Lanes::all(key_step * Lanes::count);
    Lanes keys = Lanes::ascending(key, key_step);
    Lanes sum = Lanes::all(0);
    for (; nbytes >= vector_bytes; nbytes -= vector_bytes, bytes += vector_bytes) {
      sum = sum + finish(absorb(keys, Lanes::load(bytes)));
      keys = keys + step;
    }
    if (nbytes == 0) return sum;
    const Lanes last = finish(absorb(keys, load_cut(bytes, nbytes)));
    return sum + Lanes::first_of((nbytes + 7) / 8, last, Lanes::all(0));
  }

  // Fewer bytes than a vector; zeros follow.
  static Lanes load_cut(const unsigned char* bytes, size_t nbytes) {
    if (nbytes % 8 == 0) return Lanes::load_first(bytes, nbytes / 8);
    unsigned char padded[vector_bytes] = {};
    std::memcpy(padded, bytes, nbytes);
    return Lanes::load(padded);
  }
};

}  // namespace
}  // namespace samebits::fingerprint
