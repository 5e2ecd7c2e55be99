// The word sum in standard C++, for every processor.
#include "fingerprint/kernel.hpp"
#include "fingerprint/kernels.hpp"

namespace samebits::fingerprint {

uint64_t sum_words_plain(const void* data, size_t nbytes, uint64_t first_block) {
  return BlockSum<Word>::of(data, nbytes, first_block);
}

}  // namespace samebits::fingerprint
