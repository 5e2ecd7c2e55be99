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
    sum_rows_f32,
    sum_rows_f64,
    sum_columns_f32,
    sum_columns_f64,
    scan_f32,
    scan_f64,
    multiplied_f32,
    multiplied_f64,
    add_rows_f32,
    add_rows_f64,
    add_planes_f32,
    add_planes_f64,
    weighted_f32,
    weighted_f64,
    boxes_f32,
    boxes_f64,
    softmax,
    log_softmax,
    softmax_backward,
    log_softmax_backward,
    norm_f32,
    norm_f64,
    norm_backward_f32,
    norm_backward_f64,
    convolution_f32,
    convolution_f64,
    convolution_input_f32,
    convolution_input_f64,
    convolution_weight_f32,
    convolution_weight_f64,
    adam_f32,
    adam_f64,
    random_words,
    random_uniform,
    random_bernoulli,
    random_exponential,
    random_normal,
    {qr, reflect, lu, cholesky, substitute, tridiagonal, ql, jacobi},
    fourier_f32,
    fourier_f64,
};

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
