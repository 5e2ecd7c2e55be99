// LU with row exchanges, Cholesky, and the substitution in triangles (docs/arithmetic.md, "Linear algebra").
//
// In all three an element has products subtracted from it, one after the other, by ascending k: how the
// loops around it are nested is free. A panel of sixteen columns is factored; then each tile to its
// right takes the panel's sixteen products.
#include "exact/kernels/column_tiles.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {
namespace {

// rows[i] −= sum over l < depth of left[i][l] × right[l], l ascending, for rows [begin, end) of tiles.
void subtract_products(double* rows, const double* left, const double* right, long begin, long end, long depth) {
  long i = begin;
  for (; i + 4 <= end; i += 4) {
    TileRow sum[4];
    for (int r = 0; r < 4; ++r) sum[r] = TileRow::of(rows + (i + r) * kTile);
    for (long l = 0; l < depth; ++l) {
      const TileRow factor = TileRow::of(right + l * kTile);
      for (int r = 0; r < 4; ++r) sum[r].minus(left[(i + r) * kTile + l], factor);
    }
    for (int r = 0; r < 4; ++r) sum[r].to(rows + (i + r) * kTile);
  }
  for (; i < end; ++i) {
    TileRow sum = TileRow::of(rows + i * kTile);
    for (long l = 0; l < depth; ++l) sum.minus(left[i * kTile + l], TileRow::of(right + l * kTile));
    sum.to(rows + i * kTile);
  }
}

void exchange(double* tile, long i, long j) {
  if (i == j) return;
  const TileRow first = TileRow::of(tile + i * kTile);
  TileRow::of(tile + j * kTile).to(tile + i * kTile);
  first.to(tile + j * kTile);
}

// The columns of a panel that begins at row and column `first`.
void factor_panel(double* panel, long rows, long first, long width, int32_t* pivots, int32_t* info) {
  for (long l = 0; l < width; ++l) {
    const long j = first + l;
    long chosen = j;
    double most = __builtin_fabs(panel[j * kTile + l]);
    for (long i = j + 1; i < rows; ++i) {
      const double magnitude = __builtin_fabs(panel[i * kTile + l]);
      if (magnitude > most) {
        most = magnitude;
        chosen = i;
      }
    }
    pivots[j] = static_cast<int32_t>(chosen + 1);
    exchange(panel, j, chosen);
    const double* top = panel + j * kTile;
    const bool divides = top[l] != 0;
    if (!divides && *info == 0) *info = static_cast<int32_t>(j + 1);
    for (long i = j + 1; i < rows; ++i) {
      double* row = panel + i * kTile;
      const double factor = divides ? row[l] / top[l] : row[l];
      row[l] = factor;
      for (long c = l + 1; c < kTile; ++c) row[c] = row[c] - factor * top[c];
    }
  }
}

bool lu_of(double* a, long rows, long columns, int32_t* pivots, int32_t* info, int threads) {
  const Workspace memory(bytes_of_tiles(rows, columns));
  if (memory.data() == nullptr) return false;
  const Tiles tiles{memory.data(), rows};
  const long count = tiles_of(columns);
  const long steps = at_most_of(rows, columns);
  *info = 0;
  parallel(count, threads, [&](long t) { cut(a, columns, tiles, t); });
  for (long first = 0; first < steps; first += kTile) {
    const long own = first / kTile;
    const long width = at_most_of(kTile, steps - first);
    double* panel = tiles.row(own, 0);
    parallel(1, 1, [&](long) { factor_panel(panel, rows, first, width, pivots, info); });
    parallel(count, threads, [&](long t) {
      if (t == own) return;
      double* tile = tiles.row(t, 0);
      for (long j = first; j < first + width; ++j) exchange(tile, j, pivots[j] - 1);
      if (t < own) return;
      const double* right = tile + first * kTile;
      for (long i = first + 1; i < first + width; ++i) subtract_products(tile, panel, right, i, i + 1, i - first);
      subtract_products(tile, panel, right, first + width, rows, width);
    });
  }
  parallel(count, threads, [&](long t) { join(tiles, t, a, columns); });
  return true;
}

bool cholesky_of(double* a, long n, int32_t* info, int threads) {
  const Workspace memory(bytes_of_tiles(n, n));
  if (memory.data() == nullptr) return false;
  const Tiles tiles{memory.data(), n};
  const long count = tiles_of(n);
  *info = 0;
  parallel(count, threads, [&](long t) { cut(a, n, tiles, t); });
  for (long first = 0; first < n; first += kTile) {
    const long own = first / kTile;
    const long width = at_most_of(kTile, n - first);
    double* panel = tiles.row(own, 0);
    parallel(1, 1, [&](long) {
      for (long l = 0; l < width; ++l) {
        const long j = first + l;
        double& pivot = panel[j * kTile + l];
        if (!(pivot > 0) && *info == 0) *info = static_cast<int32_t>(j + 1);
        pivot = __builtin_sqrt(pivot);
        for (long i = j + 1; i < n; ++i) panel[i * kTile + l] = panel[i * kTile + l] / pivot;
        for (long i = j + 1; i < n; ++i) {
          double* row = panel + i * kTile;
          const long end = at_most_of(width, i - first + 1);
          for (long c = l + 1; c < end; ++c) row[c] = row[c] - row[l] * panel[(first + c) * kTile + l];
        }
      }
    });
    parallel(count - own - 1, threads, [&](long later) {
      const long t = own + 1 + later;
      const long begin = t * kTile;
      alignas(64) double right[kTile * kTile];
      for (long l = 0; l < width; ++l) {
        for (long c = 0; c < kTile; ++c) right[l * kTile + c] = begin + c < n ? panel[(begin + c) * kTile + l] : 0;
      }
      subtract_products(tiles.row(t, 0), panel, right, begin, n, width);
    });
  }
  parallel(count, threads, [&](long t) {
    for (long i = 0; i < n; ++i) {
      for (long l = 0; l < kTile; ++l) {
        if (t * kTile + l > i) tiles.row(t, i)[l] = 0;
      }
    }
    join(tiles, t, a, n);
  });
  return true;
}

bool substitute_one(const double* a, long n, double* b, long columns, bool upper, bool unit, int threads) {
  const Workspace memory(bytes_of_tiles(n, columns));
  if (memory.data() == nullptr) return false;
  const Tiles tiles{memory.data(), n};
  parallel(tiles_of(columns), threads, [&](long t) {
    cut(b, columns, tiles, t);
    double* x = tiles.row(t, 0);
    for (long step = 0; step < n; ++step) {
      const long i = upper ? n - 1 - step : step;
      const double* row = a + i * n;
      TileRow sum = TileRow::of(x + i * kTile);
      if (upper) {
        for (long k = n - 1; k > i; --k) sum.minus(row[k], TileRow::of(x + k * kTile));
      } else {
        for (long k = 0; k < i; ++k) sum.minus(row[k], TileRow::of(x + k * kTile));
      }
      if (!unit) {
        for (int v = 0; v < kTileVectors; ++v) sum.part[v] = sum.part[v] / all<vd>(row[i]);
      }
      sum.to(x + i * kTile);
    }
    join(tiles, t, b, columns);
  });
  return true;
}

}  // namespace

bool lu(Matrices a, int32_t* pivots, int32_t* info, int threads) {
  return each_matrix(a.count, threads, [&](long i, int own) {
    return lu_of(a.at(i), a.rows, a.columns, pivots + i * a.diagonal(), info + i, own);
  });
}

bool cholesky(Matrices a, int32_t* info, int threads) {
  return each_matrix(a.count, threads, [&](long i, int own) { return cholesky_of(a.at(i), a.rows, info + i, own); });
}

bool substitute(Matrices triangle, Matrices b, bool upper, bool unit, int threads) {
  return each_matrix(b.count, threads, [&](long i, int own) {
    return substitute_one(triangle.at(i), triangle.rows, b.at(i), b.columns, upper, unit, own);
  });
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
