#include "exact/chain.hpp"

#include <algorithm>
#include <cstring>

#include "exact/builds.hpp"
#include "exact/pool.hpp"
#include "exact/walk.hpp"

namespace samebits::exact {
namespace {

constexpr long kPiece = 512;  // values of a block: sixteen registers of them are 32 KiB
constexpr long kTaskValues = 16384;

// Axes of size one dropped, those with the largest strides first, seamless neighbours joined. Operands
// come first, then places of results, whose first one decides the order.
struct Course {
  int ndim = 0;
  int64_t shape[kMaxDims];
  std::vector<std::vector<int64_t>> steps;  // of an operand, by axis

  explicit Course(const Chain& chain) {
    std::vector<const Operand*> all;
    for (const Operand& one : chain.ins) all.push_back(&one);
    for (const Operand& one : chain.outs) all.push_back(&one);
    steps.resize(all.size());
    const Operand& leading = *all[chain.ins.size()];
    int order[kMaxDims];
    int kept = 0;
    for (int d = 0; d < chain.ndim; ++d) {
      if (chain.shape[d] != 1) order[kept++] = d;
    }
    std::stable_sort(order, order + kept, [&](int a, int b) { return leading.strides[a] > leading.strides[b]; });
    for (int i = 0; i < kept; ++i) {
      const int d = order[i];
      bool joins = ndim > 0;
      for (size_t t = 0; t < all.size() && joins; ++t) joins = steps[t].back() == all[t]->strides[d] * chain.shape[d];
      if (joins) {
        shape[ndim - 1] *= chain.shape[d];
      } else {
        shape[ndim++] = chain.shape[d];
      }
      for (size_t t = 0; t < all.size(); ++t) {
        if (joins) steps[t].back() = all[t]->strides[d];
        else steps[t].push_back(all[t]->strides[d]);
      }
    }
    if (ndim == 0) {
      shape[ndim++] = 1;
      for (auto& one : steps) one.push_back(1);
    }
  }
};

// Rounds the n values of a register to a half.
void round_to(DType dtype, float* values, long n) {
  if (dtype == DType::kFloat16) {
    for (long i = 0; i < n; ++i) values[i] = from_float16(to_float16(values[i]));
  } else if (dtype == DType::kBFloat16) {
    for (long i = 0; i < n; ++i) values[i] = from_bfloat16(to_bfloat16(values[i]));
  }
}
void round_to(DType, double*, long) {}

template <class T>
class Walk {
 public:
  Walk(const Chain& chain, const Course& course, DType own) : chain_(chain), course_(course), own_(own) {
    const Kernels& k = kernels();
    for (const ChainOperation& one : chain.operations) {
      const int number = static_cast<int>(one.operation);
      loops_.push_back(sizeof(T) == 8 ? k.elementwise_f64(number) : k.elementwise_f32(number));
    }
  }

  void run(int64_t begin, int64_t end) {
    std::vector<int64_t> at(course_.steps.size());
    std::vector<T> laid_out(chain_.ins.size() * kPiece);
    std::vector<T> registers(static_cast<size_t>(chain_.registers) * kPiece);
    const int inner = course_.ndim - 1;
    while (begin < end) {
      int64_t rest = begin / course_.shape[inner];
      const int64_t place = begin % course_.shape[inner];
      for (size_t t = 0; t < at.size(); ++t) at[t] = place * course_.steps[t][inner];
      for (int d = inner - 1; d >= 0; --d) {
        const int64_t i = rest % course_.shape[d];
        rest /= course_.shape[d];
        for (size_t t = 0; t < at.size(); ++t) at[t] += i * course_.steps[t][d];
      }
      const int64_t length = std::min(course_.shape[inner] - place, end - begin);
      for (int64_t done = 0; done < length; done += kPiece) {
        block(static_cast<long>(std::min<int64_t>(kPiece, length - done)), done, inner, at, laid_out.data(), registers.data());
      }
      begin += length;
    }
  }

 private:
  void block(long n, int64_t done, int inner, const std::vector<int64_t>& at, T* laid_out, T* registers) {
    const T* operands[64];
    const T* values[kMaxRegisters];
    for (size_t t = 0; t < chain_.ins.size(); ++t) {
      const Operand& one = chain_.ins[t];
      const int64_t step = course_.steps[t][inner];
      T* own = laid_out + t * kPiece;
      if (one.dtype == own_ && step == 1) {
        operands[t] = static_cast<const T*>(one.data) + at[t] + done;
      } else {
        if (step != 0 || done == 0) gather(one, at[t] + done * step, step, n, own);
        operands[t] = own;
      }
    }
    for (size_t i = 0; i < loops_.size(); ++i) {
      const ChainOperation& one = chain_.operations[i];
      const void* in[3] = {};
      for (int t = 0; t < one.inputs; ++t) in[t] = one.in[t] >= 0 ? operands[one.in[t]] : values[-1 - one.in[t]];
      T* to = registers + one.result * kPiece;
      int64_t step = 0;
      int64_t place = 0;
      if (one.out >= 0) {
        const size_t t = chain_.ins.size() + static_cast<size_t>(one.out);
        step = course_.steps[t][inner];
        place = at[t] + done * step;
        if (one.dtype == own_ && step == 1) to = static_cast<T*>(chain_.outs[static_cast<size_t>(one.out)].data) + place;
      }
      loops_[i](n, to, in, one.scalars);
      round_to(one.dtype, to, n);
      if (one.out >= 0 && !(one.dtype == own_ && step == 1)) {
        scatter(to, chain_.outs[static_cast<size_t>(one.out)], place, step, n);
      }
      values[one.result] = to;
    }
  }

  const Chain& chain_;
  const Course& course_;
  DType own_;
  std::vector<ElementwiseLoop> loops_;
};

}  // namespace

bool has_loops(const Chain& chain) {
  const Kernels& k = kernels();
  for (const ChainOperation& one : chain.operations) {
    const int number = static_cast<int>(one.operation);
    if ((chain.in_f64 ? k.elementwise_f64(number) : k.elementwise_f32(number)) == nullptr) return false;
  }
  return true;
}

void run_chain(const Chain& chain, int threads) {
  int64_t count = 1;
  for (int d = 0; d < chain.ndim; ++d) count *= chain.shape[d];
  if (count == 0) return;
  const Course course(chain);
  if (count < 2 * kTaskValues) threads = 1;
  const long tasks = threads == 1 ? 1 : static_cast<long>((count + kTaskValues - 1) / kTaskValues);
  const int64_t a_task = (count + tasks - 1) / tasks;
  parallel_apart(tasks, threads, [&](long task) {
    const int64_t begin = task * a_task;
    const int64_t end = std::min(begin + a_task, count);
    if (chain.in_f64) Walk<double>(chain, course, DType::kFloat64).run(begin, end);
    else Walk<float>(chain, course, DType::kFloat32).run(begin, end);
  });
}

}  // namespace samebits::exact
