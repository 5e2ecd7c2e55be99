// From the word sum to the fingerprint: dtype and shape join in.
#include "fingerprint/fingerprint.hpp"

namespace samebits::fingerprint {
namespace {

// The output step of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): a bijection of 64 bits.
uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

}  // namespace

uint64_t combine(uint64_t running, uint64_t next) {
  return mix(running * 0x9E3779B97F4A7C15u + next);
}

uint64_t finalise(uint64_t sum, uint8_t dtype_code, int32_t ndim, const int64_t* shape) {
  uint64_t running = combine(sum, (uint64_t{dtype_code} << 32) + static_cast<uint64_t>(ndim) + 1);
  for (int32_t i = 0; i < ndim; ++i) running = combine(running, static_cast<uint64_t>(shape[i]));
  return running;
}

uint64_t of(const View& view, uint8_t dtype_code, int threads) {
  return finalise(sum_view(view, threads), dtype_code, view.ndim, view.shape);
}

}  // namespace samebits::fingerprint
