// Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011),
// and distributions made of its words (docs/arithmetic.md, "Random numbers").
//
// Element i takes word i % 4 of the block whose counter is i / 4: no element depends on another.
#include "exact/kernels/builds.hpp"
#include "exact/kernels/rounded.hpp"
#include "exact/kernels/sums.hpp"
#include "exact/pool.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {
namespace {

constexpr long kBlocks = 256;  // blocks made at a time: 1024 elements
constexpr long kTaskElements = 16384;

// The product of the low halves, all 64 bits of it.
#if defined(__AVX512F__)
SAMEBITS_INLINE vul low_product(vul a, vul b) { return (vul)_mm512_mul_epu32((__m512i)a, (__m512i)b); }
#elif defined(__AVX2__)
SAMEBITS_INLINE vul low_product(vul a, vul b) { return (vul)_mm256_mul_epu32((__m256i)a, (__m256i)b); }
#else
SAMEBITS_INLINE vul low_product(vul a, vul b) { return (a & 0xFFFFFFFFu) * (b & 0xFFFFFFFFu); }
#endif

SAMEBITS_INLINE vul all_ul(uint64_t x) { return x - vul{}; }

// Blocks [first, first + D), one a lane; words in the low halves.
SAMEBITS_INLINE void philox(uint64_t key, uint64_t first, vul (&words)[4]) {
  vul counter;
  for (int i = 0; i < D; ++i) counter[i] = first + static_cast<uint64_t>(i);
  words[0] = counter;
  words[1] = counter >> 32;
  words[2] = vul{};
  words[3] = vul{};
  uint32_t k0 = static_cast<uint32_t>(key);
  uint32_t k1 = static_cast<uint32_t>(key >> 32);
#pragma GCC unroll 10
  for (int round = 0; round < 10; ++round) {
    const vul p0 = low_product(words[0], all_ul(0xD2511F53u));
    const vul p1 = low_product(words[2], all_ul(0xCD9E8D57u));
    const vul x1 = words[1];
    const vul x3 = words[3];
    words[0] = (p1 >> 32) ^ x1 ^ all_ul(k0);
    words[1] = p1;
    words[2] = (p0 >> 32) ^ x3 ^ all_ul(k1);
    words[3] = p0;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
}

// words[4 b + j] for `blocks` blocks (a multiple of D).
void make_words(uint64_t key, uint64_t first, long blocks, uint32_t* to) {
  for (long b = 0; b < blocks; b += D) {
    vul words[4];
    philox(key, first + static_cast<uint64_t>(b), words);
    // Words 0 and 1 side by side in 64 bits, words 2 and 3 likewise, blocks in order.
    const vul low = (words[0] & 0xFFFFFFFFu) | (words[1] << 32);
    const vul high = (words[2] & 0xFFFFFFFFu) | (words[3] << 32);
    vl even, odd;
    for (int i = 0; i < D; ++i) {
      even[i] = i / 2 + (i % 2) * D;
      odd[i] = D / 2 + i / 2 + (i % 2) * D;
    }
    store(to + 4 * b, __builtin_shuffle(low, high, even));
    store(to + 4 * b + 2 * D, __builtin_shuffle(low, high, odd));
  }
}

// Words [begin, begin + n) handed over in pieces that begin with a block.
template <class Use>
void with_words(uint64_t key, long n, int threads, Use use) {
  const long tasks = n < 2 * kTaskElements ? 1 : (n + kTaskElements - 1) / kTaskElements;
  const long a_task = tasks == 1 ? n : kTaskElements;
  parallel(tasks, threads, [&](long task) {
    alignas(64) uint32_t words[4 * kBlocks];
    const long end = (task + 1) * a_task < n ? (task + 1) * a_task : n;
    for (long at = task * a_task; at < end; at += 4 * kBlocks) {
      const long here = end - at < 4 * kBlocks ? end - at : 4 * kBlocks;
      const long blocks = ((here + 3) / 4 + D - 1) / D * D;
      make_words(key, static_cast<uint64_t>(at) / 4, blocks, words);
      use(at, here, words);
    }
  });
}

SAMEBITS_INLINE vf unit(vu word) {  // [0, 1), in steps of 2^-24
  return __builtin_convertvector(bits<vi>(word >> 8), vf) * all<vf>(0x1p-24f);
}
SAMEBITS_INLINE vf unit_above(vu word) {  // (0, 1]
  return __builtin_convertvector(bits<vi>(word >> 8) + all_i(1), vf) * all<vf>(0x1p-24f);
}

// Calls formula(words) over whole vectors; the buffer behind `words` may be read to its end.
template <class Formula>
SAMEBITS_INLINE void map_words(long n, const uint32_t* words, float* out, Formula formula) {
  long i = 0;
  for (; i + W <= n; i += W) store(out + i, formula(load<vu>(words + i)));
  if (i < n) store_first(out + i, formula(load_first<vu>(words + i, static_cast<int>(n - i))), static_cast<int>(n - i));
}

}  // namespace

void random_words(uint64_t key, long n, uint32_t* out, int threads) {
  with_words(key, n, threads, [&](long at, long here, const uint32_t* words) {
    __builtin_memcpy(out + at, words, static_cast<size_t>(here) * 4);
  });
}

void random_uniform(uint64_t key, long n, float* out, float from, float to, int threads) {
  const float span = to - from;
  with_words(key, n, threads, [&](long at, long here, const uint32_t* words) {
    map_words(here, words, out + at, [&](vu w) { return unit(w) * all<vf>(span) + all<vf>(from); });
  });
}

void random_bernoulli(uint64_t key, long n, float* out, uint64_t threshold, int threads) {
  const bool always = threshold > 0xFFFFFFFFu;
  const vu bound = static_cast<uint32_t>(threshold) - vu{};
  with_words(key, n, threads, [&](long at, long here, const uint32_t* words) {
    map_words(here, words, out + at, [&](vu w) {
      const vf one = all<vf>(1.0f);
      return always ? one : (w < bound ? one : vf{});
    });
  });
}

void random_exponential(uint64_t key, long n, float* out, float rate, int threads) {
  with_words(key, n, threads, [&](long at, long here, const uint32_t* words) {
    map_words(here, words, out + at, [&](vu w) { return (vf{} - log_f(unit_above(w))) / all<vf>(rate); });
  });
}

void random_normal(uint64_t key, long n, float* out, float mean, float deviation, int threads) {
  with_words(key, n, threads, [&](long at, long here, const uint32_t* words) {
    // Pairs of elements: the even one is r cos(a), the odd one r sin(a) (Box and Muller).
    alignas(64) float radius[2 * kBlocks], angle[2 * kBlocks];
    const long pairs = (here + 1) / 2;
    for (long i = 0; i < pairs; i += W) {
      alignas(64) uint32_t first[W], second[W];
      for (int l = 0; l < W; ++l) {
        first[l] = words[2 * (i + l)];
        second[l] = words[2 * (i + l) + 1];
      }
      const vf log_u = log_f(unit_above(load<vu>(first)));
      store(radius + i, sqrt(all<vf>(-2.0f) * log_u));
      store(angle + i, unit(load<vu>(second)) * all<vf>(0x1.921fb6p+2f));
    }
    for (long i = 0; i < pairs; i += W) {
      const vf r = load<vf>(radius + i);
      const vf a = load<vf>(angle + i);
      store(radius + i, r * cos_f(a) * all<vf>(deviation) + all<vf>(mean));
      store(angle + i, r * sin_f(a) * all<vf>(deviation) + all<vf>(mean));
    }
    float* to = out + at;
    for (long i = 0; i < here / 2; ++i) {
      to[2 * i] = radius[i];
      to[2 * i + 1] = angle[i];
    }
    if (here % 2) to[here - 1] = radius[here / 2];
  });
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
