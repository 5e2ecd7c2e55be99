// The steps of an LSTM in one call each way, as Python calls them.
#include <vector>

#include "exact/passes.hpp"
#include "python/exact/arguments.hpp"
#include "python/exact/kernel_calls.hpp"

namespace samebits::python::exact_arithmetic {
namespace {

// Values next to each other: those of a tensor, or a copy of them.
template <class T>
class Contiguous {
 public:
  Contiguous(nb::handle tensor, DType dtype, int64_t steps, int64_t rows, int64_t hidden) {
    if (tensor.is_none()) return;
    const View view = need(tensor, "a slope");
    if (view.dtype != dtype || view.ndim != 3 || view.shape[0] != steps || view.shape[1] != rows || view.shape[2] != hidden) {
      refuse("a slope");
    }
    data_ = static_cast<const T*>(view.data);
    if (view.contiguous()) return;
    copy_.resize(static_cast<size_t>(view.numel()));
    T* to = copy_.data();
    for (int64_t t = 0; t < steps; ++t) {
      for (int64_t i = 0; i < rows; ++i) {
        const T* from = data_ + t * view.strides[0] + i * view.strides[1];
        for (int64_t j = 0; j < hidden; ++j) *to++ = from[j * view.strides[2]];
      }
    }
    data_ = copy_.data();
  }
  const T* get() const { return data_; }

 private:
  const T* data_ = nullptr;
  std::vector<T> copy_;
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

// [steps, rows, 4 hidden]
View slopes_of_gates(nb::handle gates) {
  const View view = need(gates, "gates");
  if (view.ndim != 3 || !view.contiguous() || view.numel() == 0 || view.shape[2] % 4 != 0) refuse("gates");
  return view;
}

void lstm_steps_backward(nb::handle gates, nb::handle grad_h, nb::handle grad_c, nb::handle of_hy, nb::handle of_h,
                         nb::handle of_c, nb::handle weight, nb::handle c, nb::handle cy, nb::handle kept) {
  const View out = slopes_of_gates(gates);
  const int64_t steps = out.shape[0], rows = out.shape[1], hidden = out.shape[2] / 4;
  const int64_t state = rows * hidden;
  if (of_hy.is_none() && of_h.is_none() && of_c.is_none()) refuse("slopes");
  by_type(out.dtype, [&](auto kind) {
    using T = decltype(kind);
    const Contiguous<T> of_outputs(of_hy, out.dtype, steps, rows, hidden);
    const exact::LstmStepsBackward<T> p{steps,
                                        rows,
                                        hidden,
                                        of_outputs.get(),
                                        data_or_null<T>(of_h, out.dtype, state, "of_h"),
                                        data_or_null<T>(of_c, out.dtype, state, "of_c"),
                                        of_size<T>(weight, out.dtype, hidden * hidden * 4, "weight"),
                                        of_size<T>(c, out.dtype, state, "c"),
                                        of_size<T>(cy, out.dtype, steps * state, "cy"),
                                        of_size<T>(kept, out.dtype, steps * state * 5, "kept"),
                                        static_cast<T*>(out.data),
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

// Of the steps from `begin` on; gates and hy are those of all steps. Slopes of weights need h.
void slopes(nb::handle weights, nb::handle biases, nb::handle gates, nb::handle h, nb::handle hy, int64_t begin,
            int64_t count, bool added) {
  const View all = slopes_of_gates(gates);
  const int64_t steps = all.shape[0], rows = all.shape[1], hidden = all.shape[2] / 4;
  const int64_t state = rows * hidden, places = added ? 1 : count;
  if (begin < 0 || count < 1 || count > steps - begin) refuse("steps");
  by_type(all.dtype, [&](auto kind) {
    using T = decltype(kind);
    const T* outputs = of_size<T>(hy, all.dtype, steps * state, "hy");
    const T* first = data_or_null<T>(h, all.dtype, state, "h");
    if (first == nullptr && !weights.is_none()) refuse("h");
    const exact::LstmSlopes<T> p{count,
                                 rows,
                                 hidden,
                                 static_cast<const T*>(all.data) + begin * state * 4,
                                 begin == 0 ? first : outputs + (begin - 1) * state,
                                 outputs + begin * state,
                                 data_or_null<T>(weights, all.dtype, places * hidden * hidden * 4, "weights"),
                                 data_or_null<T>(biases, all.dtype, places * hidden * 4, "biases"),
                                 added};
    bool done = false;
    work(work_of(count, rows, hidden), [&](int threads) {
      if constexpr (sizeof(T) == 4) done = exact::passes().lstm_slopes_f32(p, threads);
      else done = exact::passes().lstm_slopes_f64(p, threads);
    });
    if (!done) no_memory();
  });
}

void lstm_slopes(nb::handle weights, nb::handle biases, nb::handle gates, nb::handle h, nb::handle hy, int64_t begin,
                 int64_t count) {
  slopes(weights, biases, gates, h, hy, begin, count, false);
}

void lstm_slopes_added(nb::handle weight, nb::handle bias, nb::handle gates, nb::handle h, nb::handle hy) {
  slopes(weight, bias, gates, h, hy, 0, slopes_of_gates(gates).shape[0], true);
}

}  // namespace

void add_lstm_calls(nb::module_& module) {
  module.def("lstm_steps", lstm_steps, nb::arg("hy"), nb::arg("cy"), nb::arg("gates"), nb::arg("kept"), nb::arg("x"),
             nb::arg("weight"), nb::arg("bias").none(), nb::arg("h"), nb::arg("c"), nb::arg("keeps"),
             "Steps of an LSTM; [steps, rows, hidden], of cy, gates and kept one step's unless it keeps them.");
  module.def("lstm_steps_backward", lstm_steps_backward, nb::arg("gates"), nb::arg("grad_h").none(), nb::arg("grad_c"),
             nb::arg("of_hy").none(), nb::arg("of_h").none(), nb::arg("of_c").none(), nb::arg("weight"), nb::arg("c"),
             nb::arg("cy"), nb::arg("kept"), "Their derivative, but for what they share.");
  module.def("lstm_slopes", lstm_slopes, nb::arg("weights").none(), nb::arg("biases").none(), nb::arg("gates"),
             nb::arg("h").none(), nb::arg("hy"), nb::arg("begin"), nb::arg("count"),
             "The slopes of weights and biases by each of some steps.");
  module.def("lstm_slopes_added", lstm_slopes_added, nb::arg("weight").none(), nb::arg("bias").none(), nb::arg("gates"),
             nb::arg("h").none(), nb::arg("hy"), "The sums of all, from the last step to the first.");
}

}  // namespace samebits::python::exact_arithmetic
