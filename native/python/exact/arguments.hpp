// Arguments of kernels: Python has brought them into the shape and layout which a kernel wants, and
// they are checked once more here: a wrong pointer must never reach a kernel.
#pragma once

#include <nanobind/nanobind.h>

#include <new>
#include <string>

#include "exact/builds.hpp"
#include "python/exact/tensors.hpp"

namespace samebits::python::exact_arithmetic {

namespace nb = nanobind;
using samebits::exact::kernels;

[[noreturn]] inline void refuse(const char* what) {
  throw nb::value_error((std::string("samebits kernel: ") + what).c_str());
}
[[noreturn]] inline void no_memory() { throw std::bad_alloc(); }

inline View need(nb::handle tensor, const char* what) {
  View view;
  if (!view_of(tensor.ptr(), &view)) refuse(what);
  return view;
}
inline View need_contiguous(nb::handle tensor, DType dtype, int64_t numel, const char* what) {
  View view = need(tensor, what);
  if (view.dtype != dtype || !view.contiguous() || (numel >= 0 && view.numel() != numel)) refuse(what);
  return view;
}

// Runs a kernel with the interpreter let go where there is work for it.
template <class Kernel>
void work(double values, Kernel kernel) {
  if (values < 30000) {
    kernel(1);
    return;
  }
  const int threads = thread_count();
  nb::gil_scoped_release released;
  kernel(threads);
}

template <class T>
T* data_or_null(nb::handle tensor, DType dtype, int64_t numel, const char* what) {
  if (tensor.is_none()) return nullptr;
  return static_cast<T*>(need_contiguous(tensor, dtype, numel, what).data);
}

// Calls run(T{}) with the type of a tensor's values.
template <class Run>
void by_type(DType dtype, Run run) {
  if (dtype == DType::kFloat32) run(float{});
  else if (dtype == DType::kFloat64) run(double{});
  else refuse("float32 and float64");
}

// Whether the places that a sum reads lie within the tensor.
inline void check_reach(const View& x, long reach) {
  if (!x.contiguous() || reach > x.numel()) refuse("a sum would read beyond its tensor");
}

}  // namespace samebits::python::exact_arithmetic
