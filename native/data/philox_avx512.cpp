// The words on eight lanes (AVX-512F): lane i works on block i.
#include <immintrin.h>

#include <cstring>

#include "data/philox.hpp"

namespace samebits::data {
namespace {

constexpr std::size_t kLanes = 8;
constexpr std::size_t kAtOnce = 2 * kLanes;  // two chains, so that one computes while one waits

struct Product {
  __m512i high, low;
};

// A product of 128 bits from four of 64.
inline Product times(__m512i x, std::uint64_t factor) {
  const __m512i factor_low = _mm512_set1_epi64(static_cast<long long>(factor));
  const __m512i factor_high = _mm512_set1_epi64(static_cast<long long>(factor >> 32));
  const __m512i x_high = _mm512_srli_epi64(x, 32);
  const __m512i low_low = _mm512_mul_epu32(x, factor_low);
  const __m512i middle = _mm512_add_epi64(_mm512_mul_epu32(x_high, factor_low),
                                          _mm512_srli_epi64(low_low, 32));
  const __m512i carried = _mm512_add_epi64(
      _mm512_mul_epu32(x, factor_high), _mm512_and_epi64(middle, _mm512_set1_epi64(0xFFFFFFFF)));
  const __m512i high =
      _mm512_add_epi64(_mm512_add_epi64(_mm512_mul_epu32(x_high, factor_high),
                                        _mm512_srli_epi64(middle, 32)),
                       _mm512_srli_epi64(carried, 32));
  return {high, _mm512_mask_blend_epi32(0xAAAA, low_low, _mm512_slli_epi64(carried, 32))};
}

struct Eight {
  __m512i x[4];

  explicit Eight(std::uint64_t counter)
      : x{_mm512_add_epi64(_mm512_set1_epi64(static_cast<long long>(counter)),
                           _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7)),
          _mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512()} {}

  void round(const Key& key) {
    constexpr int kXor = 0x96;  // of all three
    const Product a = times(x[0], kMultipliers[0]);
    const Product b = times(x[2], kMultipliers[1]);
    const __m512i key0 = _mm512_set1_epi64(static_cast<long long>(key[0]));
    const __m512i key1 = _mm512_set1_epi64(static_cast<long long>(key[1]));
    x[0] = _mm512_ternarylogic_epi64(b.high, x[1], key0, kXor);
    x[1] = b.low;
    x[2] = _mm512_ternarylogic_epi64(a.high, x[3], key1, kXor);
    x[3] = a.low;
  }

  // The eight blocks one after the other: lanes become rows.
  void store(unsigned char* out) const {
    const __m512i even01 = _mm512_unpacklo_epi64(x[0], x[1]);  // words 0, 1 of blocks 0, 2, 4, 6
    const __m512i odd01 = _mm512_unpackhi_epi64(x[0], x[1]);
    const __m512i even23 = _mm512_unpacklo_epi64(x[2], x[3]);
    const __m512i odd23 = _mm512_unpackhi_epi64(x[2], x[3]);
    store_half(out, _mm512_shuffle_i64x2(even01, even23, 0x44),
               _mm512_shuffle_i64x2(odd01, odd23, 0x44));
    store_half(out + 4 * kBlock, _mm512_shuffle_i64x2(even01, even23, 0xEE),
               _mm512_shuffle_i64x2(odd01, odd23, 0xEE));
  }

  // `even` holds words 0, 1 of blocks 0 and 2, then their words 2, 3; `odd` those of 1 and 3.
  static void store_half(unsigned char* out, __m512i even, __m512i odd) {
    const __m512i evens = _mm512_shuffle_i64x2(even, even, 0xD8);  // now block 0, then block 2
    const __m512i odds = _mm512_shuffle_i64x2(odd, odd, 0xD8);
    _mm512_storeu_si512(out, _mm512_shuffle_i64x2(evens, odds, 0x44));
    _mm512_storeu_si512(out + 2 * kBlock, _mm512_shuffle_i64x2(evens, odds, 0xEE));
  }
};

inline void sixteen(const std::array<Key, kRounds>& keys, std::uint64_t counter,
                    unsigned char* out) {
  Eight a(counter), b(counter + kLanes);
#pragma GCC unroll 10
  for (int round = 0; round < kRounds; ++round) {
    a.round(keys[round]);
    b.round(keys[round]);
  }
  a.store(out);
  b.store(out + kLanes * kBlock);
}

}  // namespace

void philox_fill_avx512(Key key, std::uint64_t first, void* words, std::size_t blocks) {
  const auto keys = round_keys(key);
  auto* out = static_cast<unsigned char*>(words);
  std::size_t block = 0;
  for (; block + kAtOnce <= blocks; block += kAtOnce) {
    sixteen(keys, first + block + 1, out + block * kBlock);
  }
  if (block < blocks) {
    unsigned char rest[kAtOnce * kBlock];
    sixteen(keys, first + block + 1, rest);
    std::memcpy(out + block * kBlock, rest, (blocks - block) * kBlock);
  }
}

}  // namespace samebits::data
