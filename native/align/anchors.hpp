// What two unlike sequences have in common, by value: shared keys, and keys that occur once.
#pragma once

#include <cstdint>
#include <vector>

#include "align/search.hpp"

namespace samebits::align {

// The rows of a range whose key occurs on both sides.
struct Shared {
  std::vector<std::uint64_t> a_keys, b_keys;
  std::vector<std::uint32_t> a_rows, b_rows;  // Row in the whole sequence, for each key above.
};

// A pair of rows, counted in `Shared`, with a key that each side has exactly once.
struct Anchor {
  std::uint32_t a, b;
};

Shared shared_rows(const std::uint64_t* a, const std::uint64_t* b, const Range& range);

// The longest chain of such pairs that ascends on both sides.
std::vector<Anchor> unique_anchors(const Shared& shared);

}  // namespace samebits::align
