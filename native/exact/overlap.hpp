// Whether elements of one tensor share memory.
#pragma once

#include <cstdint>

namespace samebits::exact {

// False where no two elements can lie at one place, by shape and strides (in elements); true also for
// some strange tensors in which none do.
bool may_overlap(int ndim, const int64_t* shape, const int64_t* strides);

}  // namespace samebits::exact
