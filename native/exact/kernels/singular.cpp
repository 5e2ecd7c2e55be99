// Singular values by one-sided Jacobi rotations of rows (docs/arithmetic.md, "Linear algebra").
#include <vector>

#include "exact/kernels/column_tiles.hpp"
#include "exact/kernels/sums.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {
namespace {

constexpr int kMostSweeps = 60;

double product_of_rows(const double* x, const double* y, long n, double* sums) {
  return sum_formula<double>(n, sums, [&](long i, auto get) { return get(x + i) * get(y + i); });
}

void rotate_rows(double* x, double* y, long n, double c, double s) {
#pragma GCC ivdep
  for (long i = 0; i < n; ++i) {
    const double first = x[i], second = y[i];
    x[i] = c * first - s * second;
    y[i] = s * first + c * second;
  }
}

// One pass over all pairs of rows; whether none had to be rotated.
bool sweep(double* x, double* turns, long n, double tolerance, double* squares, double* sums) {
  bool still = true;
  for (long i = 0; i < n; ++i) squares[i] = product_of_rows(x + i * n, x + i * n, n, sums);
  for (long p = 0; p + 1 < n; ++p) {
    for (long q = p + 1; q < n; ++q) {
      const double both = product_of_rows(x + p * n, x + q * n, n, sums);
      const double bound = tolerance * (__builtin_sqrt(squares[p]) * __builtin_sqrt(squares[q]));
      if (!(__builtin_fabs(both) > bound)) continue;
      still = false;
      const double ratio = (squares[q] - squares[p]) / (2 * both);
      const double root = __builtin_sqrt(1 + ratio * ratio);
      const double tangent = 1 / (ratio + (ratio < 0 ? -root : root));
      const double c = 1 / __builtin_sqrt(1 + tangent * tangent);
      const double s = c * tangent;
      rotate_rows(x + p * n, x + q * n, n, c, s);
      if (turns != nullptr) rotate_rows(turns + p * n, turns + q * n, n, c, s);
      squares[p] = squares[p] - tangent * both;
      squares[q] = squares[q] + tangent * both;
      if (!(squares[p] > 0)) squares[p] = 0;
    }
  }
  return still;
}

// Rows of `from` in the order of their values, each times its factor; divided by `values` where given.
void arrange(double* rows, long n, const std::vector<long>& order, const std::vector<double>& factors,
             const double* divisors, double* spare) {
  for (long i = 0; i < n; ++i) {
    const double* from = rows + order[static_cast<size_t>(i)] * n;
    const double divisor = divisors == nullptr || divisors[i] == 0 ? 1 : divisors[i];
    for (long j = 0; j < n; ++j) {
      const double x = from[j] / divisor * factors[static_cast<size_t>(i)];
      spare[i * n + j] = x == x ? x : __builtin_nan("");
    }
  }
  for (long i = 0; i < n * n; ++i) rows[i] = spare[i];
}

bool jacobi_of(double* x, double* turns, double* values, long n, int32_t* info) {
  const Workspace memory(static_cast<size_t>(n * n + 2 * n + n / kBlock + 1) * sizeof(double));
  if (memory.data() == nullptr) return false;
  double* squares = memory.data();
  double* found = squares + n;
  double* spare = found + n;
  double* sums = spare + n * n;
  const double tolerance = 0x1p-52 * __builtin_sqrt(static_cast<double>(n));
  *info = 1;
  for (int pass = 0; pass < kMostSweeps && *info != 0; ++pass) {
    if (sweep(x, turns, n, tolerance, squares, sums)) *info = 0;
  }
  std::vector<long> order(static_cast<size_t>(n));
  for (long i = 0; i < n; ++i) {
    found[i] = __builtin_sqrt(product_of_rows(x + i * n, x + i * n, n, sums));
    if (!(found[i] >= 0)) *info = 1;
    long place = i;
    for (; place > 0 && found[i] > found[order[static_cast<size_t>(place - 1)]]; --place) {
      order[static_cast<size_t>(place)] = order[static_cast<size_t>(place - 1)];
    }
    order[static_cast<size_t>(place)] = i;
  }
  std::vector<double> factors(static_cast<size_t>(n));
  for (long i = 0; i < n; ++i) {
    values[i] = found[order[static_cast<size_t>(i)]];
    const double* row = x + order[static_cast<size_t>(i)] * n;
    double most = 0;
    factors[static_cast<size_t>(i)] = 1;
    for (long j = 0; j < n; ++j) {
      if (__builtin_fabs(row[j]) > most) {
        most = __builtin_fabs(row[j]);
        factors[static_cast<size_t>(i)] = row[j] < 0 ? -1 : 1;
      }
    }
  }
  arrange(x, n, order, factors, values, spare);
  if (turns != nullptr) arrange(turns, n, order, factors, nullptr, spare);
  return true;
}

}  // namespace

bool jacobi(Matrices x, double* turns, double* values, int32_t* info, int threads) {
  const long n = x.rows;
  long missing = 0;
  parallel(x.count, threads, [&](long i) {
    double* own = turns == nullptr ? nullptr : turns + i * n * n;
    if (!jacobi_of(x.at(i), own, values + i * n, n, info + i)) __atomic_store_n(&missing, 1, __ATOMIC_RELAXED);
  });
  return missing == 0;
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
