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
  // What is known without the data comes first: where a device makes the sum, one step is left.
  uint64_t header = combine(dtype_code, static_cast<uint64_t>(ndim));
  for (int32_t i = 0; i < ndim; ++i) header = combine(header, static_cast<uint64_t>(shape[i]));
  return combine(header, sum);
}

uint64_t of(const View& view, uint8_t dtype_code, int threads) {
  return finalise(sum_view(view, threads), dtype_code, view.ndim, view.shape);
}

}  // namespace samebits::fingerprint
