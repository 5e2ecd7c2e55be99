// Steps of recurrent layers, as Python calls them.
#include "exact/passes.hpp"
#include "python/exact/arguments.hpp"
#include "python/exact/kernel_calls.hpp"

namespace samebits::python::exact_arithmetic {
namespace {

// [rows, hidden], which says how large all the others are.
View state_of(nb::handle tensor) {
  const View view = need(tensor, "state");
  if (view.ndim != 2 || !view.contiguous()) refuse("state");
  if (view.dtype != DType::kFloat32 && view.dtype != DType::kFloat64) refuse("float32 and float64");
  return view;
}

template <class T>
T* given(nb::handle tensor, const View& state, int64_t widths, const char* what) {
  T* data = data_or_null<T>(tensor, state.dtype, state.numel() * widths, what);
  if (data == nullptr) refuse(what);
  return data;
}

template <class Run>
void by_type(const View& state, Run run) {
  if (state.dtype == DType::kFloat32) run(float{});
  else run(double{});
}

double work_of(const View& state, int widths) { return static_cast<double>(state.numel()) * widths; }

void lstm_step(nb::handle hy, nb::handle cy, nb::handle kept, nb::handle x, nb::handle h, nb::handle c) {
  const View state = state_of(c);
  by_type(state, [&](auto kind) {
    using T = decltype(kind);
    const exact::LstmStep<T> p{given<T>(x, state, 4, "x"),   given<T>(h, state, 4, "h"),
                               given<T>(c, state, 1, "c"),   given<T>(hy, state, 1, "hy"),
                               given<T>(cy, state, 1, "cy"), given<T>(kept, state, 5, "kept"),
                               state.shape[0],               state.shape[1]};
    work(work_of(state, 8), [&](int threads) {
      if constexpr (sizeof(T) == 4) exact::passes().lstm_step_f32(p, threads);
      else exact::passes().lstm_step_f64(p, threads);
    });
  });
}

void lstm_step_backward(nb::handle grad_gates, nb::handle grad_c, nb::handle grad_hy, nb::handle grad_cy, nb::handle c,
                        nb::handle kept) {
  const View state = state_of(c);
  if (grad_hy.is_none() && grad_cy.is_none()) refuse("gradients");
  by_type(state, [&](auto kind) {
    using T = decltype(kind);
    const exact::LstmStepBackward<T> p{data_or_null<T>(grad_hy, state.dtype, state.numel(), "grad_hy"),
                                       data_or_null<T>(grad_cy, state.dtype, state.numel(), "grad_cy"),
                                       given<T>(c, state, 1, "c"),
                                       given<T>(kept, state, 5, "kept"),
                                       given<T>(grad_gates, state, 4, "grad_gates"),
                                       given<T>(grad_c, state, 1, "grad_c"),
                                       state.shape[0],
                                       state.shape[1]};
    work(work_of(state, 4), [&](int threads) {
      if constexpr (sizeof(T) == 4) exact::passes().lstm_step_backward_f32(p, threads);
      else exact::passes().lstm_step_backward_f64(p, threads);
    });
  });
}

void gru_step(nb::handle hy, nb::handle kept, nb::handle x, nb::handle h, nb::handle state_tensor) {
  const View state = state_of(state_tensor);
  by_type(state, [&](auto kind) {
    using T = decltype(kind);
    const exact::GruStep<T> p{given<T>(x, state, 3, "x"),       given<T>(h, state, 3, "h"),
                              given<T>(state_tensor, state, 1, "state"), given<T>(hy, state, 1, "hy"),
                              given<T>(kept, state, 5, "kept"), state.shape[0],
                              state.shape[1]};
    work(work_of(state, 6), [&](int threads) {
      if constexpr (sizeof(T) == 4) exact::passes().gru_step_f32(p, threads);
      else exact::passes().gru_step_f64(p, threads);
    });
  });
}

void gru_step_backward(nb::handle grad_x, nb::handle grad_h, nb::handle grad_state, nb::handle grad, nb::handle kept) {
  const View state = state_of(grad);
  by_type(state, [&](auto kind) {
    using T = decltype(kind);
    const exact::GruStepBackward<T> p{given<T>(grad, state, 1, "grad"),     given<T>(kept, state, 5, "kept"),
                                      given<T>(grad_x, state, 3, "grad_x"), given<T>(grad_h, state, 3, "grad_h"),
                                      given<T>(grad_state, state, 1, "grad_state"), state.shape[0],
                                      state.shape[1]};
    work(work_of(state, 4), [&](int threads) {
      if constexpr (sizeof(T) == 4) exact::passes().gru_step_backward_f32(p, threads);
      else exact::passes().gru_step_backward_f64(p, threads);
    });
  });
}

}  // namespace

void add_recurrent_calls(nb::module_& module) {
  module.def("lstm_step", lstm_step, nb::arg("hy"), nb::arg("cy"), nb::arg("kept"), nb::arg("x"), nb::arg("h"),
             nb::arg("c"), "One step of an LSTM; [rows, hidden], x and h [rows, 4 hidden], kept [rows, 5 hidden].");
  module.def("lstm_step_backward", lstm_step_backward, nb::arg("grad_gates"), nb::arg("grad_c"),
             nb::arg("grad_hy").none(), nb::arg("grad_cy").none(), nb::arg("c"), nb::arg("kept"), "Its derivative.");
  module.def("gru_step", gru_step, nb::arg("hy"), nb::arg("kept"), nb::arg("x"), nb::arg("h"), nb::arg("state"),
             "One step of a GRU; [rows, hidden], x and h [rows, 3 hidden], kept [rows, 5 hidden].");
  module.def("gru_step_backward", gru_step_backward, nb::arg("grad_x"), nb::arg("grad_h"), nb::arg("grad_state"),
             nb::arg("grad"), nb::arg("kept"), "Its derivative.");
}

}  // namespace samebits::python::exact_arithmetic
