// Where the points of a grid lie among the places of an image, and the corners around each.
#pragma once

#include "exact/grid_sample.hpp"
#include "exact/kernels.hpp"
#include "exact/vec.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

// As builtins: what <cmath> has inline would be one copy for all builds.
SAMEBITS_INLINE float floor_of(float x) { return __builtin_floorf(x); }
SAMEBITS_INLINE double floor_of(double x) { return __builtin_floor(x); }
SAMEBITS_INLINE float rest_of(float x, float y) { return __builtin_fmodf(x, y); }
SAMEBITS_INLINE double rest_of(double x, double y) { return __builtin_fmod(x, y); }

constexpr long kCorners = 4;  // left and right above, left and right below

// A coordinate among the places of an axis, and its slope.
template <class T>
struct Coordinate {
  T where;
  T slope;
};

// Brings a coordinate back among the places; its slope is 1, -1 or 0.
template <class T>
Coordinate<T> held(T where, long size, GridPadding padding, bool align) {
  T slope = 1;
  const T last = static_cast<T>(size - 1);
  if (padding == GridPadding::kReflection) {
    const T low = align ? T{0} : static_cast<T>(-0.5);
    const T span = align ? last : static_cast<T>(size);
    if (span == 0) return {T{0}, T{0}};
    const T offset = where < low ? low - where : where - low;
    const T rest = rest_of(offset, span);
    const bool even = rest_of(floor_of(offset / span), T{2}) == 0;
    if ((where < low) == even) slope = -slope;
    where = even ? rest + low : span - rest + low;
  }
  if (padding != GridPadding::kZeros) {
    if (!(where > 0 && where < last)) slope = 0;
    where = where < 0 ? T{0} : where > last ? last : where;
  }
  return {where, slope};
}

template <class T>
Coordinate<T> placed(T u, long size, GridPadding padding, bool align) {
  const T count = static_cast<T>(size);
  const T unheld = align ? (u + 1) / 2 * static_cast<T>(size - 1) : ((u + 1) * count - 1) / 2;
  const T slope = static_cast<T>(static_cast<double>(align ? size - 1 : size) / 2);
  const Coordinate<T> found = held(unheld, size, padding, align);
  return {found.where, found.slope == 0 ? T{0} : found.slope < 0 ? -slope : slope};
}

// One point: the shares along each axis of the nearer and the further side, and the slopes.
template <class T>
struct Point {
  T across[2];
  T down[2];
  T slope_x, slope_y;
  int64_t place[kCorners];  // -1 outside of the image

  SAMEBITS_INLINE T share(long corner) const { return across[corner & 1] * down[corner >> 1]; }
};

template <class T>
Point<T> point_of(const Grid<T>& g, const T* at) {
  const Coordinate<T> x = placed(at[0], g.width, g.padding, g.align);
  const Coordinate<T> y = placed(at[1], g.height, g.padding, g.align);
  const T left = floor_of(x.where);
  const T top = floor_of(y.where);
  Point<T> p{{left + 1 - x.where, x.where - left}, {top + 1 - y.where, y.where - top}, x.slope, y.slope, {}};
  for (long c = 0; c < kCorners; ++c) {
    const T column = left + static_cast<T>(c & 1);
    const T row = top + static_cast<T>(c >> 1);
    const bool inside = column >= 0 && column < static_cast<T>(g.width) && row >= 0 && row < static_cast<T>(g.height);
    p.place[c] = inside ? static_cast<int64_t>(row) * g.width + static_cast<int64_t>(column) : -1;
  }
  return p;
}

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
