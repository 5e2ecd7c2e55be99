#include "exact/permutation.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace samebits::exact {
namespace {

// Words go to buckets by their highest bits, as many as a cache holds of each; a bucket is sorted by the
// 32 bits after these. Beside them a record holds the word's number, so that equal bits keep their order.
constexpr int kMostBits = 11;   // as many streams are written at a time as a cache keeps apart
constexpr int kMostCells = 12;  // bits of the cells of a bucket, which are counted within the first cache
constexpr long kBucket = 2048;  // records of a bucket, which lie there, too
constexpr uint64_t kNumber = 0xFFFFFFFF;

int bits_for(long n, long each, int most) {
  int bits = 0;
  while (bits < most && n >> bits > each) ++bits;
  return bits;
}

uint64_t unsigned_order(int64_t word) { return static_cast<uint64_t>(word) ^ (uint64_t{1} << 63); }

// The `bits` highest bits of a word; of none 0.
long top(uint64_t word, int bits) { return bits == 0 ? 0 : static_cast<long>(word >> (64 - bits)); }

// Counts to the places where each begins.
template <class I>
void to_begins(I* counts, long n) {
  I sum = 0;
  for (long i = 0; i < n; ++i) {
    const I own = counts[i];
    counts[i] = sum;
    sum += own;
  }
}

// Moves each to its place among those before it; false when that takes many more steps than there are records.
bool insert(uint64_t* records, long n) {
  long steps = 0;
  for (long i = 1; i < n; ++i) {
    const uint64_t own = records[i];
    long k = i;
    for (; k > 0 && own < records[k - 1]; --k) records[k] = records[k - 1];
    records[k] = own;
    steps += i - k;
    if (steps > 16 * n) return false;
  }
  return true;
}

// Sorts records by counting their highest bits, several cells a record, so that little is left to be done for
// random ones.
void sort_bucket(const uint64_t* from, long n, uint64_t* to) {
  uint32_t next[1L << kMostCells];
  const int bits = bits_for(4 * n, 1, kMostCells);
  const long count = 1L << bits;
  std::fill(next, next + count, 0u);
  for (long i = 0; i < n; ++i) ++next[top(from[i], bits)];
  to_begins(next, count);
  for (long i = 0; i < n; ++i) to[next[top(from[i], bits)]++] = from[i];
  if (!insert(to, n)) std::sort(to, to + n);
}

// Numbers of sorted records. Where the bits of several are equal, their words decide.
void give(const int64_t* words, const uint64_t* records, long n, int64_t* out) {
  for (long i = 0; i < n; ++i) out[i] = static_cast<int64_t>(records[i] & kNumber);
  for (long i = 1; i < n; ++i) {
    if (records[i] >> 32 != records[i - 1] >> 32) continue;
    long end = i + 1;
    while (end < n && records[end] >> 32 == records[i] >> 32) ++end;
    std::sort(out + i - 1, out + end, [words](int64_t a, int64_t b) {
      return words[a] != words[b] ? words[a] < words[b] : a < b;
    });
    i = end;
  }
}

// The records lie where the numbers go.
bool order_of_few(const int64_t* words, long n, int64_t* out) {
  const int bits = bits_for(n, kBucket, kMostBits);
  const long buckets = 1L << bits;
  long ends[1L << kMostBits] = {};
  for (long i = 0; i < n; ++i) ++ends[top(unsigned_order(words[i]), bits)];
  const long longest = *std::max_element(ends, ends + buckets);
  auto* sorted = static_cast<uint64_t*>(std::malloc(static_cast<size_t>(longest + 1) * sizeof(uint64_t)));
  if (sorted == nullptr) return false;
  to_begins(ends, buckets);
  auto* records = reinterpret_cast<uint64_t*>(out);
  for (long i = 0; i < n; ++i) {
    const uint64_t word = unsigned_order(words[i]);
    records[ends[top(word, bits)]++] = (word << bits & ~kNumber) | static_cast<uint64_t>(i);
  }
  long first = 0;
  for (long b = 0; b < buckets; ++b) {
    sort_bucket(records + first, ends[b] - first, sorted);
    give(words, sorted, ends[b] - first, out + first);
    first = ends[b];
  }
  std::free(sorted);
  return true;
}

}  // namespace

bool order_of_words(const int64_t* words, long n, int64_t* out) {
  if (static_cast<uint64_t>(n) <= kNumber) return order_of_few(words, n, out);
  std::iota(out, out + n, 0);
  std::stable_sort(out, out + n, [words](int64_t a, int64_t b) { return words[a] < words[b]; });
  return true;
}

}  // namespace samebits::exact
