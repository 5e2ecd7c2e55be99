// The steps of an LSTM one after the other, and back: the products, passes and sums that they are made of
// (docs/arithmetic.md, "Recurrent layers"), each by the kernel that computes it alone.
#include "exact/kernels/passes.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {
namespace {

template <class T>
class Memory {
 public:
  explicit Memory(long n) : values_(static_cast<T*>(shared_scratch(static_cast<size_t>(n) * sizeof(T)))) {}
  ~Memory() { free_shared_scratch(values_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  T* get() const { return values_; }

 private:
  T* values_;
};

bool product(const Products<float>& p, int threads) { return products_f32(p, threads); }
bool product(const Products<double>& p, int threads) { return products_f64(p, threads); }
void step(const LstmStep<float>& p, int threads) { lstm_step_f32(p, threads); }
void step(const LstmStep<double>& p, int threads) { lstm_step_f64(p, threads); }
void step_backward(const LstmStepBackward<float>& p, int threads) { lstm_step_backward_f32(p, threads); }
void step_backward(const LstmStepBackward<double>& p, int threads) { lstm_step_backward_f64(p, threads); }
bool sum_columns(const ColumnSums<float>& p, int threads) { return sum_columns_f32(p, threads); }
bool sum_columns(const ColumnSums<double>& p, int threads) { return sum_columns_f64(p, threads); }

// out [m, n] = a times b, plus what there is to add; that is not `out` itself.
template <class T>
bool multiply(long m, long k, long n, Matrix<const T> a, Matrix<const T> b, Matrix<const T> add, T* out, int threads) {
  return product(Products<T>{{m, n, k, a, b, {out, n, 1}, add, T{1}, T{1}}, 1, 0, 0, 0, 0}, threads);
}

template <class T>
void transpose(const T* from, long rows, long columns, T* to) {
  constexpr long side = 16;  // a line of each
  for (long i0 = 0; i0 < rows; i0 += side) {
    for (long j = 0; j < columns; ++j) {
      for (long i = i0; i < rows && i < i0 + side; ++i) to[j * rows + i] = from[i * columns + j];
    }
  }
}

// What comes to a state from two sides, or from one; `room` is for the sum.
template <class T>
const T* joined(const T* a, const T* b, long n, T* room) {
  if (a == nullptr || b == nullptr) return a == nullptr ? b : a;
  for (long i = 0; i < n; ++i) {
    const T sum = a[i] + b[i];
    room[i] = sum == sum ? sum : static_cast<T>(__builtin_nan(""));
  }
  return room;
}

template <class T>
bool lstm_steps(const LstmSteps<T>& p, int threads) {
  const long n = p.hidden, state = p.rows * n, wide = 4 * n;
  // Turned once, where a product would turn it at each step.
  Memory<T> turned(p.steps > 1 ? n * wide : 0);
  if (p.steps > 1) {
    if (turned.get() == nullptr) return false;
    transpose(p.weight, wide, n, turned.get());
  }
  const Matrix<const T> weight = p.steps > 1 ? Matrix<const T>{turned.get(), wide, 1} : Matrix<const T>{p.weight, 1, n};
  const T* h = p.h;
  const T* c = p.c;
  for (long t = 0; t < p.steps; ++t) {
    const long own = p.keeps ? t : 0;
    T* gates = p.gates + own * 4 * state;
    T* cy = p.cy + own * state;
    T* hy = p.hy + t * state;
    if (!multiply<T>(p.rows, n, wide, {h, n, 1}, weight, {p.bias, 0, 1}, gates, threads)) return false;
    step(LstmStep<T>{p.x + t * 4 * state, gates, c, hy, cy, p.kept + own * 5 * state, p.rows, n}, threads);
    h = hy;
    c = cy;
  }
  return true;
}

template <class T>
bool lstm_steps_backward(const LstmStepsBackward<T>& p, int threads) {
  const long n = p.hidden, state = p.rows * n, wide = 4 * n;
  const Memory<T> memory(3 * state);
  T* ahead_h = memory.get();
  if (ahead_h == nullptr) return false;
  T* ahead_c = ahead_h + state;
  T* sum = ahead_c + state;
  for (long t = p.steps - 1; t >= 0; --t) {
    const bool last = t == p.steps - 1;
    const T* c = t == 0 ? p.c : p.cy + (t - 1) * state;
    const T* of_h = joined<T>(p.of_hy == nullptr ? nullptr : p.of_hy + t * state, last ? p.of_h : ahead_h, state, sum);
    const T* of_c = last ? p.of_c : ahead_c;
    T* gates = p.gates + t * 4 * state;
    T* grad_c = t == 0 ? p.grad_c : ahead_c;
    step_backward(LstmStepBackward<T>{of_h, of_c, c, p.kept + t * 5 * state, gates, grad_c, p.rows, n}, threads);
    T* grad_h = t == 0 ? p.grad_h : ahead_h;
    if (grad_h == nullptr) continue;
    if (!multiply<T>(p.rows, wide, n, {gates, wide, 1}, {p.weight, n, 1}, {}, grad_h, threads)) return false;
  }
  return true;
}

template <class T>
bool lstm_slopes(const LstmSlopes<T>& p, int threads) {
  const long n = p.hidden, wide = 4 * n, whole = wide * n;
  const Memory<T> memory(p.added ? whole + wide : 0);
  if (p.added && memory.get() == nullptr) return false;
  T* own = memory.get() + whole;
  const T* before = nullptr;
  for (long t = p.steps - 1; t >= 0; --t) {
    const T* gates = p.gates + t * p.rows * wide;
    const T* h = t == 0 ? p.h : p.hy + (t - 1) * p.rows * n;
    if (p.weights != nullptr) {
      // A sum goes from one place to another and back, so that the last one is where it is wanted.
      T* weights = p.added ? (t % 2 == 0 ? p.weights : memory.get()) : p.weights + t * whole;
      if (!multiply<T>(wide, p.rows, n, {gates, 1, wide}, {h, n, 1}, {before, n, 1}, weights, threads)) return false;
      if (p.added) before = weights;
    }
    if (p.biases != nullptr) {
      const bool first = !p.added || t == p.steps - 1;
      T* biases = first ? p.biases + (p.added ? 0 : t * wide) : own;
      if (!sum_columns(ColumnSums<T>{gates, biases, 1, 0, p.rows, wide, wide, Summand::kValue}, threads)) return false;
      if (!first) joined<T>(p.biases, own, wide, p.biases);
    }
  }
  return true;
}

}  // namespace

bool lstm_steps_f32(const LstmSteps<float>& p, int threads) { return lstm_steps(p, threads); }
bool lstm_steps_f64(const LstmSteps<double>& p, int threads) { return lstm_steps(p, threads); }
bool lstm_steps_backward_f32(const LstmStepsBackward<float>& p, int threads) { return lstm_steps_backward(p, threads); }
bool lstm_steps_backward_f64(const LstmStepsBackward<double>& p, int threads) { return lstm_steps_backward(p, threads); }
bool lstm_slopes_f32(const LstmSlopes<float>& p, int threads) { return lstm_slopes(p, threads); }
bool lstm_slopes_f64(const LstmSlopes<double>& p, int threads) { return lstm_slopes(p, threads); }

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
