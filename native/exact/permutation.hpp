// The order that sorts random words (docs/arithmetic.md, "Random numbers": permutations).
#pragma once

#include <cstdint>

namespace samebits::exact {

// out[k] is the number of the k-th word in ascending order, equal ones in the order of their numbers. Made for
// words that are random: others take longer, no more. False where there is no memory.
bool order_of_words(const int64_t* words, long n, int64_t* out);

}  // namespace samebits::exact
