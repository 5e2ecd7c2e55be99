// Softmax and its logarithm over rows, with their derivatives.
#include "exact/kernels/builds.hpp"
#include "exact/kernels/few.hpp"
#include "exact/kernels/rounded.hpp"
#include "exact/kernels/short_rows.hpp"
#include "exact/kernels/sums.hpp"
#include "exact/pool.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {
namespace {

// The largest value that is a number, -infinity where none is. (A NaN makes the row's sum one.)
float largest(const float* x, long n) {
  constexpr int chains = 4;
  vf most[chains];
  for (vf& m : most) m = all<vf>(-__builtin_inff());
  long i = 0;
  for (; i + chains * W <= n; i += chains * W) {
#pragma GCC unroll 4
    for (int c = 0; c < chains; ++c) most[c] = larger_number(load<vf>(x + i + c * W), most[c]);
  }
  for (; i + W <= n; i += W) most[0] = larger_number(load<vf>(x + i), most[0]);
  for (int c = 1; c < chains; ++c) most[0] = larger_number(most[c], most[0]);
  alignas(64) float values[W];
  store(values, most[0]);
  float found = -__builtin_inff();
  for (int l = 0; l < W; ++l) {
    if (values[l] > found) found = values[l];
  }
  for (; i < n; ++i) {
    if (x[i] > found) found = x[i];
  }
  return found;
}

// How far ahead the next row is, where the caches can hold it beside this one.
long next_row(Rows rows) { return rows.n <= 32768 ? rows.n : 0; }

// to[i] = exp(from[i] - most). Meanwhile the memory brings what lies `ahead`: finding the largest
// value of a row that is not there yet would take as long as the exponentials.
void exponentials(const float* from, long n, vf most, float* to, long ahead) {
  constexpr int together = 2;
  long i = 0;
  for (; i + together * W <= n; i += together * W) {
    vf x[together];
    for (int c = 0; c < together; ++c) {
      x[c] = load<vf>(from + i + c * W) - most;
      if (i % 16 == 0) {  // a line of the cache
        __builtin_prefetch(from + ahead + i + c * W);
        __builtin_prefetch(to + ahead + i + c * W, 1);
      }
    }
    exp_f(x);
    for (int c = 0; c < together; ++c) store(to + i + c * W, x[c]);
  }
  each(n - i, to + i, [&](long j, auto get) { return exp_f(get(from + i + j) - most); });
}

// Rows that one task takes, so that a task is worth handing over.
template <class Row>
void by_rows(Rows rows, int threads, Row row) {
  const long a_task = rows.n >= 16384 ? 1 : 16384 / (rows.n + 1) + 1;
  parallel_apart((rows.count + a_task - 1) / a_task, threads, [&](long task) {
    const long end = (task + 1) * a_task < rows.count ? (task + 1) * a_task : rows.count;
    for (long i = task * a_task; i < end; ++i) row(i * rows.n);
  });
}

// The blocks of a row too long for one; rows of a single block need no memory.
float* block_sums(long n) {
  if (n <= kBlock) return nullptr;
  return static_cast<float*>(scratch(static_cast<size_t>((n + kBlock - 1) / kBlock) * sizeof(float)));
}

template <class Make>
float sum_of(long n, Make make) {
  return sum_made<float>(Runs{n, 1, 0}, block_sums(n), make);
}

// The differences of columns from the largest number of each row, their exponentials, and the sums of these.
vf sum_of_exponentials(vf* columns, long n, vf* exponentials) {
  vf most = all<vf>(-__builtin_inff());
  for (long j = 0; j < n; ++j) most = larger_number(columns[j], most);
  long j = 0;
  for (; j + 2 <= n; j += 2) {
    columns[j] = columns[j] - most;
    columns[j + 1] = columns[j + 1] - most;
    vf two[2] = {columns[j], columns[j + 1]};
    exp_f(two);
    exponentials[j] = two[0];
    exponentials[j + 1] = two[1];
  }
  if (j < n) {
    columns[j] = columns[j] - most;
    exponentials[j] = exp_f(columns[j]);
  }
  Columns lanes;
  for (j = 0; j < n; ++j) lanes[j] = exponentials[j];
  return tree(lanes, n);
}

void short_softmax(Rows rows, const float* x, float* y, int threads) {
  by_short_rows(rows, threads, {x}, y, [&](Columns* columns) {
    Columns exponentials;
    const vf sum = sum_of_exponentials(columns[0], rows.n, exponentials);
    for (long j = 0; j < rows.n; ++j) columns[0][j] = canonical(exponentials[j] / sum);
  });
}

void short_log_softmax(Rows rows, const float* x, float* y, int threads) {
  by_short_rows(rows, threads, {x}, y, [&](Columns* columns) {
    Columns exponentials;
    const vf log_sum = log_f(sum_of_exponentials(columns[0], rows.n, exponentials));
    for (long j = 0; j < rows.n; ++j) columns[0][j] = canonical(columns[0][j] - log_sum);
  });
}

void short_softmax_backward(Rows rows, const float* grad, const float* y, float* out, int threads) {
  by_short_rows(rows, threads, {grad, y}, out, [&](Columns* columns) {
    vf* const g = columns[0];
    const vf* const p = columns[1];
    Columns lanes;
    for (long j = 0; j < rows.n; ++j) lanes[j] = vf{} + g[j] * p[j];
    const vf dot = tree(lanes, rows.n);
    for (long j = 0; j < rows.n; ++j) g[j] = canonical(p[j] * (g[j] - dot));
  });
}

void short_log_softmax_backward(Rows rows, const float* grad, const float* y, float* out, int threads) {
  by_short_rows(rows, threads, {grad, y}, out, [&](Columns* columns) {
    vf* const g = columns[0];
    const vf* const l = columns[1];
    Columns lanes;
    for (long j = 0; j < rows.n; ++j) lanes[j] = vf{} + g[j];
    const vf sum = tree(lanes, rows.n);
    for (long j = 0; j < rows.n; ++j) g[j] = canonical(g[j] - exp_f(l[j]) * sum);
  });
}

}  // namespace

