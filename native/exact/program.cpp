#include "exact/program.hpp"

#include <cstddef>

#include "exact/builds.hpp"

namespace samebits::exact {
using std::size_t;
namespace {

template <class T>
T* at(const Place& place, char* const* buffers) {
  return place.buffer < 0 ? nullptr : reinterpret_cast<T*>(buffers[place.buffer] + place.byte);
}

template <class T>
Matrix<const T> matrix(const Place& place, char* const* buffers) {
  const int d = place.ndim - 2;
  return {at<const T>(place, buffers), static_cast<long>(place.strides[d]), static_cast<long>(place.strides[d + 1])};
}

// places: result, factors, and what is added, with strides of the result's shape.
template <class T>
bool product(const ProgramStep& step, char* const* buffers, int threads) {
  const Place& out = step.places[0];
  const Place& a = step.places[1];
  const Place& b = step.places[2];
  const Place& add = step.places[3];
  const int d = out.ndim - 2;
  Products<T> p{};
  p.first.m = out.shape[d];
  p.first.n = out.shape[d + 1];
  p.first.k = a.shape[d + 1];
  p.first.a = matrix<T>(a, buffers);
  p.first.b = matrix<T>(b, buffers);
  p.first.out = {at<T>(out, buffers), static_cast<long>(out.strides[d]), 1};
  p.first.alpha = static_cast<T>(step.alpha);
  p.first.beta = static_cast<T>(step.beta);
  p.count = d > 0 ? out.shape[0] : 1;
  if (d > 0) {
    p.a_step = a.strides[0];
    p.b_step = b.strides[0];
    p.out_step = out.strides[0];
  }
  if (add.buffer >= 0) {
    p.first.add = matrix<T>(add, buffers);
    p.add_step = d > 0 ? add.strides[0] : 0;
  }
  if constexpr (sizeof(T) == 4) return kernels().products_f32(p, threads);
  else return kernels().products_f64(p, threads);
}

template <class T>
bool sum(const ProgramStep& step, char* const* buffers, int threads) {
  T* to = at<T>(step.places[0], buffers);
  const T* from = at<const T>(step.places[1], buffers);
  if (step.after == 1) {
    const RowSums<T> rows{from, from, to, step.before, step.count, 1, 0, 1, 0, step.count, Summand::kValue};
    if constexpr (sizeof(T) == 4) return kernels().sum_rows_f32(rows, threads);
    else return kernels().sum_rows_f64(rows, threads);
  }
  const ColumnSums<T> columns{from, to, step.before, step.count * step.after, step.count, step.after, step.after, Summand::kValue};
  if constexpr (sizeof(T) == 4) return kernels().sum_columns_f32(columns, threads);
  else return kernels().sum_columns_f64(columns, threads);
}

void chain(ProgramStep& step, char* const* buffers, int threads) {
  const size_t ins = step.chain.ins.size();
  for (size_t t = 0; t < step.places.size(); ++t) {
    Operand& operand = t < ins ? step.chain.ins[t] : step.chain.outs[t - ins];
    operand.data = at<char>(step.places[t], buffers);
  }
  run_chain(step.chain, threads);
}

bool rows(const ProgramStep& step, char* const* buffers, int threads) {
  const Place& out = step.places[0];
  const long n = out.shape[out.ndim - 1];
  long count = 1;
  for (int d = 0; d < out.ndim - 1; ++d) count *= out.shape[d];
  auto* to = at<float>(out, buffers);
  const auto* x = at<const float>(step.places[1], buffers);
  const Rows all{count, n};
  switch (step.kind) {
    case StepKind::kSoftmax: kernels().softmax(all, x, to, threads); return true;
    case StepKind::kLogSoftmax: kernels().log_softmax(all, x, to, threads); return true;
    case StepKind::kSoftmaxBackward:
      kernels().softmax_backward(all, x, at<const float>(step.places[2], buffers), to, threads);
      return true;
    case StepKind::kLogSoftmaxBackward:
      kernels().log_softmax_backward(all, x, at<const float>(step.places[2], buffers), to, threads);
      return true;
    default: return false;
  }
}

// As each operation alone: below this, one thread.
int threads_for(const ProgramStep& step, int threads) {
  double size = 1;
  const Place& largest = step.places.back().buffer < 0 ? step.places[1] : step.places.back();
  for (int d = 0; d < largest.ndim; ++d) size *= static_cast<double>(largest.shape[d]);
  if (step.kind == StepKind::kProduct) {
    size = static_cast<double>(step.places[1].shape[step.places[1].ndim - 1]);
    for (int d = 0; d < step.places[0].ndim; ++d) size *= static_cast<double>(step.places[0].shape[d]);
  } else if (step.kind == StepKind::kSum) {
    size = static_cast<double>(step.before) * static_cast<double>(step.count) * static_cast<double>(step.after);
  } else if (step.kind != StepKind::kChain) {
    size *= 4;
  }
  return size < 30000 ? 1 : threads;
}

}  // namespace

bool run_steps(std::vector<ProgramStep>& steps, char* const* buffers, int threads) {
  for (ProgramStep& step : steps) {
    const int own = threads_for(step, threads);
    bool done = true;
    const bool wide = step.places[0].dtype == DType::kFloat64;
    switch (step.kind) {
      case StepKind::kChain: chain(step, buffers, own); break;
      case StepKind::kProduct: done = wide ? product<double>(step, buffers, own) : product<float>(step, buffers, own); break;
      case StepKind::kSum: done = wide ? sum<double>(step, buffers, own) : sum<float>(step, buffers, own); break;
      default: done = rows(step, buffers, own); break;
    }
    if (!done) return false;
  }
  return true;
}

}  // namespace samebits::exact
