// The word sum of each instruction set, before one is chosen.
#pragma once

#include "fingerprint/fingerprint.hpp"

namespace samebits::fingerprint {

uint64_t sum_words_plain(const void* data, size_t nbytes, uint64_t first_block);
uint64_t sum_words_avx2(const void* data, size_t nbytes, uint64_t first_block);
uint64_t sum_words_avx512(const void* data, size_t nbytes, uint64_t first_block);

}  // namespace samebits::fingerprint
