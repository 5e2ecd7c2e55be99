// The word sum in standard C++, for every processor.
#include "fingerprint/kernel.hpp"
#include "fingerprint/kernels.hpp"

namespace samebits::fingerprint {

uint64_t sum_words_plain(const void* data, size_t nbytes, uint64_t first_word) {
  // No blocks: compilers unroll this loop themselves, and its words are independent.
  return sum_tail(static_cast<const unsigned char*>(data), nbytes, (first_word + 1) * key_step);
}

}  // namespace samebits::fingerprint
