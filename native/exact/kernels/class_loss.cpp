// The loss of picked classes, and its derivative: nll_loss, in one pass over the targets.
#include "exact/class_loss.hpp"

#include "exact/kernels/passes.hpp"
#include "exact/kernels/single_values.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {
namespace {

template <class P>
bool targets_inside(const P& p) {
  bool inside = true;
  for (long i = 0; i < p.rows * p.places; ++i) {
    inside &= (p.target[i] >= 0 && p.target[i] < p.classes) || p.target[i] == p.ignored;
  }
  return inside;
}

// The place in [rows, classes, places] that target number i picks.
template <class P>
SAMEBITS_INLINE long picked(const P& p, long i) {
  const long row = p.places == 1 ? i : i / p.places;
  return (row * p.classes + static_cast<long>(p.target[i])) * p.places + (p.places == 1 ? 0 : i % p.places);
}

template <class T>
Placed loss(const ClassLoss<T>& p) {
  if (!targets_inside(p)) return Placed::kOutOfRange;
  const long n = p.rows * p.places;
  const auto value = [&](long i) {
    if (p.target[i] == p.ignored) return T{};
    T own = canonical_value(-p.x[picked(p, i)]);
    if (p.weight != nullptr) own = canonical_value(own * p.weight[p.target[i]]);
    return own;
  };
  *p.total = T{};
  if (p.reduction == Reduction::kNone) {
    for (long i = 0; i < n; ++i) p.out[i] = value(i);
    return Placed::kDone;
  }
  T* sums = nullptr;
  if (n > kBlock) {
    sums = static_cast<T*>(scratch(static_cast<size_t>((n + kBlock - 1) / kBlock) * sizeof(T)));
    if (sums == nullptr) return Placed::kNoMemory;
  }
  const auto sum_of = [&](auto of) {
    return canonical_value(sum_made<T>(Runs{n, 1, 0}, sums, [&](long begin, long count, T* to) {
      for (long i = 0; i < count; ++i) to[i] = of(begin + i);
    }));
  };
  const T sum = n == 0 ? T{} : sum_of(value);
  if (p.weight != nullptr) {
    *p.total = n == 0 ? T{} : sum_of([&](long i) { return p.target[i] == p.ignored ? T{} : p.weight[p.target[i]]; });
  } else {
    long count = 0;
    for (long i = 0; i < n; ++i) count += p.target[i] != p.ignored;
    *p.total = static_cast<T>(count);
  }
  *p.out = p.reduction == Reduction::kMean ? canonical_value(sum / *p.total) : sum;
  return Placed::kDone;
}

template <class T>
Placed backward(const ClassLossBackward<T>& p) {
  if (!targets_inside(p)) return Placed::kOutOfRange;
  const auto turned = [&](T grad) {
    const T own = canonical_value(-grad);
    return p.reduction == Reduction::kMean ? canonical_value(own / *p.total) : own;
  };
  const bool each_own = p.reduction == Reduction::kNone;
  const T all_the_same = each_own ? T{} : turned(*p.grad);
  for (long i = 0; i < p.rows * p.places; ++i) {
    if (p.target[i] == p.ignored) continue;
    T own = each_own ? turned(p.grad[i]) : all_the_same;
    if (p.weight != nullptr) own = canonical_value(own * p.weight[p.target[i]]);
    p.out[picked(p, i)] = own;
  }
  return Placed::kDone;
}

}  // namespace

Placed class_loss_f32(const ClassLoss<float>& p) { return loss(p); }
Placed class_loss_f64(const ClassLoss<double>& p) { return loss(p); }
Placed class_loss_backward_f32(const ClassLossBackward<float>& p) { return backward(p); }
Placed class_loss_backward_f64(const ClassLossBackward<double>& p) { return backward(p); }

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
