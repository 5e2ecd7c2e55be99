// The word sum on eight lanes (AVX-512F).
#include <immintrin.h>

#include "fingerprint/kernel.hpp"
#include "fingerprint/kernels.hpp"

namespace samebits::fingerprint {
namespace {

struct Lanes512 {
  static constexpr size_t count = 8;
  __m512i value;

  static Lanes512 load(const void* pointer) { return {_mm512_loadu_si512(pointer)}; }
  static Lanes512 all(uint64_t value) {
    return {_mm512_set1_epi64(static_cast<long long>(value))};
  }
  static Lanes512 ascending(uint64_t first, uint64_t step) {
    const auto lane = [=](uint64_t i) { return static_cast<long long>(first + i * step); };
    return {_mm512_setr_epi64(lane(0), lane(1), lane(2), lane(3), lane(4), lane(5), lane(6),
                              lane(7))};
  }
  uint64_t total() const { return static_cast<uint64_t>(_mm512_reduce_add_epi64(value)); }
};

inline Lanes512 operator^(Lanes512 a, Lanes512 b) { return {_mm512_xor_si512(a.value, b.value)}; }
inline Lanes512 operator+(Lanes512 a, Lanes512 b) { return {_mm512_add_epi64(a.value, b.value)}; }
inline Lanes512 high_half(Lanes512 a) { return {_mm512_srli_epi64(a.value, 32)}; }
inline Lanes512 low_half_times(Lanes512 a, uint32_t multiplier) {
  return {_mm512_mul_epu32(a.value, _mm512_set1_epi64(multiplier))};
}

}  // namespace

uint64_t sum_words_avx512(const void* data, size_t nbytes, uint64_t first_word) {
  return sum_blocks<Lanes512>(data, nbytes, first_word);
}

}  // namespace samebits::fingerprint
