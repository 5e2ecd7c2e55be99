// The steps of an LSTM one after the other, and back: the products, passes and sums that they are made of
// (docs/arithmetic.md, "Recurrent layers"), each by the kernel that computes it alone.
#include <optional>

#include "exact/kernels/passes.hpp"
#include "exact/kernels/packing.hpp"
#include "exact/pool.hpp"

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

// Products with one matrix, [k, n], step after step.
template <class T>
class Repeated {
 public:
  Repeated(Matrix<const T> b, long k, long n, bool often)
      : b_(b), k_(k), n_(n), often_(often && PackedFactor<T>::serves(k)), memory_(often_ ? PackedFactor<T>::size(k, n) : 0) {}
  // False where there is no memory.
  bool begin() {
    if (!often_) return true;
    if (memory_.get() == nullptr) return false;
    packed_.emplace(b_, k_, n_, memory_.get());
    return true;
  }

  // out [m, n] = a times the matrix, plus a row where there is one.
  bool multiply(long m, const T* a, const T* row, T* out, int threads) const {
    if (!packed_) return SAMEBITS_EXACT_BUILD::multiply<T>(m, k_, n_, {a, k_, 1}, b_, {row, 0, 1}, out, threads);
    const Finish<T> how{row, 0, 1, T{1}, T{1}};
    const long panels = packed_->panels();
    const long parts = m * k_ * n_ < 400000 || threads > panels ? 1 : threads;
    bool good = true;
    parallel(parts, threads, [&](long part) {
      T* room = static_cast<T*>(scratch(static_cast<size_t>(PackedFactor<T>::room(m)) * sizeof(T)));
      if (room == nullptr) __atomic_store_n(&good, false, __ATOMIC_RELAXED);
      else packed_->multiply(m, {a, k_, 1}, how, out, panels * part / parts, panels * (part + 1) / parts, room);
    });
    return good;
  }

 private:
  const Matrix<const T> b_;
  const long k_, n_;
  const bool often_;
  const Memory<T> memory_;
  std::optional<PackedFactor<T>> packed_;
};

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
  Repeated<T> weight({p.weight, 1, n}, n, wide, p.steps > 1);
  if (!weight.begin()) return false;
  const T* h = p.h;
  const T* c = p.c;
  for (long t = 0; t < p.steps; ++t) {
    const long own = p.keeps ? t : 0;
    T* gates = p.gates + own * 4 * state;
    T* cy = p.cy + own * state;
    T* hy = p.hy + t * state;
    if (!weight.multiply(p.rows, h, p.bias, gates, threads)) return false;
    step(LstmStep<T>{p.x + t * 4 * state, gates, c, hy, cy, p.kept + own * 5 * state, p.rows, n}, threads);
    h = hy;
    c = cy;
  }
  return true;
}

template <class T>
bool lstm_steps_backward(const LstmStepsBackward<T>& p, int threads) {
  const long n = p.hidden, state = p.rows * n, wide = 4 * n;
  Repeated<T> weight({p.weight, n, 1}, wide, n, p.steps > 1);
  if (!weight.begin()) return false;
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
    if (grad_h != nullptr && !weight.multiply(p.rows, gates, nullptr, grad_h, threads)) return false;
  }
  return true;
}

// The sum of all steps' slopes of W_hh where each is one chain: a tile of it after the other, in the cache.
template <class T>
bool added_weights(const LstmSlopes<T>& p, int threads) {
  using V = vec<T>;
  const long n = p.hidden, wide = 4 * n, all_rows = p.steps * p.rows;
  const long panels = (n + panel<T> - 1) / panel<T>;
  const Memory<T> memory(all_rows * panels * panel<T>);
  if (memory.get() == nullptr) return false;
  for (long t = 0; t < p.steps; ++t) {
    const T* h = t == 0 ? p.h : p.hy + (t - 1) * p.rows * n;
    for (long q = 0; q < panels; ++q) {
      const int columns = static_cast<int>(n - q * panel<T> < panel<T> ? n - q * panel<T> : panel<T>);
      pack_panel(h + q * panel<T>, n, 1, columns, p.rows, memory.get() + (q * all_rows + t * p.rows) * panel<T>);
    }
  }
  bool good = true;
  const Cut strips(wide, kRows);
  parallel(strips.parts, wide * n * all_rows < 400000 ? 1 : threads, [&](long s) {
    const int rows = static_cast<int>(strips.rows(s));
    T* gates = static_cast<T*>(scratch(static_cast<size_t>(all_rows * kRows) * sizeof(T)));
    if (gates == nullptr) {
      __atomic_store_n(&good, false, __ATOMIC_RELAXED);
      return;
    }
    pack_rows(p.gates + strips.begin(s), 1, wide, rows, all_rows, gates);
    const auto run = tile_of<T, SideBySide<T>, Packed<T>>(rows);
    for (long q = 0; q < panels; ++q) {
      alignas(64) T sums[kRows * panel<T>];
      for (long t = p.steps - 1; t >= 0; --t) {
        const T* h = memory.get() + (q * all_rows + t * p.rows) * panel<T>;
        run(p.rows, {gates + t * p.rows * rows}, {h}, sums, panel<T>, t != p.steps - 1);
      }
      for (long i = 0; i < rows * panel<T>; i += VectorOf<T>::count) store(sums + i, canonical(load<V>(sums + i)));
      for (int i = 0; i < rows; ++i) {
        T* to = p.weights + (strips.begin(s) + i) * n + q * panel<T>;
        for (long j = 0; j < panel<T> && q * panel<T> + j < n; ++j) to[j] = sums[i * panel<T> + j];
      }
    }
  });
  return good;
}

template <class T>
bool lstm_slopes(const LstmSlopes<T>& p, int threads) {
  const long n = p.hidden, wide = 4 * n, whole = wide * n;
  const bool at_once = p.added && p.weights != nullptr && p.rows <= kChain;
  if (at_once && !added_weights(p, threads)) return false;
  const Memory<T> memory(!p.added ? 0 : at_once ? wide : wide + whole);
  if (p.added && memory.get() == nullptr) return false;
  T* own = memory.get();
  const T* before = nullptr;
  for (long t = p.steps - 1; t >= 0; --t) {
    const T* gates = p.gates + t * p.rows * wide;
    const T* h = t == 0 ? p.h : p.hy + (t - 1) * p.rows * n;
    if (p.weights != nullptr && !at_once) {
      // A sum goes from one place to another and back, so that the last one is where it is wanted.
      T* weights = p.added ? (t % 2 == 0 ? p.weights : memory.get() + wide) : p.weights + t * whole;
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
