// What was seen of results that are to be the same on all ranks, until it is written: an array a column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "record/received_memory.hpp"

namespace samebits::record {

struct ReceivedRows {
  std::vector<uint64_t> row;       // of the collective
  std::vector<uint64_t> looked;    // the row that was the first to look
  std::vector<int32_t> group;
  std::vector<uint64_t> sequence;  // of the collective in its group
  std::vector<uint64_t> place;     // which part of the result, and how it was looked at
  std::vector<uint64_t> digest;

  size_t size() const { return row.size(); }

  void append(const Collective& collective, uint64_t looked_at, uint64_t at, uint64_t value) {
    row.push_back(collective.row);
    looked.push_back(looked_at);
    group.push_back(collective.group);
    sequence.push_back(collective.sequence);
    place.push_back(at);
    digest.push_back(value);
  }

  void clear() { *this = {}; }
};

}  // namespace samebits::record
