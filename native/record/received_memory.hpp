// Results of collectives that are to be the same on all ranks, from the moment at which they may arrive
// until somebody has looked at them. A result may be looked at in parts, as a bucket of gradients is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <vector>

#include "record/known_memory.hpp"
#include "record/unwritten_memory.hpp"

namespace samebits::record {

// The collective that a result is of: its row, its group's number, and its own number in that group.
struct Collective {
  const void* recorder = nullptr;  // whose row it is
  uint64_t row = 0;
  int32_t group = 0;
  uint64_t sequence = 0;
};

class ReceivedMemory {
 public:
  struct Result {
    size_t bytes = 0;
    Collective collective;
    uint64_t part = 0;  // which of its tensors
    std::shared_ptr<const Allocation> allocation;
    std::vector<uint64_t> seen;  // places that were looked at

    // Whether this is the first look at this place; no more than some places of a result count.
    bool first_look(uint64_t place) {
      if (seen.size() >= kMostPlaces || std::find(seen.begin(), seen.end(), place) != seen.end()) return false;
      seen.push_back(place);
      return true;
    }
  };

  bool empty() const { return results_.empty(); }
  void clear() { results_.clear(); }

  void add(const Extent& extent, Result result) {
    if (extent.bytes == 0) return;
    forget(extent);
    if (results_.size() >= kMost) return;
    result.bytes = extent.bytes;
    results_[extent.first] = std::move(result);
  }

  // Something writes there, or was allocated there: what came is no longer what is there.
  void forget(const Extent& extent) {
    if (results_.empty() || extent.bytes == 0) return;
    auto it = results_.upper_bound(extent.first);
    if (it != results_.begin()) {
      const auto before = std::prev(it);
      if (before->first + before->second.bytes > extent.first) it = before;
    }
    while (it != results_.end() && it->first < extent.first + extent.bytes) it = results_.erase(it);
  }

  // The result that the extent lies in, and how far from its beginning; null where there is none.
  Result* find(const Extent& extent, size_t* offset) {
    if (results_.empty() || extent.bytes == 0) return nullptr;
    auto it = results_.upper_bound(extent.first);
    if (it == results_.begin()) return nullptr;
    --it;
    if (extent.first + extent.bytes > it->first + it->second.bytes) return nullptr;
    const Extent now = it->second.allocation->extent();
    const bool lives = now.first <= it->first && it->first + it->second.bytes <= now.first + now.bytes;
    if (!lives) {
      results_.erase(it);
      return nullptr;
    }
    *offset = static_cast<size_t>(extent.first - it->first);
    return &it->second;
  }

 private:
  static constexpr size_t kMost = 1 << 12;
  static constexpr size_t kMostPlaces = 64;
  std::map<const unsigned char*, Result> results_;
};

}  // namespace samebits::record
