// The table of one build.
#include "exact/kernels/builds.hpp"

#define SAMEBITS_TEXT_OF(x) #x
#define SAMEBITS_TEXT(x) SAMEBITS_TEXT_OF(x)

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

extern const Kernels kernels;
const Kernels kernels = {
    SAMEBITS_TEXT(SAMEBITS_EXACT_BUILD),
    products_f32,
    products_f64,
    elementwise_f32,
    elementwise_f64,
};

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
