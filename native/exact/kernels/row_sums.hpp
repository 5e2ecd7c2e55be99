// The sum of any number of rows (docs/arithmetic.md, "Sums"), for one vector of columns.
#pragma once

#include "exact/kernels/builds.hpp"
#include "exact/kernels/few.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

// One value for each block in memory that ends with it.
template <class T>
class BlockSums {
 public:
  explicit BlockSums(long n) : sums_(static_cast<T*>(shared_scratch(static_cast<size_t>(n) * sizeof(T)))) {}
  ~BlockSums() { free_shared_scratch(sums_); }
  BlockSums(const BlockSums&) = delete;
  BlockSums& operator=(const BlockSums&) = delete;
  T* get() { return sums_; }

 private:
  T* sums_;
};

// The sum of row(0) … row(n - 1), vectors of columns; false where there is no memory.
template <class T, class Row>
SAMEBITS_INLINE bool sum_of_rows(long n, Row row, vec<T>* out) {
  using V = vec<T>;
  constexpr long count = VectorOf<T>::count;
  if (n <= kBlock) {
    *out = sum_few<V>(n, row) + V{};
    return true;
  }
  const long blocks = (n + kBlock - 1) / kBlock;
  BlockSums<T> sums(blocks * count);
  if (sums.get() == nullptr) return false;
  for (long b = 0; b < blocks; ++b) {
    const long here = n - b * kBlock < kBlock ? n - b * kBlock : kBlock;
    const V sum = sum_few<V>(here, [&](long k) { return row(b * kBlock + k); }) + V{};
    for (long c = 0; c < count; ++c) sums.get()[c * blocks + b] = sum[c];
  }
  T found[count];
  for (long c = 0; c < count; ++c) found[c] = sum_of_blocks(sums.get() + c * blocks, blocks);
  *out = load<V>(found);
  return true;
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
