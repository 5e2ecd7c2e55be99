// The kernels of one build, by name; the build's table collects them.
#pragma once

#include <cstddef>

#include "exact/kernels.hpp"

namespace samebits::exact {

// Memory of this thread, kept between calls, without contents; null when there is none to have.
void* scratch(size_t bytes);

#ifdef SAMEBITS_EXACT_BUILD
namespace SAMEBITS_EXACT_BUILD {

bool products_f32(const Products<float>&, int threads);
bool products_f64(const Products<double>&, int threads);
ElementwiseLoop elementwise_f32(int operation);
ElementwiseLoop elementwise_f64(int operation);

}  // namespace SAMEBITS_EXACT_BUILD
#endif
}  // namespace samebits::exact
