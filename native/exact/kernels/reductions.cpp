// Sums over axes: along rows, and down columns.
#include "exact/kernels/builds.hpp"
#include "exact/kernels/sums.hpp"
#include "exact/pool.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {
namespace {

// Values a task should have at least: below that, handing it over costs more than it takes.
constexpr long kTask = 32768;

template <class T>
SAMEBITS_INLINE vec<T> summand(Summand what, vec<T> x, vec<T> y) {
  switch (what) {
    case Summand::kSquare: return x * x;
    case Summand::kMagnitude: return x < vec<T>{} ? -x : x;
    case Summand::kProduct: return x * y;
    default: return x;
  }
}

template <class T>
void make_summands(Summand what, const T* x, const T* y, long n, T* to) {
  each(n, to, [&](long i, auto get) {
    return summand<T>(what, get(x + i), what == Summand::kProduct ? get(y + i) : vec<T>{});
  });
}

template <class T>
T canonical_value(T x) {
  return x == x ? x : static_cast<T>(__builtin_nan(""));
}

template <class T>
bool sum_rows(const RowSums<T>& r, int threads) {
  const Runs runs{r.length, r.pieces, r.piece_step};
  const long n = runs.count();
  const long outputs = r.outer * r.inner;
  if (n == 0) {
    for (long i = 0; i < outputs; ++i) r.out[i] = 0;
    return true;
  }
  const long blocks = (n + kBlock - 1) / kBlock;
  T* partial = r.out;
  if (blocks > 1) {
    partial = static_cast<T*>(shared_scratch(static_cast<size_t>(outputs * blocks) * sizeof(T)));
    if (partial == nullptr) return false;
  }
  // A task is a number of blocks that follow each other, of one output or of several.
  const long block_values = n < kBlock ? n : kBlock;
  const long a_task = block_values >= kTask ? 1 : (kTask + block_values - 1) / block_values;
  const long units = outputs * blocks;
  parallel_apart((units + a_task - 1) / a_task, threads, [&](long task) {
    alignas(64) T buffer[kBlock];
    const long end = (task + 1) * a_task < units ? (task + 1) * a_task : units;
    long block = task * a_task % blocks;
    long inner = task * a_task / blocks % r.inner;
    long outer = task * a_task / blocks / r.inner;
    for (long unit = task * a_task; unit < end; ++unit) {
      const long start = outer * r.outer_step + inner * r.inner_step;
      const long here = n - block * kBlock < kBlock ? n - block * kBlock : kBlock;
      T sum;
      if (r.pieces == 1 && r.summand == Summand::kValue) {
        sum = sum_block<T, true>(r.x + start + block * kBlock, here);
      } else if (r.pieces == 1) {
        const T* x = r.x + start + block * kBlock;
        const T* y = r.y + start + block * kBlock;
        sum = sum_block_of<T>(0, here, [&](long i, auto get) {
          return summand<T>(r.summand, get(x + i), r.summand == Summand::kProduct ? get(y + i) : vec<T>{});
        });
      } else {
        fill_block(runs, block * kBlock, here, buffer, [&](long at, long count, T* to) {
          make_summands(r.summand, r.x + start + at, r.y + start + at, count, to);
        });
        sum = sum_block(buffer, here);
      }
      partial[unit] = blocks > 1 ? sum : canonical_value(sum);
      if (++block < blocks) continue;
      block = 0;
      if (++inner < r.inner) continue;
      inner = 0;
      ++outer;
    }
  });
  if (blocks > 1) {
    for (long i = 0; i < outputs; ++i) r.out[i] = canonical_value(sum_of_blocks(partial + i * blocks, blocks));
    free_shared_scratch(partial);
  }
  return true;
}

// A strip of columns: every lane is a row of sums, in memory that the first-level cache holds.
template <class T>
constexpr int kStrip = 8 * VectorOf<T>::count;

template <class T, Summand what>
void sum_strip(const ColumnSums<T>& c, const T* x, long rows, int columns, T* out) {
  using V = vec<T>;
  constexpr int count = VectorOf<T>::count;
  constexpr int strip = kStrip<T>;
  alignas(64) T lanes[kLanes][strip];
  const long used = rows < kLanes ? rows : kLanes;
  const int whole = columns / count * count;
  for (long i = 0; i < rows; ++i) {
    T* lane = lanes[i % kLanes];
    const T* row = x + i * c.row_step;
    if (columns == strip) {
      for (int j = 0; j < strip; j += count) {
        const V before = i < kLanes ? V{} : load<V>(lane + j);
        store(lane + j, before + summand<T>(what, load<V>(row + j), V{}));
      }
      continue;
    }
    for (int j = 0; j < columns; j += count) {
      const V value = j < whole ? load<V>(row + j) : load_first<V>(row + j, columns - whole);
      const V before = i < kLanes ? V{} : load<V>(lane + j);
      store(lane + j, before + summand<T>(what, value, V{}));
    }
  }
  for (long width = kLanes / 2; width > 0; width /= 2) {
    for (long l = 0; l < width && l + width < used; ++l) {
      for (int j = 0; j < columns; j += count) {
        store(&lanes[l][j], load<V>(&lanes[l][j]) + load<V>(&lanes[l + width][j]));
      }
    }
  }
  for (int j = 0; j < columns; ++j) out[j] = lanes[0][j];
}

template <class T>
void sum_strip(const ColumnSums<T>& c, const T* x, long rows, int columns, T* out) {
  if (rows == 0) {
    for (int j = 0; j < columns; ++j) out[j] = 0;
    return;
  }
  switch (c.summand) {
    case Summand::kSquare: return sum_strip<T, Summand::kSquare>(c, x, rows, columns, out);
    case Summand::kMagnitude: return sum_strip<T, Summand::kMagnitude>(c, x, rows, columns, out);
    default: return sum_strip<T, Summand::kValue>(c, x, rows, columns, out);
  }
}

template <class T>
bool sum_columns(const ColumnSums<T>& c, int threads) {
  constexpr long strip = kStrip<T>;
  const long strips = (c.columns + strip - 1) / strip;
  const long blocks = c.rows == 0 ? 1 : (c.rows + kBlock - 1) / kBlock;
  T* partial = nullptr;
  if (blocks > 1) {
    // [batch][column][block]
    partial = static_cast<T*>(shared_scratch(static_cast<size_t>(c.batches * c.columns * blocks) * sizeof(T)));
    if (partial == nullptr) return false;
  }
  const long block_rows = c.rows < kBlock ? c.rows : kBlock;
  const long a_task = block_rows * strip >= kTask ? 1 : kTask / (block_rows * strip + 1) + 1;
  const long units = c.batches * blocks * strips;
  parallel_apart((units + a_task - 1) / a_task, threads, [&](long task) {
    const long end = (task + 1) * a_task < units ? (task + 1) * a_task : units;
    for (long unit = task * a_task; unit < end; ++unit) {
      const long s = unit % strips;
      const long block = unit / strips % blocks;
      const long batch = unit / strips / blocks;
      const long j = s * strip;
      const int columns = static_cast<int>(c.columns - j < strip ? c.columns - j : strip);
      const long begin = block * kBlock;
      const long rows = c.rows - begin < kBlock ? c.rows - begin : kBlock;
      T sums[strip];
      sum_strip(c, c.x + batch * c.batch_step + begin * c.row_step + j, rows, columns, sums);
      for (int i = 0; i < columns; ++i) {
        if (blocks > 1) {
          partial[((batch * c.columns) + j + i) * blocks + block] = sums[i];
        } else {
          c.out[batch * c.columns + j + i] = canonical_value(sums[i]);
        }
      }
    }
  });
  if (blocks > 1) {
    for (long i = 0; i < c.batches * c.columns; ++i) {
      c.out[i] = canonical_value(sum_of_blocks(partial + i * blocks, blocks));
    }
    free_shared_scratch(partial);
  }
  return true;
}

}  // namespace

bool sum_rows_f32(const RowSums<float>& r, int threads) { return sum_rows(r, threads); }
bool sum_rows_f64(const RowSums<double>& r, int threads) { return sum_rows(r, threads); }
bool sum_columns_f32(const ColumnSums<float>& c, int threads) { return sum_columns(c, threads); }
bool sum_columns_f64(const ColumnSums<double>& c, int threads) { return sum_columns(c, threads); }

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
