// Plans of Fourier transforms, which are kept.
#pragma once

#include <memory>

#include "exact/fourier.hpp"
#include "exact/unit_roots.hpp"

namespace samebits::exact {

template <class T>
std::shared_ptr<const FourierPlan<T>> fourier_plan(long n);
template <class T>
std::shared_ptr<const UnitRoots<T>> kept_roots(long n);

}  // namespace samebits::exact
