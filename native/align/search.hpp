// The split search of Myers' linear-space algorithm, with a limit on edits and on work.
#pragma once

#include <cstdint>
#include <vector>

namespace samebits::align {

// A box of the edit graph: rows a[a0, a1) against rows b[b0, b1).
struct Range {
  std::int64_t a0, a1, b0, b1;
};

// A point that an alignment of a range should pass through.
struct Split {
  std::int64_t a, b;
  bool minimal;  // Some minimal alignment passes through it.
};

// Finds split points. One object is used for many ranges, so that its arrays are made once.
class SplitSearch {
 public:
  SplitSearch(const std::uint64_t* a, const std::uint64_t* b) : a_(a), b_(b) {}

  // A split of a range whose both sides have rows and whose first and whose last rows differ.
  // Minimal where the edit distance is at most 2 * depth and `work` lasted; otherwise the furthest
  // point that was reached from the start. Never a corner of the range, so that both parts are
  // smaller. `work` goes down by about the number of key comparisons.
  Split find(const Range& range, std::int64_t depth, std::int64_t& work);

 private:
  const std::uint64_t* a_;
  const std::uint64_t* b_;
  std::vector<std::int64_t> forward_;   // Diagonal -> furthest position in a from the start.
  std::vector<std::int64_t> backward_;  // Diagonal -> furthest position in a from the end.
};

}  // namespace samebits::align
