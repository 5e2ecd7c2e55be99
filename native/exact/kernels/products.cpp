// Matrix products: chains of fma over blocks of k, in tiles that fit the registers.
//
// The order in which one element is summed is fixed; everything else here (tiles, packing, how the
// matrix is cut among threads) is free and cannot change a bit.
#include <cstdlib>

#include "exact/kernels.hpp"
#include "exact/kernels/builds.hpp"
#include "exact/kernels/packing.hpp"
#include "exact/kernels/thin_products.hpp"
#include "exact/kernels/tile.hpp"
#include "exact/pool.hpp"
#include "exact/vec.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {
namespace {

constexpr long kRowsPacked = 252;  // rows of a packed at a time: 252 KiB in the second-level cache

// One thread's part of one product: rows [i0, i1) and columns [j0, j1).
template <class T>
class Part {
 public:
  Part(const Product<T>& product, long i0, long i1, long j0, long j1, T* memory)
      : p_(product), i0_(i0), i1_(i1), j0_(j0), j1_(j1), panels_((j1 - j0 + panel<T> - 1) / panel<T>) {
    packed_b_ = memory;
    packed_a_ = packed_b_ + panels_ * panel<T> * kChain;
    group_ = packed_a_ + (kRowsPacked + 2 * 16) * kChain;
  }
  static size_t memory(long rows, long columns, long k) {
    const long panels = (columns + panel<T> - 1) / panel<T>;
    size_t size = static_cast<size_t>(panels * panel<T> * kChain + (kRowsPacked + 2 * 16) * kChain);
    if (k > kChain * kGroup) size += static_cast<size_t>(rows * panels * panel<T>);
    return size + 64;
  }

  void run() {
    const bool grouped = p_.k > kChain * kGroup;
    const long group = kChain * kGroup;
    for (long k0 = 0; k0 < p_.k || k0 == 0; k0 += kChain) {
      const long k = p_.k - k0 < kChain ? p_.k - k0 : kChain;
      const bool first = grouped ? k0 % group == 0 : k0 == 0;
      const bool last = k0 + kChain >= p_.k;
      block(k0, k, first, last && !grouped, grouped);
      if (grouped && (last || (k0 + kChain) % group == 0)) add_group(k0 < group, last);
    }
  }

 private:
  void block(long k0, long k, bool first, bool last, bool grouped) {
    for (long q = 0; q < panels_; ++q) {
      const long j = j0_ + q * panel<T>;
      const int columns = static_cast<int>(j1_ - j < panel<T> ? j1_ - j : panel<T>);
      pack_panel(p_.b.data + k0 * p_.b.rows + j * p_.b.columns, p_.b.rows, p_.b.columns, columns, k,
                 packed_b_ + q * panel<T> * k);
    }
    const Cut blocks(i1_ - i0_, kRowsPacked);
    for (long c = 0; c < blocks.parts; ++c) {
      const long from = i0_ + blocks.begin(c);
      const Cut strips(blocks.rows(c), kRows);
      T* packed = packed_a_;
      for (long s = 0; s < strips.parts; ++s) {
        const int rows = static_cast<int>(strips.rows(s));
        pack_rows(p_.a.data + (from + strips.begin(s)) * p_.a.rows + k0 * p_.a.columns, p_.a.rows,
                  p_.a.columns, rows, k, packed);
        packed += rows * k;
      }
      multiply(from, strips, k, first, last, grouped);
    }
  }

  void multiply(long from, const Cut& strips, long k, bool first, bool last, bool grouped) {
    alignas(64) T values[kRows * panel<T>];
    const Finish<T> how{p_.add.data, p_.add.rows, p_.add.columns, p_.alpha, p_.beta};
    for (long q = 0; q < panels_; ++q) {
      const long j = j0_ + q * panel<T>;
      const int columns = static_cast<int>(j1_ - j < panel<T> ? j1_ - j : panel<T>);
      const T* packed = packed_a_;
      for (long s = 0; s < strips.parts; ++s) {
        const int rows = static_cast<int>(strips.rows(s));
        const long i = from + strips.begin(s);
        const auto run = tile_of<T, SideBySide<T>, Packed<T>>(rows);
        run(k, {packed}, {packed_b_ + q * panel<T> * k}, values, panel<T>, false);
        packed += rows * k;
        T* out = grouped ? group_ + (i - i0_) * panels_ * panel<T> + q * panel<T>
                         : p_.out.data + i * p_.out.rows + j;
        settle(values, panel<T>, rows, columns, out, grouped ? panels_ * panel<T> : p_.out.rows, first, last,
               how, i, j);
      }
    }
  }

