// Philox4x64-10: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC'11).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace samebits::data {

using Key = std::array<std::uint64_t, 2>;

constexpr int kRounds = 10;
constexpr Key kMultipliers{0xD2E7470EE14C6C93u, 0xCA5A826395121157u};
constexpr std::size_t kBlock = 32;  // bytes of one block: four words of 64 bits

// The keys of the rounds.
inline std::array<Key, kRounds> round_keys(Key key) {
  std::array<Key, kRounds> keys;
  for (Key& each : keys) {
    each = key;
    key[0] += 0x9E3779B97F4A7C15u;
    key[1] += 0xBB67AE8584CAA73Bu;
  }
  return keys;
}

// Writes `blocks` blocks of the stream of `key`, from block `first` on, wherever `words` points.
// Block 0 is the bijection that `key` picks, applied to (1, 0, 0, 0): counting from 1, as NumPy's
// Philox does.
using PhiloxFill = void (*)(Key key, std::uint64_t first, void* words, std::size_t blocks);

void philox_fill_plain(Key key, std::uint64_t first, void* words, std::size_t blocks);
void philox_fill_avx512(Key key, std::uint64_t first, void* words, std::size_t blocks);

struct PhiloxBuild {
  const char* name;
  PhiloxFill fill;
};

// The build that suits this processor, decided once.
void philox_fill(Key key, std::uint64_t first, void* words, std::size_t blocks);

// The build of that name; null where there is none or it cannot run here.
const PhiloxBuild* philox_build(const char* name);

}  // namespace samebits::data
