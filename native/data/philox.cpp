// The words on one lane, and which build runs here.
#include "data/philox.hpp"

#include <cstring>

namespace samebits::data {

void philox_fill_plain(Key key, std::uint64_t first, void* words, std::size_t blocks) {
  __extension__ using Wide = unsigned __int128;
  const auto keys = round_keys(key);
  auto* out = static_cast<unsigned char*>(words);
  for (std::size_t block = 0; block < blocks; ++block) {
    std::uint64_t x[4] = {first + block + 1, 0, 0, 0};
#pragma GCC unroll 10  // keeps the four words in registers
    for (int round = 0; round < kRounds; ++round) {
      const Wide a = Wide{kMultipliers[0]} * x[0];
      const Wide b = Wide{kMultipliers[1]} * x[2];
      x[0] = static_cast<std::uint64_t>(b >> 64) ^ x[1] ^ keys[round][0];
      x[1] = static_cast<std::uint64_t>(b);
      x[2] = static_cast<std::uint64_t>(a >> 64) ^ x[3] ^ keys[round][1];
      x[3] = static_cast<std::uint64_t>(a);
    }
    std::memcpy(out + block * kBlock, x, kBlock);
  }
}

namespace {

#ifdef SAMEBITS_X86_KERNELS
// The compiler's own check also asks whether the operating system saves the wide registers.
bool has_avx512() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512f") != 0;
}
constexpr PhiloxBuild kAvx512{"avx512", philox_fill_avx512};
#else
bool has_avx512() { return false; }
constexpr PhiloxBuild kAvx512{"avx512", nullptr};
#endif
constexpr PhiloxBuild kPlain{"plain", philox_fill_plain};

// Four lanes gain nothing: the product of 64 bits takes four instructions there, and one here.
const PhiloxFill active = has_avx512() ? kAvx512.fill : kPlain.fill;

}  // namespace

void philox_fill(Key key, std::uint64_t first, void* words, std::size_t blocks) {
  active(key, first, words, blocks);
}

const PhiloxBuild* philox_build(const char* name) {
  if (std::strcmp(name, kPlain.name) == 0) return &kPlain;
  return std::strcmp(name, kAvx512.name) == 0 && has_avx512() ? &kAvx512 : nullptr;
}

}  // namespace samebits::data
