// The kernels of one build, by name; the build's table collects them.
#pragma once

#include <cstddef>

#include "exact/kernels.hpp"

namespace samebits::exact {

// Memory of this thread, kept between calls, without contents; null when there is none to have.
void* scratch(size_t bytes);
// Memory that several threads write to, for the length of one call.
void* shared_scratch(size_t bytes);
void free_shared_scratch(void* memory);

#ifdef SAMEBITS_EXACT_BUILD
namespace SAMEBITS_EXACT_BUILD {

bool products_f32(const Products<float>&, int threads);
bool products_f64(const Products<double>&, int threads);
ElementwiseLoop elementwise_f32(int operation);
ElementwiseLoop elementwise_f64(int operation);
bool sum_rows_f32(const RowSums<float>&, int threads);
bool sum_rows_f64(const RowSums<double>&, int threads);
bool sum_columns_f32(const ColumnSums<float>&, int threads);
bool sum_columns_f64(const ColumnSums<double>&, int threads);
void scan_f32(const Scan<float>&, int threads);
void scan_f64(const Scan<double>&, int threads);
bool multiplied_f32(const Multiplied<float>&, int threads);
bool multiplied_f64(const Multiplied<double>&, int threads);
Placed add_rows_f32(const AddRows<float>&, int threads);
Placed add_rows_f64(const AddRows<double>&, int threads);
Placed add_planes_f32(const AddPlanes<float>&, int threads);
Placed add_planes_f64(const AddPlanes<double>&, int threads);
void weighted_f32(const Weighted<float>&, int threads);
void weighted_f64(const Weighted<double>&, int threads);
void boxes_f32(const Boxes<float>&, int threads);
void boxes_f64(const Boxes<double>&, int threads);
void softmax(Rows, const float* x, float* y, int threads);
void log_softmax(Rows, const float* x, float* y, int threads);
void softmax_backward(Rows, const float* grad, const float* y, float* out, int threads);
void log_softmax_backward(Rows, const float* grad, const float* y, float* out, int threads);
bool norm_f32(const Norm<float>&, int threads);
bool norm_f64(const Norm<double>&, int threads);
bool norm_backward_f32(const NormBackward<float>&, int threads);
bool norm_backward_f64(const NormBackward<double>&, int threads);
bool convolution_f32(const Convolution&, const ConvolutionTensors<float>&, int threads);
bool convolution_f64(const Convolution&, const ConvolutionTensors<double>&, int threads);
bool convolution_input_f32(const Convolution&, const ConvolutionTensors<float>&, int threads);
bool convolution_input_f64(const Convolution&, const ConvolutionTensors<double>&, int threads);
bool convolution_weight_f32(const Convolution&, const ConvolutionTensors<float>&, int threads);
bool convolution_weight_f64(const Convolution&, const ConvolutionTensors<double>&, int threads);
void adam_f32(const AdamStep<float>&, int threads);
void adam_f64(const AdamStep<double>&, int threads);
void random_words(uint64_t key, long n, uint32_t* out, int threads);
void random_uniform(uint64_t key, long n, float* out, float from, float to, int threads);
void random_bernoulli(uint64_t key, long n, float* out, uint64_t threshold, int threads);
void random_exponential(uint64_t key, long n, float* out, float rate, int threads);
void random_normal(uint64_t key, long n, float* out, float mean, float deviation, int threads);
bool fourier_f32(const Fourier<float>&, int threads);
bool fourier_f64(const Fourier<double>&, int threads);
bool qr(Matrices a, double* taus, int threads);
bool reflect(Matrices vectors, const double* taus, long factors, Matrices c, Reflections how, int threads);
bool lu(Matrices a, int32_t* pivots, int32_t* info, int threads);
bool cholesky(Matrices a, int32_t* info, int threads);
bool substitute(Matrices triangle, Matrices b, bool upper, bool unit, int threads);
bool tridiagonal(Matrices a, double* diagonal, double* beside, double* taus, int threads);
bool ql(double* diagonal, double* beside, long count, long n, double* vectors, int32_t* info, int threads);
bool jacobi(Matrices x, double* turns, double* values, int32_t* info, int threads);

}  // namespace SAMEBITS_EXACT_BUILD
#endif
}  // namespace samebits::exact
