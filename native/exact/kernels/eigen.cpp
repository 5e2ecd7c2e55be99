// Eigenvalues of symmetric matrices: to three diagonals by reflections, then by QL with implicit shifts
// (docs/arithmetic.md, "Linear algebra").
#include <vector>

#include "exact/kernels/column_tiles.hpp"
#include "exact/kernels/householder.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {
namespace {

constexpr int kMostSteps = 50;  // for one eigenvalue
// Rotations that are collected before they are applied to a tile, which stays in the cache meanwhile.
constexpr size_t kRotations = 16384;

bool tridiagonal_of(double* a, long n, double* diagonal, double* beside, double* taus) {
  const Workspace memory(static_cast<size_t>(3 * n + n / kBlock + 1) * sizeof(double));
  if (memory.data() == nullptr) return false;
  double* v = memory.data();
  double* q = v + n;
  double* products = q + n;
  double* sums = products + n;
  for (long k = 0; k + 2 < n; ++k) {
    const long m = n - k - 1;
    double* block = a + (k + 1) * n + k + 1;
    for (long i = 0; i < m; ++i) v[i] = a[(k + 1 + i) * n + k];
    diagonal[k] = a[k * n + k];
    beside[k] = reflection(v, m, taus + k, sums);
    const double tau = taus[k];
    if (tau == 0) continue;
    for (long i = 1; i < m; ++i) a[(k + 1 + i) * n + k] = v[i];
    for (long j = 0; j < m; ++j) q[j] = block[j];
    for (long i = 1; i < m; ++i) {
      const double factor = v[i];
      const double* row = block + i * n;
#pragma GCC ivdep
      for (long j = 0; j < m; ++j) q[j] = q[j] + factor * row[j];
    }
    for (long j = 0; j < m; ++j) {
      q[j] = tau * q[j];
      products[j] = q[j] * v[j];
    }
    const double half = tau * 0.5 * sum_run(products, m, sums);
    for (long j = 0; j < m; ++j) q[j] = q[j] - half * v[j];
    for (long i = 0; i < m; ++i) {
      const double own = v[i], other = q[i];
      double* row = block + i * n;
#pragma GCC ivdep
      for (long j = 0; j < m; ++j) row[j] = row[j] - (own * q[j] + other * v[j]);
    }
  }
  for (long k = n > 2 ? n - 2 : 0; k < n; ++k) {
    diagonal[k] = a[k * n + k];
    if (k + 1 < n) beside[k] = a[(k + 1) * n + k];
  }
  return true;
}

struct Rotation {
  long row;
  double cosine, sine;
};

// Rows r and r + 1 of a tile: c x − s y and s x + c y.
void rotate(double* tile, const Rotation& rotation) {
  double* first = tile + rotation.row * kTile;
  double* second = first + kTile;
  const vd c = all<vd>(rotation.cosine), s = all<vd>(rotation.sine);
  for (int part = 0; part < kTileVectors; ++part) {
    const vd x = load<vd>(first + part * D), y = load<vd>(second + part * D);
    store(first + part * D, c * x - s * y);
    store(second + part * D, s * x + c * y);
  }
}

// The tridiagonal matrix, and the rotations that its diagonal has taken.
struct Shifts {
  double* d;
  double* e;
  long n;
  std::vector<Rotation>& rotations;

  // The end of the block that begins at l: where the value beside the diagonal is lost in a sum.
  long end_of(long l) const {
    long m = l;
    for (; m + 1 < n; ++m) {
      const double sum = __builtin_fabs(d[m]) + __builtin_fabs(d[m + 1]);
      if (sum + __builtin_fabs(e[m]) == sum) break;
    }
    return m;
  }

