// Alignment of two sequences of 64-bit keys by edit distance (insertions and deletions).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace samebits::align {

// Rows a[a_start, a_start + length) match rows b[b_start, b_start + length) key by key.
struct Block {
  std::int64_t a_start;
  std::int64_t b_start;
  std::int64_t length;
};

struct Alignment {
  std::vector<Block> blocks;  // Ascending and disjoint in both sequences; no two touch in both.
  bool minimal;               // No alignment has fewer insertions and deletions.
};

// Aligns a[0, n) with b[0, m). The result is minimal where the edit distance is at most
// `max_edits`, not counting keys that only one side has; beyond that it is a valid alignment found
// in bounded time. Memory beyond the result: none for similar sequences, else at most 36 bytes a
// row of what lies between the common start and the common end.
// Throws std::length_error for 2^32 rows or more, std::bad_alloc.
Alignment align(const std::uint64_t* a, std::size_t n, const std::uint64_t* b, std::size_t m,
                std::size_t max_edits);

}  // namespace samebits::align
