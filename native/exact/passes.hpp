// Operations that one pass over their operands computes, which were several kernels one after the other.
// Apart from kernels.hpp, so that a new one does not rebuild all that there is.
#pragma once

#include <cstdint>

#include "exact/class_loss.hpp"
#include "exact/grid_sample.hpp"
#include "exact/kernels.hpp"
#include "exact/lstm_steps.hpp"

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
  int64_t* bag;    // [n]: the bag of each index
  int64_t* sizes;  // [bags]
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

// One step of an LSTM, of a batch: gates i, f, u, o next to each other in rows of 4 * hidden.
template <class T>
struct LstmStep {
  const T* x;  // W_ih x + b_ih
  const T* h;  // W_hh h + b_hh
  const T* c;
  T* hy;
  T* cy;
  T* kept;  // [rows, 5 * hidden]: the gates, and tanh of cy
  long rows, hidden;
};

template <class T>
struct LstmStepBackward {
  const T* grad_hy;  // or null: nothing comes
  const T* grad_cy;  // or null
  const T* c;
  const T* kept;
  T* grad_gates;  // [rows, 4 * hidden]
  T* grad_c;
  long rows, hidden;
};

// One step of a GRU: gates r, z, n next to each other in rows of 3 * hidden.
template <class T>
struct GruStep {
  const T* x;
  const T* h;
  const T* state;
  T* hy;
  T* kept;  // [rows, 5 * hidden]: r, z, n, the part of h for n, and state - n
  long rows, hidden;
};

template <class T>
struct GruStepBackward {
  const T* grad;
  const T* kept;
  T* grad_x;      // [rows, 3 * hidden]
  T* grad_h;      // [rows, 3 * hidden]
  T* grad_state;  // [rows, hidden]
  long rows, hidden;
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
  void (*lstm_step_f32)(const LstmStep<float>&, int threads);
  void (*lstm_step_f64)(const LstmStep<double>&, int threads);
  void (*lstm_step_backward_f32)(const LstmStepBackward<float>&, int threads);
  void (*lstm_step_backward_f64)(const LstmStepBackward<double>&, int threads);
  bool (*lstm_steps_f32)(const LstmSteps<float>&, int threads);
  bool (*lstm_steps_f64)(const LstmSteps<double>&, int threads);
  bool (*lstm_steps_backward_f32)(const LstmStepsBackward<float>&, int threads);
  bool (*lstm_steps_backward_f64)(const LstmStepsBackward<double>&, int threads);
  bool (*lstm_slopes_f32)(const LstmSlopes<float>&, int threads);
  bool (*lstm_slopes_f64)(const LstmSlopes<double>&, int threads);
  void (*gru_step_f32)(const GruStep<float>&, int threads);
  void (*gru_step_f64)(const GruStep<double>&, int threads);
  void (*gru_step_backward_f32)(const GruStepBackward<float>&, int threads);
  void (*gru_step_backward_f64)(const GruStepBackward<double>&, int threads);
  bool (*grid_sample_f32)(const GridSample<float>&, int threads);
  bool (*grid_sample_f64)(const GridSample<double>&, int threads);
  bool (*grid_sample_backward_f32)(const GridSampleBackward<float>&, int threads);
  bool (*grid_sample_backward_f64)(const GridSampleBackward<double>&, int threads);
  // out[i] = x[i], truncated; false where one does not fit
  bool (*whole_numbers)(const float* x, long n, int64_t* out, int threads);
};

}  // namespace samebits::exact
