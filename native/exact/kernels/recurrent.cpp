// Steps of recurrent layers between their products (docs/arithmetic.md, "Recurrent layers"), and what autograd makes
// of them: each operation there is one here.
#include "exact/kernels/binary64.hpp"
#include "exact/kernels/passes.hpp"
#include "exact/kernels/rounded.hpp"
#include "exact/kernels/sums.hpp"
#include "exact/pool.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {
namespace {

// Calls step(i, get, put) for the values of each row, a vector at a time: get(p) reads at p, put(p, v) writes.
template <class T, class Row>
void by_rows(long rows, long hidden, int threads, Row row) {
  using V = vec<T>;
  constexpr long count = VectorOf<T>::count;
  const long a_task = 2048 / (hidden + 1) + 1;
  parallel_apart((rows + a_task - 1) / a_task, threads, [&](long task) {
    const long end = (task + 1) * a_task < rows ? (task + 1) * a_task : rows;
    for (long r = task * a_task; r < end; ++r) {
      long i = 0;
      for (; i + count <= hidden; i += count) {
        row(r, i, [](const T* p) { return load<V>(p); }, [](T* p, V v) { store(p, canonical(v)); });
      }
      if (i < hidden) {
        const int rest = static_cast<int>(hidden - i);
        row(r, i, [rest](const T* p) { return load_first<V>(p, rest); },
            [rest](T* p, V v) { store_first(p, canonical(v), rest); });
      }
    }
  });
}

// The slopes of sigmoid and tanh, from their values.
template <class V>
SAMEBITS_INLINE V sigmoid_slope(V grad, V y) {
  return grad * ((1.0f - y) * y);
}
template <class V>
SAMEBITS_INLINE V tanh_slope(V grad, V y) {
  return grad * (1.0f - y * y);
}

template <class T>
void lstm_step(const LstmStep<T>& p, int threads) {
  const long n = p.hidden;
  by_rows<T>(p.rows, n, threads, [&](long r, long i, auto get, auto put) {
    const T* x = p.x + r * 4 * n + i;
    const T* h = p.h + r * 4 * n + i;
    T* kept = p.kept + r * 5 * n + i;
    const auto in = sigmoid_f(get(h) + get(x));
    const auto forget = sigmoid_f(get(h + n) + get(x + n));
    const auto cell = tanh_f(get(h + 2 * n) + get(x + 2 * n));
    const auto out = sigmoid_f(get(h + 3 * n) + get(x + 3 * n));
    const auto cy = forget * get(p.c + r * n + i) + in * cell;
    const auto bent = tanh_f(canonical(cy));
    put(p.cy + r * n + i, cy);
    put(p.hy + r * n + i, out * bent);
    put(kept, in);
    put(kept + n, forget);
    put(kept + 2 * n, cell);
    put(kept + 3 * n, out);
    put(kept + 4 * n, bent);
  });
}

template <class T>
void lstm_step_backward(const LstmStepBackward<T>& p, int threads) {
  using V = vec<T>;
  const long n = p.hidden;
  by_rows<T>(p.rows, n, threads, [&](long r, long i, auto get, auto put) {
    const T* kept = p.kept + r * 5 * n + i;
    T* gates = p.grad_gates + r * 4 * n + i;
    const long at = r * n + i;
    const V in = get(kept), forget = get(kept + n), cell = get(kept + 2 * n), out = get(kept + 3 * n);
    const V bent = get(kept + 4 * n);
    V grad_c{}, grad_out{};
    if (p.grad_hy != nullptr) {
      const V grad = get(p.grad_hy + at);
      grad_out = sigmoid_slope(grad * bent, out);
      grad_c = tanh_slope(grad * out, bent);
      if (p.grad_cy != nullptr) grad_c = get(p.grad_cy + at) + grad_c;
    } else {
      grad_c = get(p.grad_cy + at);
    }
    put(gates, sigmoid_slope(grad_c * cell, in));
    put(gates + n, sigmoid_slope(grad_c * get(p.c + at), forget));
    put(gates + 2 * n, tanh_slope(grad_c * in, cell));
    put(gates + 3 * n, grad_out);
    put(p.grad_c + at, grad_c * forget);
  });
}

template <class T>
void gru_step(const GruStep<T>& p, int threads) {
  const long n = p.hidden;
  by_rows<T>(p.rows, n, threads, [&](long r, long i, auto get, auto put) {
    const T* x = p.x + r * 3 * n + i;
    const T* h = p.h + r * 3 * n + i;
    T* kept = p.kept + r * 5 * n + i;
    const auto reset = sigmoid_f(get(h) + get(x));
    const auto update = sigmoid_f(get(h + n) + get(x + n));
    const auto own = get(h + 2 * n);
    const auto fresh = tanh_f(canonical(get(x + 2 * n) + own * reset));
    const auto apart = get(p.state + r * n + i) - fresh;
    put(p.hy + r * n + i, apart * update + fresh);
    put(kept, reset);
    put(kept + n, update);
    put(kept + 2 * n, fresh);
    put(kept + 3 * n, own);
    put(kept + 4 * n, apart);
  });
}

template <class T>
void gru_step_backward(const GruStepBackward<T>& p, int threads) {
  using V = vec<T>;
  const long n = p.hidden;
  by_rows<T>(p.rows, n, threads, [&](long r, long i, auto get, auto put) {
    const T* kept = p.kept + r * 5 * n + i;
    T* of_x = p.grad_x + r * 3 * n + i;
    T* of_h = p.grad_h + r * 3 * n + i;
    const V grad = get(p.grad + r * n + i);
    const V reset = get(kept), update = get(kept + n), fresh = get(kept + 2 * n);
    const V moved = grad * update;
    const V of_update = sigmoid_slope(grad * get(kept + 4 * n), update);
    const V of_fresh = tanh_slope(grad - moved, fresh);
    const V of_reset = sigmoid_slope(of_fresh * get(kept + 3 * n), reset);
    put(p.grad_state + r * n + i, moved);
    put(of_x, of_reset);
    put(of_x + n, of_update);
    put(of_x + 2 * n, of_fresh);
    put(of_h, of_reset);
    put(of_h + n, of_update);
    put(of_h + 2 * n, of_fresh * reset);
  });
}

}  // namespace

void lstm_step_f32(const LstmStep<float>& p, int threads) { lstm_step(p, threads); }
void lstm_step_f64(const LstmStep<double>& p, int threads) { lstm_step(p, threads); }
void lstm_step_backward_f32(const LstmStepBackward<float>& p, int threads) { lstm_step_backward(p, threads); }
void lstm_step_backward_f64(const LstmStepBackward<double>& p, int threads) { lstm_step_backward(p, threads); }
void gru_step_f32(const GruStep<float>& p, int threads) { gru_step(p, threads); }
void gru_step_f64(const GruStep<double>& p, int threads) { gru_step(p, threads); }
void gru_step_backward_f32(const GruStepBackward<float>& p, int threads) { gru_step_backward(p, threads); }
void gru_step_backward_f64(const GruStepBackward<double>& p, int threads) { gru_step_backward(p, threads); }

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
