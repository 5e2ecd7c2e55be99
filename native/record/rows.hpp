// Rows of a trace while they wait to be written: one fixed-size array a column, so that a flush
// hands whole columns over without copying and the recorder's memory does not grow with a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace samebits::record {

constexpr uint32_t kNoSite = 0xFFFFFFFFu;

struct Row {
  uint32_t step = 0;
  uint8_t phase = 0;
  int32_t op = 0;
  int32_t signature = 0;
  uint32_t site = kNoSite;
  uint64_t outputs = 0;
  uint64_t inputs = 0;
  uint64_t args = 0;
  uint64_t data = 0;
  uint16_t flags = 0;
};

class Rows {
 public:
  static constexpr size_t kCapacity = 8192;

  // Returns the row's number within the buffer; the caller flushes when full() says so.
  size_t append(const Row& row) {
    const size_t i = size_++;
    step[i] = row.step;
    phase[i] = row.phase;
    op[i] = row.op;
    signature[i] = row.signature;
    site[i] = row.site;
    outputs[i] = row.outputs;
    inputs[i] = row.inputs;
    args[i] = row.args;
    data[i] = row.data;
    flags[i] = row.flags;
    return i;
  }
  bool full() const { return size_ == kCapacity; }
  size_t size() const { return size_; }
  void clear() { size_ = 0; }

  uint32_t step[kCapacity];
  uint8_t phase[kCapacity];
  int32_t op[kCapacity];
  int32_t signature[kCapacity];
  uint32_t site[kCapacity];
  uint64_t outputs[kCapacity];
  uint64_t inputs[kCapacity];
  uint64_t args[kCapacity];
  uint64_t data[kCapacity];
  uint16_t flags[kCapacity];

 private:
  size_t size_ = 0;
};

}  // namespace samebits::record
