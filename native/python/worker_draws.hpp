// Whether the workers of a loader draw the same numbers: a digest of what each draws at a line.
//
// Numbers that a worker draws before it has handed over its first batch do not count: a seed that
// all workers share may deal out shards or fill a table then. Nor do those of a generator that is
// seeded again and again, as for each sample, whose numbers belong to the sample.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace samebits::python {

class WorkerDraws {
 public:
  // A worker has begun; whatever was seen was another process's.
  void begin();
  // It has handed over a batch.
  void fetched() { ++batches_; }
  bool counting() const { return batches_ != 0; }

  // A generator, as it was seeded the `seeding`-th time, has drawn a number with this digest for
  // the entry. The answer is the digest of the first so many numbers, once they are too many to be
  // equal by chance; else 0.
  uint64_t drew(uint32_t entry, const void* generator, uint64_t seeding, uint64_t number);

 private:
  static constexpr size_t kMostTrails = 256;
  static constexpr uint64_t kFewest = 8;     // numbers; then after each doubling
  static constexpr uint64_t kMost = 1 << 12;
  static constexpr double kBits = 24;        // one of 16 million pairs of workers agrees by chance

  // What one generator has drawn at one entry.
  struct Trail {
    uint64_t seeding = 0;
    uint64_t first_batch = 0;
    uint64_t count = 0;
    uint64_t digest = 0;
    bool ended = false;
    std::unordered_map<uint64_t, uint64_t> seen;  // number → how often
  };
  static double bits(const Trail& trail);

  uint64_t batches_ = 0;
  std::unordered_map<uint64_t, Trail> trails_;  // by entry and generator
};

}  // namespace samebits::python
