// Operations that one pass over their operands computes, which were several kernels one after the other.
// Apart from kernels.hpp, so that a new one does not rebuild all that there is.
#pragma once

#include <cstdint>

#include "exact/class_loss.hpp"
#include "exact/kernels.hpp"

namespace samebits::exact {

// out[b] = the sum of rows index[k] of the table for k from begins[b] to begins[b + 1] - 1 (the last bag ends with
// the indices), each times weights[k] where there are any; divided by their number for a mean. Bags of at most
// 4096 rows.
template <class T>
struct Bags {
  const T* table;
  long rows, columns;
  const int64_t* index;
  long n;
  const int64_t* begins;
  long bags;
  const T* weights;  // or null
  bool mean;
  T* out;
};

// y = ((x - mean) * rstd) * weight + bias, by channel: [outer, channels, inner].
template <class T>
struct Channels {
  const T* x;
  T* y;
  const T* mean;
  const T* rstd;
  const T* weight;  // or null
  const T* bias;    // or null
  long outer, channels, inner;
};

// The sums of grad * ((x - mean) * rstd) and of grad for each channel of [outer, channels, inner]. The
// statistics of (o, c) are number o * mean_outer + c / mean_channels.
template <class T>
struct NormFactors {
  const T* grad;
  const T* x;
  const T* mean;
  const T* rstd;
  T* weight;  // or null
  T* bias;    // or null
  long outer, channels, inner;
  long mean_outer, mean_channels;
};

// out[i, j] = the norm of order 2 of x[i] - y[j]; rows of at most 4096 values.
template <class T>
struct Distances {
  const T* x;
  const T* y;
  T* out;
  long batches, n, m, columns;
};

struct Passes {
  Placed (*class_loss_f32)(const ClassLoss<float>&);
  Placed (*class_loss_f64)(const ClassLoss<double>&);
  Placed (*class_loss_backward_f32)(const ClassLossBackward<float>&);
  Placed (*class_loss_backward_f64)(const ClassLossBackward<double>&);
  Placed (*bags_f32)(const Bags<float>&, int threads);
  Placed (*bags_f64)(const Bags<double>&, int threads);
  void (*channels_f32)(const Channels<float>&, int threads);
  void (*channels_f64)(const Channels<double>&, int threads);
  bool (*norm_factors_f32)(const NormFactors<float>&, int threads);
  bool (*norm_factors_f64)(const NormFactors<double>&, int threads);
  bool (*distances_f32)(const Distances<float>&, int threads);
  bool (*distances_f64)(const Distances<double>&, int threads);
};

}  // namespace samebits::exact
