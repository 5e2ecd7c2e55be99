// The reflection that takes a column to a multiple of the first axis.
#pragma once

#include "exact/kernels/sums.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

// In place: v (v[0] = 1) and tau. Returns what the first value becomes. `sums` has room for a value a block.
inline double reflection(double* v, long n, double* tau, double* sums) {
  const double first = v[0];
  const double rest = n > 1 ? sum_formula<double>(n - 1, sums, [&](long i, auto get) {
    const vd x = get(v + 1 + i);
    return x * x;
  }) : 0.0;
  v[0] = 1;
  *tau = 0;
  if (rest == 0) return first;
  const double length = __builtin_sqrt(first * first + rest);
  const double becomes = first < 0 ? length : -length;
  const double divisor = first - becomes;
  *tau = (becomes - first) / becomes;
  for (long i = 1; i < n; ++i) v[i] = v[i] / divisor;
  return becomes;
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
