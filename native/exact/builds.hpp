// Which build of the kernels runs: the best that the processor has, unless told otherwise.
#pragma once

#include "exact/kernels.hpp"
#include "exact/passes.hpp"

namespace samebits::exact {

const Kernels& kernels();
const Passes& passes();
// False, and nothing changed, when there is no such build or it cannot run here.
bool choose_build(const char* name);

}  // namespace samebits::exact
