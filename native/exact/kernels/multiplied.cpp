// Products of all values along an axis, in the shape of a sum (sums.hpp): 64 lanes that begin with 1, a
// tree, blocks of 4096. In binary64, rounded once.
#include "exact/kernels/builds.hpp"
#include "exact/kernels/scan.hpp"
#include "exact/pool.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {
namespace {

// Vectors of lanes that are multiplied up at a time: as many as hide how long a product takes, and few enough for the
// registers. A block is read once for each such part of its lanes, from the first-level cache.
constexpr int kTogether = static_cast<int>(kLanes) / D < 8 ? static_cast<int>(kLanes) / D : 8;
constexpr long kTask = 32768;

double tree(double (&lanes)[kLanes]) {
  for (int width = static_cast<int>(kLanes) / 2; width > 0; width /= 2) {
    for (int l = 0; l < width; ++l) lanes[l] = lanes[l] * lanes[l + width];
  }
  return lanes[0];
}

// At most kBlock values next to each other.
template <class T>
double block(const T* x, long n) {
  const long whole = n / kLanes * kLanes;
  alignas(64) double lanes[kLanes];
  for (int begin = 0; begin < kLanes; begin += kTogether * D) {
    vd lane[kTogether];
    for (vd& v : lane) v = all<vd>(1.0);
    for (long i = begin; i < whole; i += kLanes) {
#pragma GCC unroll 8
      for (int j = 0; j < kTogether; ++j) lane[j] = lane[j] * load_wide(x + i + j * D);
    }
    for (int j = 0; j < kTogether; ++j) store(lanes + begin + j * D, lane[j]);
  }
  for (long l = 0; whole + l < n; ++l) lanes[l] = lanes[l] * static_cast<double>(x[whole + l]);
  return tree(lanes);
}

// Products of blocks to that of them all, in place.
double of_blocks(double* products, long n) {
  while (n > 1) {
    const long blocks = (n + kBlock - 1) / kBlock;
    for (long b = 0; b < blocks; ++b) {
      products[b] = block(products + b * kBlock, n - b * kBlock < kBlock ? n - b * kBlock : kBlock);
    }
    n = blocks;
  }
  return products[0];
}

// A strip of columns of a block; lanes are rows of products.
constexpr int kStrip = 32;
template <class T>
void strip_of_block(const T* x, long rows, long step, int columns, double* out) {
  alignas(64) double lanes[kLanes][kStrip];
  const int used = static_cast<int>(rows < kLanes ? rows : kLanes);
  for (int l = 0; l < used; ++l) {
    for (int j = 0; j < columns; ++j) lanes[l][j] = static_cast<double>(x[l * step + j]);
  }
  for (long i = kLanes; i < rows; ++i) {
    double* lane = lanes[i % kLanes];
    for (int j = 0; j < columns; ++j) lane[j] = lane[j] * static_cast<double>(x[i * step + j]);
  }
  for (int width = static_cast<int>(kLanes) / 2; width > 0; width /= 2) {
    for (int l = 0; l < width && l + width < used; ++l) {
      for (int j = 0; j < columns; ++j) lanes[l][j] = lanes[l][j] * lanes[l + width][j];
    }
  }
  for (int j = 0; j < columns; ++j) out[j] = lanes[0][j];
}

template <class T>
T once(double x) {
  return static_cast<T>(x == x ? x : __builtin_nan(""));
}

template <class T>
bool multiplied(const Multiplied<T>& m, int threads) {
  const long outputs = m.outer * m.inner;
  if (m.n == 0) {
    for (long i = 0; i < outputs; ++i) m.out[i] = 1;
    return true;
  }
  const long blocks = (m.n + kBlock - 1) / kBlock;
  // [output][block]
  auto* products = static_cast<double*>(shared_scratch(static_cast<size_t>(outputs * blocks) * sizeof(double)));
  if (products == nullptr) return false;
  const long strip = m.inner == 1 ? 1 : kStrip;
  const long strips = (m.inner + strip - 1) / strip;
  const long units = m.outer * blocks * strips;
  const long a_unit = (m.n < kBlock ? m.n : kBlock) * strip;
  const long a_task = a_unit >= kTask ? 1 : kTask / (a_unit + 1) + 1;
  parallel_apart((units + a_task - 1) / a_task, threads, [&](long task) {
    const long end = (task + 1) * a_task < units ? (task + 1) * a_task : units;
    for (long unit = task * a_task; unit < end; ++unit) {
      const long j = unit % strips * strip;
      const long b = unit / strips % blocks;
      const long outer = unit / strips / blocks;
      const T* from = m.x + (outer * m.n + b * kBlock) * m.inner + j;
      const long rows = m.n - b * kBlock < kBlock ? m.n - b * kBlock : kBlock;
      if (m.inner == 1) {
        products[outer * blocks + b] = block(from, rows);
        continue;
      }
      const int columns = static_cast<int>(m.inner - j < strip ? m.inner - j : strip);
      double found[kStrip];
      strip_of_block(from, rows, m.inner, columns, found);
      for (int c = 0; c < columns; ++c) products[(outer * m.inner + j + c) * blocks + b] = found[c];
    }
  });
  for (long i = 0; i < outputs; ++i) m.out[i] = once<T>(of_blocks(products + i * blocks, blocks));
  free_shared_scratch(products);
  return true;
}

}  // namespace

bool multiplied_f32(const Multiplied<float>& m, int threads) { return multiplied(m, threads); }
bool multiplied_f64(const Multiplied<double>& m, int threads) { return multiplied(m, threads); }

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
