#include "exact/overlap.hpp"

#include <algorithm>

namespace samebits::exact {

bool may_overlap(int ndim, const int64_t* shape, const int64_t* strides) {
  constexpr int kMost = 64;
  struct Axis {
    int64_t stride;
    int64_t last;
  } axes[kMost];
  int count = 0;
  for (int d = 0; d < ndim; ++d) {
    if (shape[d] == 0) return false;
    if (shape[d] == 1) continue;
    if (count == kMost) return true;
    axes[count++] = {strides[d] < 0 ? -strides[d] : strides[d], shape[d] - 1};
  }
  std::sort(axes, axes + count, [](const Axis& a, const Axis& b) { return a.stride < b.stride; });
  // A step along an axis must lead beyond all that the finer axes reach.
  int64_t reach = 0;
  for (int i = 0; i < count; ++i) {
    if (axes[i].stride <= reach) return true;
    reach += axes[i].stride * axes[i].last;
  }
  return false;
}

}  // namespace samebits::exact
