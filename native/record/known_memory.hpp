// Which tensors a run has already produced, and with which content.
//
// An operation's input is looked up here before it is read: what an earlier operation wrote is
// known and costs a probe of a few words; what is not known entered from outside (NumPy, a loader,
// a file) and is data. Memory is reused without notice and may be written behind torch's back, so an
// entry counts only while a probe of the bytes still matches.
//
// What an entry says depends on the bytes alone, never on the way to them or on what stood at the
// same address before: two runs of one program lay memory out differently, and must agree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "record/mix.hpp"

namespace samebits::record {

struct Extent {
  const unsigned char* first = nullptr;  // lowest byte that the tensor can touch
  size_t bytes = 0;
};

// A hash of up to eight words spread over the extent: cheap, and enough to notice reuse.
inline uint64_t probe(const Extent& extent) {
  constexpr size_t kSamples = 8;
  uint64_t state = extent.bytes;
  if (extent.bytes < 8 * kSamples) {
    return chain_bytes(state, reinterpret_cast<const char*>(extent.first), extent.bytes);
  }
  const size_t stride = (extent.bytes - 8) / (kSamples - 1);
  for (size_t i = 0; i < kSamples; ++i) {
    uint64_t word;
    std::memcpy(&word, extent.first + i * stride, 8);
    state = (state ^ word) * 0x9E3779B97F4A7C15ull;
    state ^= state >> 29;
  }
  return state;
}

class KnownMemory {
 public:
  struct Entry {
    uint64_t probe = 0;
    uint64_t sum = 0;   // of the words; meaningless until `read`
    uint32_t used = 0;  // when, in lookups
    bool read = false;
  };

  KnownMemory() : keys_(kSets * kWays), entries_(kSets * kWays) {}

  // The entry of this key, or nullptr. It stays valid until the next put or mark.
  Entry* find(uint64_t key) {
    const size_t first = first_of(key);
    for (size_t i = first; i < first + kWays; ++i) {
      if (keys_[i] == key) {
        entries_[i].used = ++clock_;
        return &entries_[i];
      }
    }
    return nullptr;
  }
  // These bytes have this word sum.
  void put(uint64_t key, uint64_t probe_value, uint64_t sum) {
    entries_[slot(key)] = Entry{probe_value, sum, ++clock_, true};
  }
  // The program made these bytes; their sum is taken when somebody asks for it.
  void mark(uint64_t key, uint64_t probe_value) {
    entries_[slot(key)] = Entry{probe_value, 0, ++clock_, false};
  }

 private:
  static constexpr size_t kSets = 1 << 12;
  static constexpr size_t kWays = 8;  // their keys fill a cache line

  static size_t first_of(uint64_t key) { return mix(key) % kSets * kWays; }

  // The key's own slot, or the one of its set that was not asked for the longest, which forgets.
  size_t slot(uint64_t key) {
    const size_t first = first_of(key);
    size_t oldest = first;
    for (size_t i = first; i < first + kWays; ++i) {
      if (keys_[i] == key) return i;
      // The clock wraps; ages stay right.
      if (clock_ - entries_[i].used > clock_ - entries_[oldest].used) oldest = i;
    }
    keys_[oldest] = key;
    return oldest;
  }

  std::vector<uint64_t> keys_;  // 0: empty
  std::vector<Entry> entries_;
  uint32_t clock_ = 0;
};

}  // namespace samebits::record
