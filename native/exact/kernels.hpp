// What every build of the kernels provides. Plain types only: included by the builds themselves
// and by those who call them.
#pragma once

#include <cstdint>

#include "exact/convolution.hpp"
#include "exact/fourier.hpp"
#include "exact/linear_algebra.hpp"

namespace samebits::exact {

// Terms of a product chain that are accumulated by fma, and blocks whose sums are added in order
// before that sum joins the total (docs/arithmetic.md, "Products").
constexpr long kChain = 256;
constexpr long kGroup = 16;

// Lanes of a sum, and values a block of it (docs/arithmetic.md, "Sums").
constexpr long kLanes = 64;
constexpr long kBlock = 4096;

// A matrix in memory: element (i, j) is data[i * rows + j * columns]; strides count elements.
template <class T>
struct Matrix {
  T* data;
  long rows;
  long columns;
};

// out = beta * add + alpha * (a times b); out has unit column stride.
template <class T>
struct Product {
  long m, n, k;
  Matrix<const T> a;
  Matrix<const T> b;
  Matrix<T> out;
  Matrix<const T> add;  // data is null when there is nothing to add
  T alpha;
  T beta;
};

// Several products of one shape: strides between them count elements.
template <class T>
struct Products {
  Product<T> first;
  long count;
  long a_step, b_step, out_step, add_step;
};

// One operation over n contiguous values: out[i] from in[0][i], in[1][i] …
using ElementwiseLoop = void (*)(long n, void* out, const void* const* in, const double* scalars);

// What is summed of a value x (and y beside it).
enum class Summand : int { kValue = 0, kSquare = 1, kMagnitude = 2, kProduct = 3 };

// Sums of sequences: output (a, b) is the sum over `pieces` runs of `length` values next to each
// other, `piece_step` apart, beginning at a * outer_step + b * inner_step.
template <class T>
struct RowSums {
  const T* x;
  const T* y;
  T* out;
  long outer, outer_step, inner, inner_step;
  long pieces, piece_step, length;
  Summand summand;
};

// Sums down the columns of matrices, `row_step` apart from row to row.
template <class T>
struct ColumnSums {
  const T* x;
  T* out;
  long batches, batch_step, rows, row_step, columns;
  Summand summand;
};

// What a scan keeps: the sum so far, the product, or the logarithm of the sum of exponentials.
enum class ScanKind : int { kSum = 0, kProduct = 1, kLogSumExp = 2 };

// Scans along the middle axis of [outer, n, inner], both row-major; the last kind in binary32 alone.
template <class T>
struct Scan {
  const T* x;
  T* out;
  long outer, n, inner;
  ScanKind kind;
};

// Products over the middle axis of [outer, n, inner], row-major, in binary64.
template <class T>
struct Multiplied {
  const T* x;
  T* out;  // [outer, inner]
  long outer, n, inner;
};

// target[index[i]] gets rows[i], rows of `columns` values: each place the sum of what it gets, in the order
// of i. Rows for the place
// `skipped`, which may be none, are left out.
template <class T>
struct AddRows {
  T* target;
  long count;
  const int64_t* index;
  const T* rows;
  long row_step;
  long n;
  long columns;
  int64_t skipped;
};

// The same for single values, in planes: place index[i] * inner + i % inner of plane p gets values[i]. With
// `shared`, one plane of indices is that of all (`inner` is 1 then); `fresh` targets begin with +0.
template <class T>
struct AddPlanes {
  T* target;
  long planes;
  long size;
  const int64_t* index;
  const T* values;
  long n;
  long inner;
  int64_t skipped;  // for shared indices
  bool shared;
  bool fresh;
};

// out[o, j, i] = the sum over k from begins[j] to begins[j + 1] - 1 of weights[k] times
// x[o, sources[k], i]; x [outer, n, inner] and out [outer, m, inner].
template <class T>
struct Weighted {
  const T* x;
  T* out;
  long outer, n, m, inner;
  const int64_t* begins;
  const int64_t* sources;
  const T* weights;
};

// out[p, i, j] = the sum over rows tops[i] to bottoms[i] - 1 and columns lefts[j] to rights[j] - 1 of plane
// p, what lies beyond it counted as +0, divided by divisors[i, j] where there are any. At most 4096 values.
template <class T>
struct Boxes {
  const T* x;
  T* out;
  long planes, height, width, rows, columns;
  const int64_t *tops, *bottoms, *lefts, *rights;
  const T* divisors;
};

enum class Placed { kDone, kOutOfRange, kNoMemory };

// Rows of n values, all next to each other.
struct Rows {
  long count;
  long n;
};

// A normalisation: `groups` of values are brought to mean 0 and variance 1. Group (a, b) has
// `pieces` runs of `length` values `piece_step` apart, beginning at a * outer_step + b * inner_step.
// Weight and bias (or null) go with a value by the channel it is in.
template <class T>
struct Norm {
  const T* x;
  T* y;
  T* mean;
  T* rstd;      // or null
  T* variance;  // or null: sum of squared deviations divided by their freedom, the count unless corrected
  const T* weight;
  const T* bias;
  long outer, outer_step, inner, inner_step;
  long pieces, piece_step, length;
  // Channel of the value at place i of piece p of group (a, b):
  // b * inner_channel + p * piece_channel + i / channel_length.
  long inner_channel, piece_channel, channel_length;
  T eps;
  T freedom;
};

template <class T>
struct NormBackward {
  const T* grad;
  const T* x;
  const T* mean;
  const T* rstd;
  const T* weight;
  T* grad_x;
  long outer, outer_step, inner, inner_step;
  long pieces, piece_step, length;
  long inner_channel, piece_channel, channel_length;
};

// One step of Adam over n values. The numbers are those that the optimizer would hand to the
// operations that it calls, rounded to T.
template <class T>
struct AdamStep {
  long n;
  T* parameter;
  const T* gradient;
  T* average;  // of gradients
  T* square;   // average of their squares
  bool shrinks, decays;
  T shrinking;  // parameter × this first, where it shrinks
  T decay;      // gradient + this × parameter, where it decays
  T average_weight;
  T square_kept, square_weight;
  T correction;  // what the root of the squares is divided by
  T eps;
  T rate;  // the step's size, negative
};

struct Kernels {
  const char* name;
  bool (*products_f32)(const Products<float>&, int threads);
  bool (*products_f64)(const Products<double>&, int threads);
  // The loop of an operation (operations.hpp); null where this type has none.
  ElementwiseLoop (*elementwise_f32)(int operation);
  ElementwiseLoop (*elementwise_f64)(int operation);
  bool (*sum_rows_f32)(const RowSums<float>&, int threads);
  bool (*sum_rows_f64)(const RowSums<double>&, int threads);
  bool (*sum_columns_f32)(const ColumnSums<float>&, int threads);
  bool (*sum_columns_f64)(const ColumnSums<double>&, int threads);
  void (*scan_f32)(const Scan<float>&, int threads);
  void (*scan_f64)(const Scan<double>&, int threads);
  bool (*multiplied_f32)(const Multiplied<float>&, int threads);
  bool (*multiplied_f64)(const Multiplied<double>&, int threads);
  Placed (*add_rows_f32)(const AddRows<float>&, int threads);
  Placed (*add_rows_f64)(const AddRows<double>&, int threads);
  Placed (*add_planes_f32)(const AddPlanes<float>&, int threads);
  Placed (*add_planes_f64)(const AddPlanes<double>&, int threads);
  void (*weighted_f32)(const Weighted<float>&, int threads);
  void (*weighted_f64)(const Weighted<double>&, int threads);
  void (*boxes_f32)(const Boxes<float>&, int threads);
  void (*boxes_f64)(const Boxes<double>&, int threads);
  void (*softmax)(Rows, const float* x, float* y, int threads);
  void (*log_softmax)(Rows, const float* x, float* y, int threads);
  void (*softmax_backward)(Rows, const float* grad, const float* y, float* out, int threads);
  void (*log_softmax_backward)(Rows, const float* grad, const float* y, float* out, int threads);
  bool (*norm_f32)(const Norm<float>&, int threads);
  bool (*norm_f64)(const Norm<double>&, int threads);
  bool (*norm_backward_f32)(const NormBackward<float>&, int threads);
  bool (*norm_backward_f64)(const NormBackward<double>&, int threads);
  bool (*convolution_f32)(const Convolution&, const ConvolutionTensors<float>&, int threads);
  bool (*convolution_f64)(const Convolution&, const ConvolutionTensors<double>&, int threads);
  bool (*convolution_input_f32)(const Convolution&, const ConvolutionTensors<float>&, int threads);
  bool (*convolution_input_f64)(const Convolution&, const ConvolutionTensors<double>&, int threads);
  bool (*convolution_weight_f32)(const Convolution&, const ConvolutionTensors<float>&, int threads);
  bool (*convolution_weight_f64)(const Convolution&, const ConvolutionTensors<double>&, int threads);
  void (*adam_f32)(const AdamStep<float>&, int threads);
  void (*adam_f64)(const AdamStep<double>&, int threads);
  void (*random_words)(uint64_t key, long n, uint32_t* out, int threads);
  void (*random_uniform)(uint64_t key, long n, float* out, float from, float to, int threads);
  void (*random_bernoulli)(uint64_t key, long n, float* out, uint64_t threshold, int threads);
  void (*random_exponential)(uint64_t key, long n, float* out, float rate, int threads);
  void (*random_normal)(uint64_t key, long n, float* out, float mean, float deviation, int threads);
  LinearAlgebra linear_algebra;
  bool (*fourier_f32)(const Fourier<float>&, int threads);
  bool (*fourier_f64)(const Fourier<double>&, int threads);
};

}  // namespace samebits::exact
