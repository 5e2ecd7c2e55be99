// Roots of unity, each part correctly rounded.
#pragma once

#include <vector>

namespace samebits::exact {

template <class T>
struct UnitRoots {
  std::vector<T> re, im;
};

// exp(−2πi k / n) for k below n. A part that is 0 is +0.
template <class T>
UnitRoots<T> unit_roots(long n);

}  // namespace samebits::exact
