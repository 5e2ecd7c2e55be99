// A matrix cut into tiles of sixteen columns, each a matrix of sixteen columns by itself: a row of a
// tile is two vectors of AVX-512, and what one tile needs of memory stays in the second-level cache.
// Columns are independent of each other in all that is done to tiles, so their width changes no bit.
#pragma once

#include "exact/kernels/builds.hpp"
#include "exact/linear_algebra.hpp"
#include "exact/pool.hpp"
#include "exact/vec.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

constexpr long kTile = 16;
constexpr int kTileVectors = static_cast<int>(kTile) / D;

inline long tiles_of(long columns) { return (columns + kTile - 1) / kTile; }
inline long at_most_of(long a, long b) { return a < b ? a : b; }

struct Tiles {
  double* data;
  long rows;

  double* row(long tile, long i) const { return data + (tile * rows + i) * kTile; }
  double& at(long i, long j) const { return row(j / kTile, i)[j % kTile]; }
};

inline size_t bytes_of_tiles(long rows, long columns) {
  return static_cast<size_t>(rows * tiles_of(columns) * kTile) * sizeof(double);
}

// Columns that are not there are 0.
inline void cut(const double* a, long columns, Tiles to, long tile) {
  const long first = tile * kTile;
  const long here = at_most_of(columns - first, kTile);
  for (long i = 0; i < to.rows; ++i) {
    double* row = to.row(tile, i);
    for (long l = 0; l < here; ++l) row[l] = a[i * columns + first + l];
    for (long l = here; l < kTile; ++l) row[l] = 0;
  }
}

inline void join(Tiles from, long tile, double* a, long columns) {
  const long first = tile * kTile;
  const long here = at_most_of(columns - first, kTile);
  for (long i = 0; i < from.rows; ++i) {
    const double* row = from.row(tile, i);
    for (long l = 0; l < here; ++l) {
      a[i * columns + first + l] = row[l] == row[l] ? row[l] : __builtin_nan("");
    }
  }
}

// A row of a tile in registers.
struct TileRow {
  vd part[kTileVectors];

  SAMEBITS_INLINE static TileRow of(const double* from) {
    TileRow row;
    for (int v = 0; v < kTileVectors; ++v) row.part[v] = load<vd>(from + v * D);
    return row;
  }
  SAMEBITS_INLINE void to(double* out) const {
    for (int v = 0; v < kTileVectors; ++v) store(out + v * D, part[v]);
  }
  // this − factor × other, and this + factor × other: two roundings each.
  SAMEBITS_INLINE void minus(double factor, const TileRow& other) {
    for (int v = 0; v < kTileVectors; ++v) part[v] = part[v] - all<vd>(factor) * other.part[v];
  }
  SAMEBITS_INLINE void plus(double factor, const TileRow& other) {
    for (int v = 0; v < kTileVectors; ++v) part[v] = part[v] + all<vd>(factor) * other.part[v];
  }
};

// Calls work(matrix, threads that it may use) for every matrix: matrices side by side where there are
// enough of them, else one after the other. Stops being true where one was not computed.
template <class Work>
bool each_matrix(long count, int threads, Work work) {
  if (count >= threads) {
    long missing = 0;
    parallel(count, threads, [&](long i) {
      if (!work(i, 1)) __atomic_store_n(&missing, 1, __ATOMIC_RELAXED);
    });
    return missing == 0;
  }
  for (long i = 0; i < count; ++i) {
    if (!work(i, threads)) return false;
  }
  return true;
}

// Memory for one matrix, given back at the end of its block.
class Workspace {
 public:
  explicit Workspace(size_t bytes) : data_(static_cast<double*>(shared_scratch(bytes + 64))) {}
  ~Workspace() { free_shared_scratch(data_); }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  double* data() const { return data_; }

 private:
  double* data_;
};

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
