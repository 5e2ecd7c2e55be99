// The word sum on eight lanes (AVX-512F).
#include <immintrin.h>

#include "fingerprint/kernel.hpp"
#include "fingerprint/kernels.hpp"

namespace samebits::fingerprint {
namespace {

struct Lanes512 {
  static constexpr size_t count = 8;
  static constexpr size_t unroll = 8;
  __m512i value;

  static Lanes512 load(const unsigned char* pointer) { return {_mm512_loadu_si512(pointer)}; }
  static Lanes512 all(uint64_t value) {
    return {_mm512_set1_epi64(static_cast<long long>(value))};
  }
  static Lanes512 ascending(uint64_t first, uint64_t step) {
    const auto lane = [=](uint64_t i) { return static_cast<long long>(first + i * step); };
    return {_mm512_setr_epi64(lane(0), lane(1), lane(2), lane(3), lane(4), lane(5), lane(6),
                              lane(7))};
  }
  static __mmask8 first(size_t lanes) { return static_cast<__mmask8>((1u << lanes) - 1); }
  static Lanes512 load_first(const unsigned char* pointer, size_t lanes) {
    return {_mm512_maskz_loadu_epi64(first(lanes), pointer)};
  }
  static Lanes512 first_of(size_t lanes, Lanes512 a, Lanes512 b) {
    return {_mm512_mask_blend_epi64(first(lanes), b.value, a.value)};
  }
  uint64_t total() const { return static_cast<uint64_t>(_mm512_reduce_add_epi64(value)); }
};

inline Lanes512 operator^(Lanes512 a, Lanes512 b) { return {_mm512_xor_si512(a.value, b.value)}; }
inline Lanes512 operator+(Lanes512 a, Lanes512 b) { return {_mm512_add_epi64(a.value, b.value)}; }
template <int N>
inline Lanes512 shift_right(Lanes512 a, Bits<N>) {
  return {_mm512_srli_epi64(a.value, N)};
}
inline Lanes512 swap_halves(Lanes512 a) {
  return {_mm512_shuffle_epi32(a.value, _MM_PERM_CDAB)};
}
inline Lanes512 low_half_times(Lanes512 a, uint32_t multiplier) {
  return {_mm512_mul_epu32(a.value, _mm512_set1_epi64(multiplier))};
}

}  // namespace

uint64_t sum_words_avx512(const void* data, size_t nbytes, uint64_t first_block) {
  return BlockSum<Lanes512>::of(data, nbytes, first_block);
}

}  // namespace samebits::fingerprint
