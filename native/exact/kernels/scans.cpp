// Running sums and products, and logarithms of running sums of exponentials.
#include "exact/kernels/builds.hpp"
#include "exact/kernels/scan.hpp"
#include "exact/pool.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {
namespace {

constexpr int kVectors = kScanBlock / D;

SAMEBITS_INLINE void begin(const float* x, vd* value) { *value = load_wide(x); }
SAMEBITS_INLINE void begin(const double* x, vd* value) { *value = load_wide(x); }
SAMEBITS_INLINE void begin(const float* x, LogAdding::Value* value) {
  const vh own = load<vh>(x);
  const vh lowest = vh{} - __builtin_inff();
  const vh missing = vh{} + __builtin_nanf("");
  const vhi number = own == own;
  // A NaN is kept in the sum: of the largest ones it would be lost.
  *value = {number ? own : lowest, widen(number ? vh{} + 1.0f : missing)};
}

// Writes N vectors of results.
template <class T, int N>
SAMEBITS_INLINE void finish(T* to, const vd (&x)[N]) {
#pragma GCC unroll 32
  for (int j = 0; j < N; ++j) store_rounded(to + j * D, x[j]);
}
template <int N>
SAMEBITS_INLINE void finish(float* to, const LogAdding::Value (&x)[N]) {
  alignas(64) float most[N * D];
  alignas(64) float sum[N * D];
  for (int j = 0; j < N; ++j) {
    store(most + j * D, x[j].most);
    store(sum + j * D, narrow(x[j].sum));
  }
  for (int i = 0; i < N * D; i += W) store(to + i, canonical(log_f(load<vf>(sum + i)) + load<vf>(most + i)));
}

template <class Way, class T>
void scan_row(const T* x, T* out, long n) {
  using Value = typename Way::Value;
  Totals<Way> totals;
  Value before = Way::nothing();
  for (long at = 0; at < n; at += kScanBlock) {
    const long here = n - at < kScanBlock ? n - at : kScanBlock;
    T rest[kScanBlock];
    const T* from = x + at;
    if (here < kScanBlock) {
      for (long i = 0; i < kScanBlock; ++i) rest[i] = i < here ? from[i] : T{};
      from = rest;
    }
    Value values[kVectors];
#pragma GCC unroll 32
    for (int j = 0; j < kVectors; ++j) begin(from + j * D, &values[j]);
    scan_neighbours<Way>(values);
    const Value total = last_lane(values[kVectors - 1]);
#pragma GCC unroll 32
    for (int j = 0; j < kVectors; ++j) values[j] = Way::join(before, values[j]);
    if (here == kScanBlock) {
      finish(out + at, values);
      before = totals.add(total);
    } else {
      finish(rest, values);
      for (long i = 0; i < here; ++i) out[at + i] = rest[i];
    }
  }
}

// Columns next to each other, in vectors of D: as many as fill a line of the cache, or two.
constexpr int kAcross = 32 / D;
constexpr int kColumns = kAcross * D;
constexpr int kRows = 8;

// What comes before eight rows of a block: after them, and for them.
template <class Way>
class Eights {
 public:
  using Value = typename Way::Value;

  // Rows that are scanned among themselves, joined with those of the block before them. Returns whether
  // the block is full now.
  SAMEBITS_INLINE bool take(Value (&rows)[kRows]) {
    bool lower = true;  // whether all lower bits are set
#pragma GCC unroll 3
    for (int step = 0; step < 3; ++step) {
      if (place_ >> step & 1) {
#pragma GCC unroll 8
        for (Value& row : rows) row = Way::join(partial_[step], row);
      } else if (lower) {
        partial_[step] = rows[kRows - 1];
        lower = false;
      }
    }
    place_ = (place_ + 1) % 8;
    return place_ == 0;
  }

 private:
  Value partial_[3];
  int place_ = 0;
};

template <class Way, class T>
void scan_columns(const T* x, T* out, long n, long step, int columns) {
  using Value = typename Way::Value;
  Totals<Way> totals[kAcross];
  Eights<Way> eights[kAcross];
  Value before[kAcross];
  for (Value& value : before) value = Way::nothing();
  alignas(64) T part[kRows * D] = {};
  for (long at = 0; at < n; at += kRows) {
    const int rows = static_cast<int>(n - at < kRows ? n - at : kRows);
    for (int a = 0; a * D < columns; ++a) {
      const T* from = x + at * step + a * D;
      T* to = out + at * step + a * D;
      const int here = columns - a * D < D ? columns - a * D : D;
      const bool whole = rows == kRows && here == D;
      if (!whole) {
        for (int i = 0; i < rows; ++i) {
          for (int j = 0; j < here; ++j) part[i * D + j] = from[i * step + j];
        }
      }
      Value values[kRows];
#pragma GCC unroll 8
      for (int i = 0; i < kRows; ++i) begin(whole ? from + i * step : part + i * D, &values[i]);
      steps_between<Way>(values);
      const bool full = eights[a].take(values);
      const Value total = values[kRows - 1];
#pragma GCC unroll 8
      for (int i = 0; i < kRows; ++i) values[i] = Way::join(before[a], values[i]);
      if (full) before[a] = totals[a].add(total);
      finish(part, values);
      if (whole) {
        for (int i = 0; i < kRows; ++i) __builtin_memcpy(to + i * step, part + i * D, D * sizeof(T));
      } else {
        for (int i = 0; i < rows; ++i) {
          for (int j = 0; j < here; ++j) to[i * step + j] = part[i * D + j];
        }
      }
    }
  }
}

template <class Way, class T>
void scan(const Scan<T>& s, int threads) {
  if (s.inner == 1) {
    const long a_task = s.n >= 16384 ? 1 : 16384 / (s.n + 1) + 1;
    parallel_apart((s.outer + a_task - 1) / a_task, threads, [&](long task) {
      const long end = (task + 1) * a_task < s.outer ? (task + 1) * a_task : s.outer;
      for (long i = task * a_task; i < end; ++i) scan_row<Way>(s.x + i * s.n, s.out + i * s.n, s.n);
    });
    return;
  }
  const long strips = (s.inner + kColumns - 1) / kColumns;
  parallel_apart(s.outer * strips, threads, [&](long task) {
    const long j = task % strips * kColumns;
    const long start = task / strips * s.n * s.inner + j;
    scan_columns<Way>(s.x + start, s.out + start, s.n, s.inner,
                      static_cast<int>(s.inner - j < kColumns ? s.inner - j : kColumns));
  });
}

}  // namespace

void scan_f32(const Scan<float>& s, int threads) {
  switch (s.kind) {
    case ScanKind::kSum: return scan<Adding>(s, threads);
    case ScanKind::kProduct: return scan<Multiplying>(s, threads);
    case ScanKind::kLogSumExp: return scan<LogAdding>(s, threads);
  }
}

void scan_f64(const Scan<double>& s, int threads) {
  if (s.kind == ScanKind::kProduct) return scan<Multiplying>(s, threads);
  scan<Adding>(s, threads);
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
