// The steps of an LSTM in one call each way, as Python calls them.
#include <vector>

#include "exact/passes.hpp"
#include "python/exact/arguments.hpp"
#include "python/exact/kernel_calls.hpp"

namespace samebits::python::exact_arithmetic {
namespace {

// [rows, hidden] at each step, or nothing there; copies of those whose values do not lie next to each other.
template <class T>
class Steps {
 public:
  Steps(const nb::list& tensors, DType dtype, int64_t steps, int64_t rows, int64_t hidden) {
    if (static_cast<int64_t>(tensors.size()) != steps) refuse("a state for each step");
    for (nb::handle tensor : tensors) {
      if (tensor.is_none()) {
        pointers_.push_back(nullptr);
        continue;
      }
      const View view = need(tensor, "a state");
      if (view.dtype != dtype || view.ndim != 2 || view.shape[0] != rows || view.shape[1] != hidden) refuse("a state");
      pointers_.push_back(view.contiguous() ? static_cast<const T*>(view.data) : copied(view));
    }
  }
  const T* const* get() const { return pointers_.data(); }
  const T* last() const { return pointers_.back(); }

 private:
  const T* copied(const View& view) {
    std::vector<T> own(static_cast<size_t>(view.numel()));
    const T* from = static_cast<const T*>(view.data);
    for (int64_t i = 0; i < view.shape[0]; ++i) {
      for (int64_t j = 0; j < view.shape[1]; ++j) {
        own[static_cast<size_t>(i * view.shape[1] + j)] = from[i * view.strides[0] + j * view.strides[1]];
      }
    }
    copies_.push_back(std::move(own));
    return copies_.back().data();
  }

  std::vector<const T*> pointers_;
  std::vector<std::vector<T>> copies_;
};

template <class T>
T* of_size(nb::handle tensor, DType dtype, int64_t numel, const char* what) {
  T* data = data_or_null<T>(tensor, dtype, numel, what);
  if (data == nullptr) refuse(what);
  return data;
}

double work_of(int64_t steps, int64_t rows, int64_t hidden) {
  return static_cast<double>(steps) * static_cast<double>(rows) * static_cast<double>(hidden) * static_cast<double>(hidden);
}

void lstm_steps(nb::handle hy, nb::handle cy, nb::handle gates, nb::handle kept, nb::handle x, nb::handle weight,
                nb::handle bias, nb::handle h, nb::handle c, bool keeps) {
  const View out = need(hy, "hy");
  if (out.ndim != 3 || !out.contiguous() || out.numel() == 0) refuse("hy");
  const int64_t steps = out.shape[0], rows = out.shape[1], hidden = out.shape[2];
  const int64_t state = rows * hidden, places = keeps ? steps : 1;
  by_type(out.dtype, [&](auto kind) {
    using T = decltype(kind);
    const exact::LstmSteps<T> p{steps,
                                rows,
                                hidden,
                                of_size<T>(x, out.dtype, steps * state * 4, "x"),
                                of_size<T>(weight, out.dtype, hidden * hidden * 4, "weight"),
                                data_or_null<T>(bias, out.dtype, hidden * 4, "bias"),
                                of_size<T>(h, out.dtype, state, "h"),
                                of_size<T>(c, out.dtype, state, "c"),
                                static_cast<T*>(out.data),
                                of_size<T>(cy, out.dtype, places * state, "cy"),
                                of_size<T>(gates, out.dtype, places * state * 4, "gates"),
                                of_size<T>(kept, out.dtype, places * state * 5, "kept"),
                                keeps};
    bool done = false;
    work(work_of(steps, rows, hidden), [&](int threads) {
      if constexpr (sizeof(T) == 4) done = exact::passes().lstm_steps_f32(p, threads);
      else done = exact::passes().lstm_steps_f64(p, threads);
    });
    if (!done) no_memory();
  });
}

void lstm_steps_backward(nb::handle gates, nb::handle weights, nb::handle biases, nb::handle grad_h, nb::handle grad_c,
                         const nb::list& grad_hy, const nb::list& grad_cy, nb::handle weight, const nb::list& h,
                         const nb::list& c, nb::handle kept) {
  const View out = need(gates, "gates");
  if (out.ndim != 3 || !out.contiguous() || out.numel() == 0 || out.shape[2] % 4 != 0) refuse("gates");
  const int64_t steps = out.shape[0], rows = out.shape[1], hidden = out.shape[2] / 4;
  const int64_t state = rows * hidden, all_weights = hidden * hidden * 4;
  by_type(out.dtype, [&](auto kind) {
    using T = decltype(kind);
    const Steps<T> of_h(grad_hy, out.dtype, steps, rows, hidden), of_c(grad_cy, out.dtype, steps, rows, hidden);
    const Steps<T> before_h(h, out.dtype, steps, rows, hidden), before_c(c, out.dtype, steps, rows, hidden);
    if (of_h.last() == nullptr && of_c.last() == nullptr) refuse("gradients");
    for (int64_t t = 0; t < steps; ++t) {
      if (before_h.get()[t] == nullptr || before_c.get()[t] == nullptr) refuse("states");
    }
    const exact::LstmStepsBackward<T> p{steps,
                                        rows,
                                        hidden,
                                        of_h.get(),
                                        of_c.get(),
                                        of_size<T>(weight, out.dtype, all_weights, "weight"),
                                        before_h.get(),
                                        before_c.get(),
                                        of_size<T>(kept, out.dtype, steps * state * 5, "kept"),
                                        static_cast<T*>(out.data),
                                        data_or_null<T>(weights, out.dtype, steps * all_weights, "weights"),
                                        data_or_null<T>(biases, out.dtype, steps * hidden * 4, "biases"),
                                        data_or_null<T>(grad_h, out.dtype, state, "grad_h"),
                                        of_size<T>(grad_c, out.dtype, state, "grad_c")};
    bool done = false;
    work(work_of(steps, rows, hidden), [&](int threads) {
      if constexpr (sizeof(T) == 4) done = exact::passes().lstm_steps_backward_f32(p, threads);
      else done = exact::passes().lstm_steps_backward_f64(p, threads);
    });
    if (!done) no_memory();
  });
}

}  // namespace

void add_lstm_calls(nb::module_& module) {
  module.def("lstm_steps", lstm_steps, nb::arg("hy"), nb::arg("cy"), nb::arg("gates"), nb::arg("kept"), nb::arg("x"),
             nb::arg("weight"), nb::arg("bias").none(), nb::arg("h"), nb::arg("c"), nb::arg("keeps"),
             "Steps of an LSTM; [steps, rows, hidden], of cy, gates and kept one step's unless it keeps them.");
  module.def("lstm_steps_backward", lstm_steps_backward, nb::arg("gates"), nb::arg("weights").none(),
             nb::arg("biases").none(), nb::arg("grad_h").none(), nb::arg("grad_c"), nb::arg("grad_hy"),
             nb::arg("grad_cy"), nb::arg("weight"), nb::arg("h"), nb::arg("c"), nb::arg("kept"),
             "Their derivative; of weights and biases the slopes of each step.");
}

}  // namespace samebits::python::exact_arithmetic
