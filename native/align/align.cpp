#include "align/align.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "align/anchors.hpp"
#include "align/search.hpp"

namespace samebits::align {
namespace {

// Edits that are tried before keys without a counterpart are looked for, which needs a sort.
constexpr std::int64_t kQuickDepth = 512;
// Key comparisons that the searches beyond `max_edits` may spend together: some seconds.
constexpr std::int64_t kWork = std::int64_t{1} << 30;
constexpr std::int64_t kLeastDepth = 32;

// Blocks in ascending order; joins those that touch.
class Blocks {
 public:
  void add(std::int64_t a, std::int64_t b, std::int64_t length) {
    if (length == 0) return;
    if (!blocks_.empty()) {
      Block& last = blocks_.back();
      if (last.a_start + last.length == a && last.b_start + last.length == b) {
        last.length += length;
        return;
      }
    }
    blocks_.push_back({a, b, length});
  }
  std::vector<Block> take() { return std::move(blocks_); }

 private:
  std::vector<Block> blocks_;
};

std::int64_t common_start(const std::uint64_t* a, const std::uint64_t* b, const Range& r) {
  const std::int64_t most = std::min(r.a1 - r.a0, r.b1 - r.b0);
  return std::mismatch(a + r.a0, a + r.a0 + most, b + r.b0).first - (a + r.a0);
}

std::int64_t common_end(const std::uint64_t* a, const std::uint64_t* b, const Range& r) {
  const std::int64_t most = std::min(r.a1 - r.a0, r.b1 - r.b0);
  std::int64_t length = 0;
  while (length < most && a[r.a1 - 1 - length] == b[r.b1 - 1 - length]) ++length;
  return length;
}

// Divides ranges until they are empty. The stack is explicit: a heuristic split can cut off little
// at a time, and the depth would then grow with the length.
class Divider {
 public:
  Divider(const std::uint64_t* a, const std::uint64_t* b) : a_(a), b_(b), search_(a, b) {}

  // Aligns a range, giving `emit` the blocks in ascending order. With `only_minimal` it gives up
  // (false, nothing emitted) where the first search does not find a minimal split.
  template <class Emit>
  bool run(const Range& whole, std::int64_t depth, std::int64_t& work, bool only_minimal,
           const Emit& emit) {
    bool first = true;
    std::vector<Item> stack{{whole, 0}};
    while (!stack.empty()) {
      const Item item = stack.back();
      stack.pop_back();
      Range r = item.range;
      if (item.suffix != 0) {
        emit(r.a0, r.b0, item.suffix);
        continue;
      }
      const std::int64_t head = common_start(a_, b_, r);
      const Range trimmed{r.a0 + head, r.a1, r.b0 + head, r.b1};
      const std::int64_t tail = common_end(a_, b_, trimmed);
      const Range middle{trimmed.a0, r.a1 - tail, trimmed.b0, r.b1 - tail};
      const bool split_needed = middle.a0 < middle.a1 && middle.b0 < middle.b1;
      Split split{};
      if (split_needed) {
        split = search_.find(middle, affordable(depth, work), work);
        if (first && only_minimal && !split.minimal) return false;
        minimal_ = minimal_ && split.minimal;
      }
      first = false;
      if (head != 0) emit(r.a0, r.b0, head);
      if (tail != 0) stack.push_back({{middle.a1, 0, middle.b1, 0}, tail});
      if (split_needed) {
        stack.push_back({{split.a, middle.a1, split.b, middle.b1}, 0});
        stack.push_back({{middle.a0, split.a, middle.b0, split.b}, 0});
      }
    }
    return true;
  }

  bool minimal() const { return minimal_; }

 private:
  struct Item {
    Range range;
    std::int64_t suffix;  // Not 0: a block of this length at (a0, b0), to be emitted as it is.
  };

  // A search to depth d costs about 2 d^2 steps: the less work is left, the shallower it gets, so
  // that a long pair of unlike sequences ends in time linear in their length.
  static std::int64_t affordable(std::int64_t depth, std::int64_t work) {
    std::int64_t limit = depth;
    while (limit > kLeastDepth && limit * limit > work / 16) limit /= 2;
    return std::max(limit, std::min(depth, kLeastDepth));
  }

  const std::uint64_t* a_;
  const std::uint64_t* b_;
  SplitSearch search_;
  bool minimal_ = true;
};

}  // namespace

Alignment align(const std::uint64_t* a, std::size_t n, const std::uint64_t* b, std::size_t m,
                std::size_t max_edits) {
  if (n > UINT32_MAX || m > UINT32_MAX) throw std::length_error("2^32 rows or more");
  const Range whole{0, static_cast<std::int64_t>(n), 0, static_cast<std::int64_t>(m)};
  const std::int64_t depth = static_cast<std::int64_t>(std::min<std::size_t>(max_edits, n + m)) / 2 + 1;
  Blocks blocks;
  const auto emit = [&](std::int64_t i, std::int64_t j, std::int64_t length) {
    blocks.add(i, j, length);
  };
  std::int64_t unlimited = INT64_MAX / 4;

  Divider quick(a, b);
  if (quick.run(whole, std::min(depth, kQuickDepth), unlimited, true, emit)) {
    return {blocks.take(), quick.minimal()};
  }

  // Unlike sequences. A key that only one side has matches nothing: leaving it out changes no
  // alignment and makes the rest short.
  const std::int64_t head = common_start(a, b, whole);
  const std::int64_t tail = common_end(a, b, {head, whole.a1, head, whole.b1});
  const Range middle{head, whole.a1 - tail, head, whole.b1 - tail};
  const Shared shared = shared_rows(a, b, middle);
  const Range kept{0, static_cast<std::int64_t>(shared.a_keys.size()), 0,
                   static_cast<std::int64_t>(shared.b_keys.size())};
  const auto emit_shared = [&](std::int64_t i, std::int64_t j, std::int64_t length) {
    for (std::int64_t row = 0; row < length; ++row) {
      blocks.add(shared.a_rows[static_cast<std::size_t>(i + row)],
                 shared.b_rows[static_cast<std::size_t>(j + row)], 1);
    }
  };
  blocks.add(0, 0, head);
  Divider divider(shared.a_keys.data(), shared.b_keys.data());
  std::int64_t work = kWork;
  if (!divider.run(kept, depth, work, true, emit_shared)) {
    // Too far apart for a minimal answer: hold on to what is unmistakable, then go on between.
    work = kWork;
    Range rest = kept;
    for (const Anchor& anchor : unique_anchors(shared)) {
      divider.run({rest.a0, anchor.a, rest.b0, anchor.b}, depth, work, false, emit_shared);
      rest.a0 = anchor.a;
      rest.b0 = anchor.b;
    }
    divider.run(rest, depth, work, false, emit_shared);
    blocks.add(middle.a1, middle.b1, tail);
    return {blocks.take(), false};
  }
  blocks.add(middle.a1, middle.b1, tail);
  return {blocks.take(), divider.minimal()};
}

}  // namespace samebits::align
