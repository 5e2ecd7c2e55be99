#include "exact/permutation.hpp"

#include <algorithm>
#include <cstdlib>

namespace samebits::exact {
namespace {

struct Numbered {
  uint64_t word;  // in the order of signed words
  int64_t number;
};

constexpr int kBits = 11;  // of one pass: as many streams are written at a time as a cache keeps apart

// Sorts by bits [low, low + kBits), keeping the order of equal ones.
void pass(const Numbered* from, long n, Numbered* to, int low) {
  constexpr long count = 1L << kBits;
  long next[count] = {};
  for (long i = 0; i < n; ++i) ++next[from[i].word >> low & (count - 1)];
  long sum = 0;
  for (long& place : next) {
    const long own = place;
    place = sum;
    sum += own;
  }
  for (long i = 0; i < n; ++i) to[next[from[i].word >> low & (count - 1)]++] = from[i];
}

bool before(const Numbered& a, const Numbered& b) {
  return a.word != b.word ? a.word < b.word : a.number < b.number;
}

// Moves each to its place among those before it; false when that took many more steps than there are words.
bool insert(Numbered* words, long n) {
  long steps = 0;
  for (long i = 1; i < n; ++i) {
    const Numbered own = words[i];
    long k = i;
    for (; k > 0 && own.word < words[k - 1].word; --k) words[k] = words[k - 1];
    words[k] = own;
    steps += i - k;
    if (steps > 16 * n) return false;
  }
  return true;
}

}  // namespace

bool order_of_words(const int64_t* words, long n, int64_t* out) {
  auto* memory = static_cast<Numbered*>(std::malloc(static_cast<size_t>(2 * n + 1) * sizeof(Numbered)));
  if (memory == nullptr) return false;
  Numbered* own = memory;
  Numbered* other = memory + n;
  for (long i = 0; i < n; ++i) own[i] = {static_cast<uint64_t>(words[i]) ^ (uint64_t{1} << 63), i};
  // The highest bits, of which there are as many values as words, leave little to be done.
  int passes = 0;
  while (passes < 5 && n >> (kBits * passes) > 8) ++passes;
  for (int p = passes; p > 0; --p) {
    pass(own, n, other, 64 - kBits * p);
    std::swap(own, other);
  }
  if (!insert(own, n)) std::sort(own, own + n, before);
  for (long i = 0; i < n; ++i) out[i] = own[i].number;
  std::free(memory);
  return true;
}

}  // namespace samebits::exact
