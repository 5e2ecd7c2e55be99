// Values between the places of images, where a grid says (docs/arithmetic.md, "Places").
#pragma once

namespace samebits::exact {

enum class GridPadding : int { kZeros = 0, kBorder = 1, kReflection = 2 };

// x [images, channels, height, width], grid [images, points, 2], x before y.
template <class T>
struct Grid {
  const T* x;
  const T* grid;
  long images, channels, height, width, points;
  GridPadding padding;
  bool align;
};

template <class T>
struct GridSample : Grid<T> {
  T* out;  // [images, channels, points]
};

template <class T>
struct GridSampleBackward : Grid<T> {
  const T* grad;  // [images, channels, points]
  T* grad_x;      // or null
  T* grad_grid;
};

}  // namespace samebits::exact
