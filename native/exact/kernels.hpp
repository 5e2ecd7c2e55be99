// What every build of the kernels provides. Plain types only: included by the builds themselves
// and by those who call them.
#pragma once

#include <cstdint>

namespace samebits::exact {

// Terms of a product chain that are accumulated by fma, and blocks whose sums are added in order
// before that sum joins the total (docs/arithmetic.md, "Products").
constexpr long kChain = 256;
constexpr long kGroup = 16;

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

struct Kernels {
  const char* name;
  bool (*products_f32)(const Products<float>&, int threads);
  bool (*products_f64)(const Products<double>&, int threads);
  // The loop of an operation (operations.hpp); null where this type has none.
  ElementwiseLoop (*elementwise_f32)(int operation);
  ElementwiseLoop (*elementwise_f64)(int operation);
};

}  // namespace samebits::exact
