// The walk over strided tensors: pieces that lie next to each other go to the loops as they are,
// others by way of a buffer.
#include "exact/elementwise.hpp"

#include <algorithm>

#include "exact/builds.hpp"
#include "exact/pool.hpp"
#include "exact/walk.hpp"

namespace samebits::exact {
namespace {

constexpr long kPiece = 1024;      // values that buffers hold
constexpr long kTaskValues = 16384;

// Axes of size one dropped, the largest strides first, neighbours that lie seamlessly joined.
struct Geometry {
  int ndim = 0;
  int64_t shape[kMaxDims];
  int64_t out[kMaxDims];
  int64_t in[3][kMaxDims];
};

Geometry simplified(const ElementwiseCall& call) {
  Geometry g;
  int order[kMaxDims];
  int kept = 0;
  for (int d = 0; d < call.ndim; ++d) {
    if (call.shape[d] != 1) order[kept++] = d;
  }
  std::stable_sort(order, order + kept,
                   [&](int a, int b) { return call.out.strides[a] > call.out.strides[b]; });
  for (int i = 0; i < kept; ++i) {
    const int d = order[i];
    if (g.ndim > 0) {
      const int last = g.ndim - 1;
      bool joins = g.out[last] == call.out.strides[d] * call.shape[d];
      for (int t = 0; t < call.inputs; ++t) joins &= g.in[t][last] == call.in[t].strides[d] * call.shape[d];
      if (joins) {
        g.shape[last] *= call.shape[d];
        g.out[last] = call.out.strides[d];
        for (int t = 0; t < call.inputs; ++t) g.in[t][last] = call.in[t].strides[d];
        continue;
      }
    }
    g.shape[g.ndim] = call.shape[d];
    g.out[g.ndim] = call.out.strides[d];
    for (int t = 0; t < call.inputs; ++t) g.in[t][g.ndim] = call.in[t].strides[d];
    ++g.ndim;
  }
  if (g.ndim == 0) {
    g.ndim = 1;
    g.shape[0] = 1;
    g.out[0] = 1;
    for (int t = 0; t < call.inputs; ++t) g.in[t][0] = 1;
  }
  return g;
}

template <class T>
void run(const ElementwiseCall& call, const Geometry& g, ElementwiseLoop loop, DType own, int64_t begin,
         int64_t end) {
  alignas(64) T buffers[4][kPiece];
  const int inner = g.ndim - 1;
  const int64_t length = g.shape[inner];
  while (begin < end) {
    int64_t rest = begin / length;
    const int64_t place = begin % length;
    int64_t out_at = place * g.out[inner];
    int64_t in_at[3] = {};
    for (int t = 0; t < call.inputs; ++t) in_at[t] = place * g.in[t][inner];
    for (int d = inner - 1; d >= 0; --d) {
      const int64_t i = rest % g.shape[d];
      rest /= g.shape[d];
      out_at += i * g.out[d];
      for (int t = 0; t < call.inputs; ++t) in_at[t] += i * g.in[t][d];
    }
    int64_t run_length = std::min(length - place, end - begin);
    begin += run_length;
    const bool direct_out = call.out.dtype == own && g.out[inner] == 1;
    bool direct = direct_out;
    for (int t = 0; t < call.inputs; ++t) direct &= call.in[t].dtype == own && g.in[t][inner] == 1;
    const int64_t most = direct ? run_length : kPiece;
    for (int64_t done = 0; done < run_length; done += most) {
      const long n = static_cast<long>(std::min(most, run_length - done));
      const void* in[3] = {};
      for (int t = 0; t < call.inputs; ++t) {
        if (call.in[t].dtype == own && g.in[t][inner] == 1) {
          in[t] = static_cast<const T*>(call.in[t].data) + in_at[t] + done;
        } else {
          // A value that is broadcast along the run is laid out once.
          if (g.in[t][inner] != 0 || done == 0) gather(call.in[t], in_at[t] + done * g.in[t][inner], g.in[t][inner], n, buffers[t]);
          in[t] = buffers[t];
        }
      }
      if (direct_out) {
        loop(n, static_cast<T*>(call.out.data) + out_at + done, in, call.scalars);
      } else {
        loop(n, buffers[3], in, call.scalars);
        scatter(buffers[3], call.out, out_at + done * g.out[inner], g.out[inner], n);
      }
    }
  }
}

}  // namespace

int64_t size_of(DType dtype) {
  switch (dtype) {
    case DType::kBool:
    case DType::kUInt8:
    case DType::kInt8:
      return 1;
    case DType::kInt16:
    case DType::kFloat16:
    case DType::kBFloat16:
      return 2;
    case DType::kInt32:
    case DType::kFloat32:
      return 4;
    case DType::kInt64:
    case DType::kFloat64:
      return 8;
    case DType::kNone:
      break;
  }
  return 0;
}

bool run_elementwise(const ElementwiseCall& call, int threads) {
  const Kernels& k = kernels();
  const int number = static_cast<int>(call.operation);
  const ElementwiseLoop loop = call.in_f64 ? k.elementwise_f64(number) : k.elementwise_f32(number);
  if (loop == nullptr) return false;
  int64_t count = 1;
  for (int d = 0; d < call.ndim; ++d) count *= call.shape[d];
  if (count == 0) return true;
  const Geometry g = simplified(call);
  if (count < 2 * kTaskValues) threads = 1;
  const long tasks = threads == 1 ? 1 : static_cast<long>((count + kTaskValues - 1) / kTaskValues);
  const int64_t a_task = (count + tasks - 1) / tasks;
  parallel_apart(tasks, threads, [&](long task) {
    const int64_t begin = task * a_task;
    const int64_t end = std::min(begin + a_task, count);
    if (call.in_f64) {
      run<double>(call, g, loop, DType::kFloat64, begin, end);
    } else {
      run<float>(call, g, loop, DType::kFloat32, begin, end);
    }
  });
  return true;
}

}  // namespace samebits::exact
