// Short rows, a vector of rows at a time: lane r of vector j is value j of row r. What a row does once (its largest
// value, the tree of its sum, a logarithm) is done for all of them at once.
#pragma once

#include "exact/kernels/transpose.hpp"
#include "exact/pool.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

constexpr long kShort = 32;

SAMEBITS_INLINE bool are_short(Rows rows) { return rows.n <= kShort && rows.count >= W / 2; }

using Columns = vf[(kShort + W - 1) / W * W];

SAMEBITS_INLINE int at_most_a_vector(long n) { return n < W ? static_cast<int>(n) : W; }

// The columns of at most W rows of n values; rows that there are not hold zeros.
SAMEBITS_INLINE void columns_of(const float* from, long n, int rows, vf* columns) {
  for (long j = 0; j < n; j += W) {
    const int here = at_most_a_vector(n - j);
    for (int i = 0; i < W; ++i) {
      const float* row = from + i * n + j;
      columns[j + i] = i >= rows ? vf{} : here == W ? load<vf>(row) : load_first<vf>(row, here);
    }
    transpose_square<float>(columns + j);
  }
}

SAMEBITS_INLINE void rows_of(vf* columns, long n, int rows, float* to) {
  for (long j = 0; j < n; j += W) {
    const int here = at_most_a_vector(n - j);
    transpose_square<float>(columns + j);
    for (int i = 0; i < rows; ++i) {
      if (here == W) store(to + i * n + j, columns[j + i]);
      else store_first(to + i * n + j, columns[j + i], here);
    }
  }
}

// Calls formula(columns) with the columns of each operand in `from`; it leaves the result in the first of them.
template <int N, class Formula>
void by_short_rows(Rows rows, int threads, const float* const (&from)[N], float* to, Formula formula) {
  const long a_task = 16384 / (rows.n + 1) / W * W + W;
  parallel_apart((rows.count + a_task - 1) / a_task, threads, [&](long task) {
    Columns columns[N];
    const long end = (task + 1) * a_task < rows.count ? (task + 1) * a_task : rows.count;
    for (long i = task * a_task; i < end; i += W) {
      const int here = at_most_a_vector(end - i);
      for (int k = 0; k < N; ++k) columns_of(from[k] + i * rows.n, rows.n, here, columns[k]);
      formula(columns);
      rows_of(columns[0], rows.n, here, to + i * rows.n);
    }
  });
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
