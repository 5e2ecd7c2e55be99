// Softmax and its logarithm over rows, with their derivatives.
#include "exact/kernels/builds.hpp"
#include "exact/kernels/rounded.hpp"
#include "exact/kernels/sums.hpp"
#include "exact/pool.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {
namespace {

// The largest value, or NaN when there is one.
float largest(const float* x, long n) {
  vf most = all<vf>(-__builtin_inff());
  vf nan = vf{};
  long i = 0;
  for (; i + W <= n; i += W) {
    const vf v = load<vf>(x + i);
    most = v > most ? v : most;
    nan = v == v ? nan : v;
  }
  alignas(64) float values[W], nans[W];
  store(values, most);
  store(nans, nan);
  float found = -__builtin_inff();
  bool any_nan = false;
  for (int l = 0; l < W; ++l) {
    if (values[l] > found) found = values[l];
    any_nan |= nans[l] != nans[l];
  }
  for (; i < n; ++i) {
    if (x[i] > found) found = x[i];
    any_nan |= x[i] != x[i];
  }
  return any_nan ? __builtin_nanf("") : found;
}

// Rows that one task takes, so that a task is worth handing over.
template <class Row>
void by_rows(Rows rows, int threads, Row row) {
  const long a_task = rows.n >= 16384 ? 1 : 16384 / (rows.n + 1) + 1;
  parallel((rows.count + a_task - 1) / a_task, threads, [&](long task) {
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

// The sum of a row that is in memory.
float sum_row(const float* x, long n) {
  if (n <= kBlock) return sum_block(x, n);
  float* sums = block_sums(n);
  const long blocks = (n + kBlock - 1) / kBlock;
  for (long b = 0; b < blocks; ++b) {
    sums[b] = sum_block(x + b * kBlock, n - b * kBlock < kBlock ? n - b * kBlock : kBlock);
  }
  return sum_of_blocks(sums, blocks);
}

}  // namespace

void softmax(Rows rows, const float* x, float* y, int threads) {
  by_rows(rows, threads, [&](long at) {
    const float* from = x + at;
    float* to = y + at;
    const vf most = all<vf>(largest(from, rows.n));
    each(rows.n, to, [&](long i, auto get) { return exp_f(get(from + i) - most); });
    const float sum = sum_row(to, rows.n);
    each(rows.n, to, [&](long i, auto get) { return canonical(get(to + i) / all<vf>(sum)); });
  });
}

void log_softmax(Rows rows, const float* x, float* y, int threads) {
  by_rows(rows, threads, [&](long at) {
    const float* from = x + at;
    const vf most = all<vf>(largest(from, rows.n));
    const float sum = sum_of(rows.n, [&](long i0, long n, float* buffer) {
      each(n, buffer, [&](long i, auto get) { return exp_f(get(from + i0 + i) - most); });
    });
    const vf log_sum = log_f(all<vf>(sum));
    each(rows.n, y + at, [&](long i, auto get) { return canonical((get(from + i) - most) - log_sum); });
  });
}

void softmax_backward(Rows rows, const float* grad, const float* y, float* out, int threads) {
  by_rows(rows, threads, [&](long at) {
    const float* g = grad + at;
    const float* p = y + at;
    const float dot = sum_of(rows.n, [&](long i0, long n, float* buffer) {
      each(n, buffer, [&](long i, auto get) { return get(g + i0 + i) * get(p + i0 + i); });
    });
    each(rows.n, out + at, [&](long i, auto get) { return canonical(get(p + i) * (get(g + i) - all<vf>(dot))); });
  });
}

void log_softmax_backward(Rows rows, const float* grad, const float* y, float* out, int threads) {
  by_rows(rows, threads, [&](long at) {
    const float* g = grad + at;
    const float* l = y + at;
    const float sum = sum_of(rows.n, [&](long i0, long n, float* buffer) {
      each(n, buffer, [&](long i, auto get) { return get(g + i0 + i); });
    });
    each(rows.n, out + at,
         [&](long i, auto get) { return canonical(get(g + i) - exp_f(get(l + i)) * all<vf>(sum)); });
  });
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
