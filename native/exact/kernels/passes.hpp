// The passes of one build, by name.
#pragma once

#include "exact/passes.hpp"
#include "exact/kernels/builds.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

Placed class_loss_f32(const ClassLoss<float>&);
Placed class_loss_f64(const ClassLoss<double>&);
Placed class_loss_backward_f32(const ClassLossBackward<float>&);
Placed class_loss_backward_f64(const ClassLossBackward<double>&);
Placed bags_f32(const Bags<float>&, int threads);
Placed bags_f64(const Bags<double>&, int threads);
void channels_f32(const Channels<float>&, int threads);
void channels_f64(const Channels<double>&, int threads);
bool norm_factors_f32(const NormFactors<float>&, int threads);
bool norm_factors_f64(const NormFactors<double>&, int threads);
bool distances_f32(const Distances<float>&, int threads);
bool distances_f64(const Distances<double>&, int threads);
void lstm_step_f32(const LstmStep<float>&, int threads);
void lstm_step_f64(const LstmStep<double>&, int threads);
void lstm_step_backward_f32(const LstmStepBackward<float>&, int threads);
void lstm_step_backward_f64(const LstmStepBackward<double>&, int threads);
bool lstm_steps_f32(const LstmSteps<float>&, int threads);
bool lstm_steps_f64(const LstmSteps<double>&, int threads);
bool lstm_steps_backward_f32(const LstmStepsBackward<float>&, int threads);
bool lstm_steps_backward_f64(const LstmStepsBackward<double>&, int threads);
bool lstm_slopes_f32(const LstmSlopes<float>&, int threads);
bool lstm_slopes_f64(const LstmSlopes<double>&, int threads);
void gru_step_f32(const GruStep<float>&, int threads);
void gru_step_f64(const GruStep<double>&, int threads);
void gru_step_backward_f32(const GruStepBackward<float>&, int threads);
void gru_step_backward_f64(const GruStepBackward<double>&, int threads);
bool grid_sample_f32(const GridSample<float>&, int threads);
bool grid_sample_f64(const GridSample<double>&, int threads);
bool grid_sample_backward_f32(const GridSampleBackward<float>&, int threads);
bool grid_sample_backward_f64(const GridSampleBackward<double>&, int threads);
bool whole_numbers(const float* x, long n, int64_t* out, int threads);

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