  void add_group(bool first, bool last) {
    const Finish<T> how{p_.add.data, p_.add.rows, p_.add.columns, p_.alpha, p_.beta};
    for (long q = 0; q < panels_; ++q) {
      const long j = j0_ + q * panel<T>;
      const int columns = static_cast<int>(j1_ - j < panel<T> ? j1_ - j : panel<T>);
      for (long i = i0_; i < i1_; ++i) {
        settle(group_ + (i - i0_) * panels_ * panel<T> + q * panel<T>, panel<T>, 1, columns,
               p_.out.data + i * p_.out.rows + j, p_.out.rows, first, last, how, i, j);
      }
    }
  }

  const Product<T>& p_;
  const long i0_, i1_, j0_, j1_, panels_;
  T* packed_b_;
  T* packed_a_;
  T* group_;
};

// How a product is cut among threads: into rows by columns of parts.
struct Grid {
  long down = 1;
  long across = 1;
};

template <class T>
Grid grid_of(const Product<T>& p, long wanted) {
  Grid best;
  double least = -1;
  for (long down = 1; down <= wanted; ++down) {
    const long across = (wanted + down - 1) / down;
    const long rows = (p.m + down - 1) / down;
    const long columns = (p.n + across - 1) / across;
    if ((down > 1 && rows < kRows) || (across > 1 && columns < panel<T>)) continue;
    // What a part costs: its own tiles, rounded up, and the packing of both of its sides.
    const double tiles = double((columns + panel<T> - 1) / panel<T> * panel<T>) * double(rows);
    const double cost = tiles + 8.0 * double(rows + columns);
    if (least < 0 || cost < least) {
      least = cost;
      best = {down, across};
    }
  }
  return best;
}

template <class T>
bool products(const Products<T>& all_of_them, int threads) {
  const Product<T>& p = all_of_them.first;
  if (p.m == 0 || p.n == 0 || all_of_them.count == 0) return true;
  // Below this a second thread costs more than it takes off.
  const double work = double(p.m) * double(p.n) * double(p.k > 0 ? p.k : 1) * double(all_of_them.count);
  if (work < 400e3) threads = 1;
  Grid grid;
  if (all_of_them.count < threads) grid = grid_of(p, (threads + all_of_them.count - 1) / all_of_them.count);
  // Columns come in pieces whose packed block stays in the cache.
  const long most_columns = 1024;
  const Cut rows(p.m, (p.m + grid.down - 1) / grid.down);
  long across = grid.across;
  if ((p.n + across - 1) / across > most_columns) across = (p.n + most_columns - 1) / most_columns;
  const long panels = (p.n + panel<T> - 1) / panel<T>;
  if (across > panels) across = panels;
  const Cut columns(panels, (panels + across - 1) / across);
  const long parts = rows.parts * columns.parts;
  bool failed = false;
  parallel(parts * all_of_them.count, threads, [&](long number) {
    const long which = number / parts;
    const long r = number % parts / columns.parts;
    const long c = number % columns.parts;
    Product<T> own = p;
    own.a.data += which * all_of_them.a_step;
    own.b.data += which * all_of_them.b_step;
    own.out.data += which * all_of_them.out_step;
    if (own.add.data != nullptr) own.add.data += which * all_of_them.add_step;
    const long i0 = rows.begin(r);
    const long i1 = i0 + rows.rows(r);
    const long j0 = columns.begin(c) * panel<T>;
    long j1 = j0 + columns.rows(c) * panel<T>;
    if (j1 > p.n) j1 = p.n;
    if (is_thin(own)) {
      auto* memory = static_cast<T*>(scratch(thin_memory<T>(j1 - j0) * sizeof(T)));
      if (memory == nullptr) failed = true;
      else thin_product(own, j0, j1, memory);
      return;
    }
    const size_t size = Part<T>::memory(i1 - i0, j1 - j0, p.k);
    auto* memory = static_cast<T*>(scratch(size * sizeof(T)));
    if (memory == nullptr) {
      failed = true;
      return;
    }
    Part<T>(own, i0, i1, j0, j1, memory).run();
  });
  return !failed;
}

}  // namespace

bool products_f32(const Products<float>& all_of_them, int threads) { return products(all_of_them, threads); }
bool products_f64(const Products<double>& all_of_them, int threads) { return products(all_of_them, threads); }

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