void softmax(Rows rows, const float* x, float* y, int threads) {
  if (are_short(rows)) return short_softmax(rows, x, y, threads);
  const long next = next_row(rows);
  by_rows(rows, threads, [&](long at) {
    const float* from = x + at;
    float* to = y + at;
    const vf most = all<vf>(largest(from, rows.n));
    exponentials(from, rows.n, most, to, next);
    const float sum = sum_run(to, rows.n, block_sums(rows.n));
    each(rows.n, to, [&](long i, auto get) { return canonical(get(to + i) / all<vf>(sum)); });
  });
}

void log_softmax(Rows rows, const float* x, float* y, int threads) {
  if (are_short(rows)) return short_log_softmax(rows, x, y, threads);
  const long next = next_row(rows);
  by_rows(rows, threads, [&](long at) {
    const float* from = x + at;
    const vf most = all<vf>(largest(from, rows.n));
    const float sum = sum_of(
        rows.n, [&](long i0, long n, float* buffer) { exponentials(from + i0, n, most, buffer, next); });
    const vf log_sum = log_f(all<vf>(sum));
    each(rows.n, y + at, [&](long i, auto get) { return canonical((get(from + i) - most) - log_sum); });
  });
}

void softmax_backward(Rows rows, const float* grad, const float* y, float* out, int threads) {
  if (are_short(rows)) return short_softmax_backward(rows, grad, y, out, threads);
  by_rows(rows, threads, [&](long at) {
    const float* g = grad + at;
    const float* p = y + at;
    const float dot = sum_formula<float>(rows.n, block_sums(rows.n), [&](long i, auto get) { return get(g + i) * get(p + i); });
    each(rows.n, out + at, [&](long i, auto get) { return canonical(get(p + i) * (get(g + i) - all<vf>(dot))); });
  });
}

void log_softmax_backward(Rows rows, const float* grad, const float* y, float* out, int threads) {
  if (are_short(rows)) return short_log_softmax_backward(rows, grad, y, out, threads);
  by_rows(rows, threads, [&](long at) {
    const float* g = grad + at;
    const float* l = y + at;
    const float sum = sum_run(g, rows.n, block_sums(rows.n));
    each(rows.n, out + at,
         [&](long i, auto get) { return canonical(get(g + i) - exp_f(get(l + i)) * all<vf>(sum)); });
  });
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
