// The word sum on four lanes (AVX2).
#include <immintrin.h>

#include "fingerprint/kernel.hpp"
#include "fingerprint/kernels.hpp"

namespace samebits::fingerprint {
namespace {

struct Lanes256 {
  static constexpr size_t count = 4;
  static constexpr size_t unroll = 8;
  __m256i value;

  static Lanes256 load(const unsigned char* pointer) {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(pointer))};
  }
  static Lanes256 all(uint64_t value) {
    return {_mm256_set1_epi64x(static_cast<long long>(value))};
  }
  static Lanes256 ascending(uint64_t first, uint64_t step) {
    const auto lane = [=](uint64_t i) { return static_cast<long long>(first + i * step); };
    return {_mm256_setr_epi64x(lane(0), lane(1), lane(2), lane(3))};
  }
  static __m256i first(size_t lanes) {
    return _mm256_cmpgt_epi64(all(lanes).value, _mm256_setr_epi64x(0, 1, 2, 3));
  }
  static Lanes256 load_first(const unsigned char* pointer, size_t lanes) {
    return {_mm256_maskload_epi64(reinterpret_cast<const long long*>(pointer), first(lanes))};
  }
  static Lanes256 first_of(size_t lanes, Lanes256 a, Lanes256 b) {
    return {_mm256_blendv_epi8(b.value, a.value, first(lanes))};
  }
  uint64_t total() const {
    const __m128i pair =
        _mm_add_epi64(_mm256_castsi256_si128(value), _mm256_extracti128_si256(value, 1));
    return static_cast<uint64_t>(_mm_cvtsi128_si64(pair)) +
           static_cast<uint64_t>(_mm_extract_epi64(pair, 1));
  }
};

inline Lanes256 operator^(Lanes256 a, Lanes256 b) { return {_mm256_xor_si256(a.value, b.value)}; }
inline Lanes256 operator+(Lanes256 a, Lanes256 b) { return {_mm256_add_epi64(a.value, b.value)}; }
template <int N>
inline Lanes256 shift_right(Lanes256 a, Bits<N>) {
  return {_mm256_srli_epi64(a.value, N)};
}
inline Lanes256 swap_halves(Lanes256 a) { return {_mm256_shuffle_epi32(a.value, 0xB1)}; }
inline Lanes256 low_half_times(Lanes256 a, uint32_t multiplier) {
  return {_mm256_mul_epu32(a.value, _mm256_set1_epi64x(multiplier))};
}

}  // namespace

uint64_t sum_words_avx2(const void* data, size_t nbytes, uint64_t first_block) {
  return BlockSum<Lanes256>::of(data, nbytes, first_block);
}

}  // namespace samebits::fingerprint
