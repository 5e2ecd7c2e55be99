// The kernels over whole tensors, as Python calls them.
#pragma once

#include <nanobind/nanobind.h>

namespace samebits::python::exact_arithmetic {

void add_convolution_calls(nanobind::module_& module);
void add_fourier_calls(nanobind::module_& module);
void add_linear_algebra_calls(nanobind::module_& module);
void add_loss_calls(nanobind::module_& module);
void add_norm_calls(nanobind::module_& module);
void add_optimizer_calls(nanobind::module_& module);
void add_pass_calls(nanobind::module_& module);
void add_placing_calls(nanobind::module_& module);
void add_product_calls(nanobind::module_& module);
void add_program_calls(nanobind::module_& module);
void add_random_calls(nanobind::module_& module);
void add_lstm_calls(nanobind::module_& module);
void add_recurrent_calls(nanobind::module_& module);
void add_reduction_calls(nanobind::module_& module);
void add_sampling_calls(nanobind::module_& module);
void add_scan_calls(nanobind::module_& module);
void add_window_calls(nanobind::module_& module);

}  // namespace samebits::python::exact_arithmetic
