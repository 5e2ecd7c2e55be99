// Which tensors a run has already produced, and with which fingerprint.
//
// An operation's input is looked up here before it is read: what an earlier operation wrote is
// known and costs a probe of a few words; what is not known entered from outside (NumPy, a loader,
// a file) and is data. Memory is reused without notice and may be written behind torch's back, so an
// entry counts only while a probe of the bytes still matches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
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
    __builtin_memcpy(&word, extent.first + i * stride, 8);
    state = (state ^ word) * 0x9E3779B97F4A7C15ull;
    state ^= state >> 29;
  }
  return state;
}

class KnownMemory {
 public:
  struct Entry {
    uint64_t key = 0;
    uint64_t probe = 0;
    uint64_t fingerprint = 0;
  };

  KnownMemory() : entries_(kSlots) {}

  // The entry of this key, or nullptr. A colliding key evicts: the loser is read again when used.
  const Entry* find(uint64_t key) const {
    const Entry& entry = entries_[mix(key) % kSlots];
    return entry.key == key ? &entry : nullptr;
  }
  void put(uint64_t key, uint64_t probe_value, uint64_t fingerprint) {
    entries_[mix(key) % kSlots] = Entry{key, probe_value, fingerprint};
  }

  // Memory handed out by torch.empty and the like, as long as nothing wrote all of it.
  void mark_unwritten(const Extent& extent) {
    if (unwritten_.size() >= kMostUnwritten) unwritten_.clear();
    if (extent.bytes != 0) unwritten_[extent.first] = extent.bytes;
  }
  void mark_written(const Extent& extent) {
    if (unwritten_.empty()) return;
    auto it = unwritten_.lower_bound(extent.first);
    while (it != unwritten_.end() && it->first < extent.first + extent.bytes) {
      it = it->first + it->second <= extent.first + extent.bytes ? unwritten_.erase(it)
                                                                 : std::next(it);
    }
  }
  // A new allocation here: whatever stood at these addresses before is gone.
  void forget(const Extent& extent) {
    if (unwritten_.empty() || extent.bytes == 0) return;
    auto it = unwritten_.upper_bound(extent.first);
    if (it != unwritten_.begin()) --it;
    while (it != unwritten_.end() && it->first < extent.first + extent.bytes) {
      it = it->first + it->second > extent.first ? unwritten_.erase(it) : std::next(it);
    }
  }
  bool maybe_unwritten(const Extent& extent) const {
    if (unwritten_.empty()) return false;
    auto it = unwritten_.upper_bound(extent.first);
    if (it == unwritten_.begin()) return false;
    --it;
    return extent.first < it->first + it->second;
  }

 private:
  static constexpr size_t kSlots = 1 << 15;
  static constexpr size_t kMostUnwritten = 4096;
  std::vector<Entry> entries_;
  std::map<const unsigned char*, size_t> unwritten_;
};

}  // namespace samebits::record
