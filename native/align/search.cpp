// Source: E. W. Myers, "An O(ND) Difference Algorithm and Its Variations", Algorithmica 1 (1986),
// section 4b. Diagonals are numbered a - b; each step d extends the furthest paths with d edits
// from both ends by one edit, until they meet.
#include "align/search.hpp"

#include <algorithm>
#include <limits>

namespace samebits::align {
namespace {

constexpr std::int64_t kNowhere = std::numeric_limits<std::int64_t>::max() / 2;

// How far along a each diagonal was followed; only diagonals near `first` have a place.
struct Reach {
  std::int64_t* const place;
  const std::int64_t first;
  std::int64_t& operator[](std::int64_t diagonal) const { return place[diagonal - first]; }
};

// The diagonals that paths with d edits end on: every second one of [low, high]. At the border of
// the edit graph the band stops growing and a path beyond it is marked as impossible.
struct Band {
  std::int64_t low, high;
  const std::int64_t lowest, highest;

  void grow(Reach reach, std::int64_t impossible) {
    if (low > lowest) {
      --low;
      reach[low - 1] = impossible;
    } else {
      ++low;
    }
    if (high < highest) {
      ++high;
      reach[high + 1] = impossible;
    } else {
      --high;
    }
  }
};

}  // namespace

Split SplitSearch::find(const Range& range, std::int64_t depth, std::int64_t& work) {
  const std::int64_t lowest = range.a0 - range.b1, highest = range.a1 - range.b0;
  const std::int64_t start = range.a0 - range.b0, end = range.a1 - range.b1;
  const bool odd = ((start - end) & 1) != 0;
  depth = std::min(depth, range.a1 - range.a0 + range.b1 - range.b0);
  const std::size_t width = static_cast<std::size_t>(2 * depth + 5);
  if (forward_.size() < width) {
    forward_.resize(width);
    backward_.resize(width);
  }
  const Reach from_start{forward_.data(), start - depth - 2};
  const Reach from_end{backward_.data(), end - depth - 2};
  from_start[start] = range.a0;
  from_end[end] = range.a1;
  Band out{start, start, lowest, highest}, back{end, end, lowest, highest};
  for (std::int64_t d = 1; d <= depth && (d <= 32 || work > 0); ++d) {
    out.grow(from_start, -1);
    for (std::int64_t k = out.high; k >= out.low; k -= 2) {
      std::int64_t i = std::max(from_start[k - 1] + 1, from_start[k + 1]);
      const std::int64_t before = i;
      std::int64_t j = i - k;
      while (i < range.a1 && j < range.b1 && a_[i] == b_[j]) ++i, ++j;
      work -= i - before;
      from_start[k] = i;
      if (odd && back.low <= k && k <= back.high && from_end[k] <= i) return {i, j, true};
    }
    back.grow(from_end, kNowhere);
    for (std::int64_t k = back.high; k >= back.low; k -= 2) {
      std::int64_t i = std::min(from_end[k - 1], from_end[k + 1] - 1);
      const std::int64_t before = i;
      std::int64_t j = i - k;
      while (i > range.a0 && j > range.b0 && a_[i - 1] == b_[j - 1]) --i, --j;
      work -= before - i;
      from_end[k] = i;
      if (!odd && out.low <= k && k <= out.high && i <= from_start[k]) return {i, j, true};
    }
    work -= out.high - out.low + 2;
  }
  Split best{range.a0, range.b0, false};
  for (std::int64_t k = out.low; k <= out.high; k += 2) {
    const std::int64_t i = std::min(from_start[k], std::min(range.a1, range.b1 + k));
    const std::int64_t j = i - k;
    if (j >= range.b0 && i + j > best.a + best.b) best = {i, j, false};
  }
  return best;
}

}  // namespace samebits::align
