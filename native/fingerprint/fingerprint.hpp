// The 64-bit positional fingerprint of a tensor's bits, dtype and shape.
//
// docs/how-it-works/fingerprint.md defines it; src/samebits/core/fingerprint/reference.py is the readable
// specification in NumPy. No Python.h and no torch header here: one build serves every torch.
#pragma once

#include <cstddef>
#include <cstdint>

namespace samebits::fingerprint {

// A tensor in memory, as its owner describes it; nothing is owned here.
struct View {
  const void* data;        // may be null when a dimension is 0
  int32_t itemsize;        // bytes an element, 1 to 16
  int32_t ndim;            // 0: one element
  const int64_t* shape;    // ndim sizes
  const int64_t* strides;  // ndim strides in elements, of any sign; nullptr: contiguous
};

// The stream of words is cut in blocks of `rows` x `chains` words; docs/how-it-works/fingerprint.md
// says how a block is summed.
constexpr size_t chains = 64;
constexpr size_t rows = 16;
constexpr size_t row_bytes = chains * 8;
constexpr size_t block_bytes = rows * row_bytes;

// One instruction set's word sum.
using SumWords = uint64_t (*)(const void* data, size_t nbytes, uint64_t first_block);

namespace detail {
extern SumWords active;  // chosen once, when the library is loaded
}

// The word sum of `nbytes` bytes at any address, the last word padded with zero bytes; 0 for none.
//
// Sums of adjacent pieces add up (mod 2^64) to the sum of the whole, in any order and on any
// thread, when every piece but the last is whole blocks and `first_block` counts those before it.
inline uint64_t sum_words(const void* data, size_t nbytes, uint64_t first_block) {
  return detail::active(data, nbytes, first_block);
}

// The same number, the work shared among up to `threads` threads of the OpenMP runtime that the
// process has loaded already (torch's), and no more than an operation of torch would use here. Serial
// when there is none, for less than parallel_minimum bytes, and in a forked child, whose OpenMP
// workers are gone.
uint64_t sum_words_parallel(const void* data, size_t nbytes, int threads);
constexpr size_t parallel_minimum = size_t{1} << 20;

// The word sum of a view's elements in row-major order; strided views are gathered in small blocks.
uint64_t sum_view(const View& view, int threads = 1);

// An ordered combination: bijective in each argument; combine(combine(a, b), c) differs from any
// other order but for chance.
uint64_t combine(uint64_t running, uint64_t next);

// Ties a word sum to the dtype and the shape it was read as.
uint64_t finalise(uint64_t sum, uint8_t dtype_code, int32_t ndim, const int64_t* shape);

// The fingerprint: finalise(sum_view(view, threads), dtype_code, shape).
uint64_t of(const View& view, uint8_t dtype_code, int threads = 1);

// The instruction set in use: "avx512", "avx2", "neon" or "plain".
const char* isa();

// Chooses an instruction set; false, and nothing changed, when it is unknown or this processor or
// this build does not have it. Not to be called while another thread fingerprints.
bool set_isa(const char* name);

}  // namespace samebits::fingerprint
