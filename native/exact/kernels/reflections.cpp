// QR by Householder's reflections (docs/arithmetic.md, "Linear algebra").
#include "exact/kernels/column_tiles.hpp"
#include "exact/kernels/householder.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {
namespace {

// I − tau v vᵀ applied to rows of a tile, the first of which goes with v[0] = 1; lanes below `lane` stay.
void reflect_rows(double* rows, long count, const double* v, double tau, long lane) {
  if (lane > 0) {
    for (long l = lane; l < kTile; ++l) {
      double w = rows[l];
      for (long i = 1; i < count; ++i) w = w + v[i] * rows[i * kTile + l];
      const double t = tau * w;
      rows[l] = rows[l] - t;
      for (long i = 1; i < count; ++i) rows[i * kTile + l] = rows[i * kTile + l] - v[i] * t;
    }
    return;
  }
  TileRow w = TileRow::of(rows);
  for (long i = 1; i < count; ++i) w.plus(v[i], TileRow::of(rows + i * kTile));
  TileRow t;
  TileRow first = TileRow::of(rows);
  for (int p = 0; p < kTileVectors; ++p) {
    t.part[p] = all<vd>(tau) * w.part[p];
    first.part[p] = first.part[p] - t.part[p];
  }
  first.to(rows);
  for (long i = 1; i < count; ++i) {
    TileRow row = TileRow::of(rows + i * kTile);
    row.minus(v[i], t);
    row.to(rows + i * kTile);
  }
}

bool qr_of(double* a, long rows, long columns, double* taus, int threads) {
  const long steps = at_most_of(rows, columns);
  const long blocks = rows / kBlock + 1;
  const Workspace memory(bytes_of_tiles(rows, columns) + static_cast<size_t>(kTile * rows + blocks) * sizeof(double));
  if (memory.data() == nullptr) return false;
  const Tiles tiles{memory.data(), rows};
  const long count = tiles_of(columns);
  double* vectors = memory.data() + rows * count * kTile;
  double* sums = vectors + kTile * rows;
  parallel(count, threads, [&](long t) { cut(a, columns, tiles, t); });
  for (long first = 0; first < steps; first += kTile) {
    const long own = first / kTile;
    const long width = at_most_of(kTile, steps - first);
    parallel(1, 1, [&](long) {
      for (long l = 0; l < width; ++l) {
        const long j = first + l;
        double* panel = tiles.row(own, j);
        double* v = vectors + l * rows;
        for (long i = 0; i < rows - j; ++i) v[i] = panel[i * kTile + l];
        const double becomes = reflection(v, rows - j, taus + j, sums);
        panel[l] = becomes;
        if (taus[j] == 0) continue;
        for (long i = 1; i < rows - j; ++i) panel[i * kTile + l] = v[i];
        reflect_rows(panel, rows - j, v, taus[j], l + 1);
      }
    });
    parallel(count - own - 1, threads, [&](long later) {
      for (long l = 0; l < width; ++l) {
        const long j = first + l;
        if (taus[j] == 0) continue;
        reflect_rows(tiles.row(own + 1 + later, j), rows - j, vectors + l * rows, taus[j], 0);
      }
    });
  }
  parallel(count, threads, [&](long t) { join(tiles, t, a, columns); });
  for (long j = 0; j < steps; ++j) taus[j] = taus[j] == taus[j] ? taus[j] : __builtin_nan("");
  return true;
}

bool reflect_one(const double* vectors, long factors, long stored, const double* taus, double* c, long rows,
                 long columns, Reflections how, int threads) {
  const Workspace memory(bytes_of_tiles(rows, columns) + static_cast<size_t>(factors * rows) * sizeof(double));
  if (memory.data() == nullptr) return false;
  const Tiles tiles{memory.data(), rows};
  double* turned = memory.data() + rows * tiles_of(columns) * kTile;
  parallel(factors, threads, [&](long j) {
    double* v = turned + j * rows;
    v[0] = 1;
    for (long i = 1; i < rows - j; ++i) v[i] = vectors[(i + j) * stored + j];
  });
  parallel(tiles_of(columns), threads, [&](long t) {
    cut(c, columns, tiles, t);
    for (long step = 0; step < factors; ++step) {
      const long j = how == Reflections::kFirstToLast ? step : factors - 1 - step;
      long lane = 0;
      if (how == Reflections::kToIdentity) {
        // Columns before the reflection's own are still those of the identity, and 0 in its rows.
        if (t * kTile + kTile <= j) continue;
        if (j > t * kTile) lane = j - t * kTile;
      }
      if (taus[j] != 0) reflect_rows(tiles.row(t, j), rows - j, turned + j * rows, taus[j], lane);
    }
    join(tiles, t, c, columns);
  });
  return true;
}

}  // namespace

bool qr(Matrices a, double* taus, int threads) {
  return each_matrix(a.count, threads, [&](long i, int own) {
    return qr_of(a.at(i), a.rows, a.columns, taus + i * a.diagonal(), own);
  });
}

bool reflect(Matrices vectors, const double* taus, long factors, Matrices c, Reflections how, int threads) {
  return each_matrix(c.count, threads, [&](long i, int own) {
    return reflect_one(vectors.at(i), factors, vectors.columns, taus + i * factors, c.at(i), c.rows, c.columns, how, own);
  });
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
