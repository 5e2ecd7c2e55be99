// Mixing for keys and for the small values (numbers, names, shapes) that stand beside tensors.
#pragma once

#include <cstddef>
#include <cstdint>

namespace samebits::record {

// A bijection of 64 bits in which every input bit reaches every output bit.
inline uint64_t mix(uint64_t x) {
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93ull;
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93ull;
  x ^= x >> 32;
  return x;
}

// Ordered: chain(chain(s, a), b) differs from chain(chain(s, b), a).
inline uint64_t chain(uint64_t state, uint64_t value) {
  return mix(state * 0x9E3779B97F4A7C15ull + value + 0x632BE59BD9B4E019ull);
}

inline uint64_t chain_bytes(uint64_t state, const char* bytes, size_t size) {
  uint64_t word = 0;
  for (size_t i = 0; i < size; ++i) {
    word |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * (i % 8));
    if (i % 8 == 7) {
      state = chain(state, word);
      word = 0;
    }
  }
  return chain(chain(state, word), size);
}

}  // namespace samebits::record