  void step(long l, long m) {
    double g = (d[l + 1] - d[l]) / (2 * e[l]);
    double r = __builtin_sqrt(g * g + 1);
    g = d[m] - d[l] + e[l] / (g + (g < 0 ? -r : r));
    double s = 1, c = 1, p = 0;
    for (long i = m - 1; i >= l; --i) {
      const double f = s * e[i];
      const double b = c * e[i];
      r = __builtin_sqrt(f * f + g * g);
      e[i + 1] = r;
      if (r == 0) {
        d[i + 1] = d[i + 1] - p;
        e[m] = 0;
        return;
      }
      s = f / r;
      c = g / r;
      g = d[i + 1] - p;
      r = (d[i] - g) * s + 2 * c * b;
      p = s * r;
      d[i + 1] = g + p;
      g = c * r - b;
      rotations.push_back({i, c, s});
    }
    d[l] = d[l] - p;
    e[l] = g;
    e[m] = 0;
  }
};

void apply(std::vector<Rotation>& rotations, const Tiles& tiles, long count, int threads) {
  if (count > 0 && !rotations.empty()) {
    parallel(count, threads, [&](long t) {
      double* tile = tiles.row(t, 0);
      for (const Rotation& rotation : rotations) rotate(tile, rotation);
    });
  }
  rotations.clear();
}

double signed_by_largest(const Tiles& tiles, long row, long columns) {
  double most = 0;
  double sign = 1;
  for (long j = 0; j < columns; ++j) {
    const double x = tiles.at(row, j);
    if (__builtin_fabs(x) > most) {
      most = __builtin_fabs(x);
      sign = x < 0 ? -1 : 1;
    }
  }
  return sign;
}

// Rows of `vectors`, n × n, are rotated, put in ascending order of their values, and given their signs.
bool ql_of(double* d, double* e, double* vectors, long n, int32_t* info, int threads) {
  const Workspace memory(vectors == nullptr ? 0 : bytes_of_tiles(n, n));
  if (memory.data() == nullptr) return false;
  const Tiles tiles{memory.data(), n};
  const long count = vectors == nullptr ? 0 : tiles_of(n);
  parallel(count, threads, [&](long t) { cut(vectors, n, tiles, t); });
  std::vector<Rotation> rotations;
  *info = 0;
  std::vector<long> order(static_cast<size_t>(n));
  long l = 0;
  int steps = 0;
  while (l < n) {
    // Until enough rotations are there; they are applied on all threads then.
    parallel(1, 1, [&](long) {
      Shifts shifts{d, e, n, rotations};
      while (l < n && rotations.size() < kRotations) {
        const long m = shifts.end_of(l);
        if (m == l || ++steps > kMostSteps) {
          if (m != l && *info == 0) *info = static_cast<int32_t>(l + 1);
          ++l;
          steps = 0;
        } else {
          shifts.step(l, m);
        }
      }
    });
    apply(rotations, tiles, count, threads);
  }
  parallel(1, 1, [&](long) {
    for (long i = 0; i < n; ++i) {
      long place = i;
      for (; place > 0 && d[i] < d[order[static_cast<size_t>(place - 1)]]; --place) {
        order[static_cast<size_t>(place)] = order[static_cast<size_t>(place - 1)];
      }
      order[static_cast<size_t>(place)] = i;
    }
    for (long i = 0; i < n; ++i) e[i] = d[order[static_cast<size_t>(i)]];
    for (long i = 0; i < n; ++i) d[i] = e[i] == e[i] ? e[i] : __builtin_nan("");
    for (long i = 0; vectors != nullptr && i < n; ++i) {
      const long row = order[static_cast<size_t>(i)];
      const double sign = signed_by_largest(tiles, row, n);
      for (long j = 0; j < n; ++j) {
        const double x = sign * tiles.at(row, j);
        vectors[i * n + j] = x == x ? x : __builtin_nan("");
      }
    }
  });
  return true;
}

}  // namespace

bool tridiagonal(Matrices a, double* diagonal, double* beside, double* taus, int threads) {
  const long n = a.rows;
  const long factors = n > 2 ? n - 2 : 0;
  long missing = 0;
  parallel(a.count, threads, [&](long i) {
    if (!tridiagonal_of(a.at(i), n, diagonal + i * n, beside + i * n, taus + i * factors)) {
      __atomic_store_n(&missing, 1, __ATOMIC_RELAXED);
    }
  });
  return missing == 0;
}

bool ql(double* diagonal, double* beside, long count, long n, double* vectors, int32_t* info, int threads) {
  return each_matrix(count, threads, [&](long i, int own) {
    return ql_of(diagonal + i * n, beside + i * n, vectors == nullptr ? nullptr : vectors + i * n * n, n, info + i, own);
  });
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
