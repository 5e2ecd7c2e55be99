// The passes of one build.
#include "exact/kernels/passes.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

extern const Passes passes;
const Passes passes = {
    class_loss_f32,  class_loss_f64,  class_loss_backward_f32, class_loss_backward_f64,
    bags_f32,        bags_f64,        channels_f32,            channels_f64,
    norm_factors_f32, norm_factors_f64, distances_f32,         distances_f64,
    lstm_step_f32, lstm_step_f64,
    lstm_step_backward_f32, lstm_step_backward_f64,
    lstm_steps_f32, lstm_steps_f64,
    lstm_steps_backward_f32, lstm_steps_backward_f64,
    lstm_slopes_f32, lstm_slopes_f64,
    gru_step_f32, gru_step_f64,
    gru_step_backward_f32, gru_step_backward_f64,
    grid_sample_f32, grid_sample_f64,
    grid_sample_backward_f32, grid_sample_backward_f64,
    whole_numbers,
};

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
