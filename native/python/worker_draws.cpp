#include "python/worker_draws.hpp"

#include <cmath>

#include "record/mix.hpp"

namespace samebits::python {

void WorkerDraws::begin() {
  batches_ = 0;
  trails_.clear();
}

uint64_t WorkerDraws::drew(uint32_t entry, const void* generator, uint64_t seeding, uint64_t number) {
  const uint64_t key = record::chain(entry, reinterpret_cast<uint64_t>(generator));
  auto found = trails_.find(key);
  if (found == trails_.end()) {
    if (trails_.size() >= kMostTrails) return 0;
    found = trails_.emplace(key, Trail{seeding, batches_, 0, 0, false, {}}).first;
  }
  Trail& trail = found->second;
  if (trail.ended) return 0;
  if (trail.seeding != seeding) {
    trail.ended = true;
    trail.seen.clear();
    return 0;
  }
  trail.digest = record::chain(trail.digest + 1, number);
  ++trail.seen[number];
  const uint64_t count = ++trail.count;
  // Workers are compared at the same counts: one of them may have drawn more than the other.
  if (count < kFewest || (count & (count - 1)) != 0) return 0;
  trail.ended = count >= kMost;
  if (trail.first_batch == batches_ || bits(trail) < kBits) return 0;
  trail.ended = true;
  trail.seen.clear();
  return trail.digest;
}

// What the numbers tell, by how often each of them was drawn: tosses of a coin tell a bit each.
double WorkerDraws::bits(const Trail& trail) {
  double sum = 0;
  const auto count = static_cast<double>(trail.count);
  for (const auto& [number, times] : trail.seen) {
    sum += static_cast<double>(times) * std::log2(count / static_cast<double>(times));
  }
  return sum;
}

}  // namespace samebits::python
