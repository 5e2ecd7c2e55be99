// Whole steps of an optimizer, in one pass over its memory.
//
// Each value goes through the very operations that torch's optimizer would ask for one after the
// other (docs/arithmetic.md, "Element by element"), so that the bits are those of the separate ones.
#include "exact/kernels/builds.hpp"
#include "exact/pool.hpp"
#include "exact/vec.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {
namespace {

constexpr long kTask = 16384;  // values

template <class V, class T>
struct Adam {
  const AdamStep<T>& step;

  SAMEBITS_INLINE void operator()(V& parameter, V gradient, V& average, V& square) const {
    const V weight = all<V>(step.average_weight);
    if (step.shrinks) parameter = parameter * all<V>(step.shrinking);
    if (step.decays) gradient = gradient + all<V>(step.decay) * parameter;
    // lerp
    const V way = gradient - average;
    average = step.average_weight < T(0.5) ? average + weight * way
                                           : gradient - way * (all<V>(T(1)) - weight);
    square = square * all<V>(step.square_kept);
    square = square + all<V>(step.square_weight) * (gradient * gradient);  // addcmul
    const V root = sqrt(square) / all<V>(step.correction) + all<V>(step.eps);
    parameter = parameter + all<V>(step.rate) * (average / root);  // addcdiv
  }
};

template <class T>
void adam_task(const AdamStep<T>& step, long first, long last) {
  using V = vec<T>;
  constexpr int count = VectorOf<T>::count;
  const Adam<V, T> apply{step};
  long i = first;
  for (; i + count <= last; i += count) {
    V parameter = load<V>(step.parameter + i);
    V average = load<V>(step.average + i);
    V square = load<V>(step.square + i);
    apply(parameter, load<V>(step.gradient + i), average, square);
    store(step.parameter + i, canonical(parameter));
    store(step.average + i, canonical(average));
    store(step.square + i, canonical(square));
  }
  if (i == last) return;
  const int rest = static_cast<int>(last - i);
  V parameter = load_first<V>(step.parameter + i, rest);
  V average = load_first<V>(step.average + i, rest);
  V square = load_first<V>(step.square + i, rest);
  apply(parameter, load_first<V>(step.gradient + i, rest), average, square);
  store_first(step.parameter + i, canonical(parameter), rest);
  store_first(step.average + i, canonical(average), rest);
  store_first(step.square + i, canonical(square), rest);
}

template <class T>
void adam(const AdamStep<T>& step, int threads) {
  const long tasks = (step.n + kTask - 1) / kTask;
  parallel(tasks, threads, [&](long task) {
    const long last = (task + 1) * kTask;
    adam_task(step, task * kTask, last < step.n ? last : step.n);
  });
}

}  // namespace

void adam_f32(const AdamStep<float>& step, int threads) { adam(step, threads); }
void adam_f64(const AdamStep<double>& step, int threads) { adam(step, threads); }

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
