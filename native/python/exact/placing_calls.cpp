// Adding and writing by index, as Python calls it.
#include "exact/placing.hpp"

#include <cstdint>

#include "python/exact/arguments.hpp"
#include "python/exact/kernel_calls.hpp"

namespace samebits::python::exact_arithmetic {
namespace {

View rows_of(nb::handle tensor, const char* what, int ndim) {
  const View view = need(tensor, what);
  if (!view.contiguous() || view.ndim != ndim) refuse(what);
  return view;
}

// The same of planes; a row of values is one.
View planes_of(nb::handle tensor, const char* what) {
  View view = need(tensor, what);
  if (!view.contiguous() || view.ndim < 1 || view.ndim > 2) refuse(what);
  if (view.ndim == 1) {
    view.shape[1] = view.shape[0];
    view.shape[0] = 1;
    view.strides[1] = 1;
    view.ndim = 2;
  }
  return view;
}

void require(bool condition, const char* what) {
  if (!condition) refuse(what);
}

// The number of no place.
constexpr int64_t kNone = INT64_MIN;

[[noreturn]] void out_of_range() { throw nb::index_error("an index is out of range"); }

void check(exact::Placed placed) {
  if (placed == exact::Placed::kOutOfRange) out_of_range();
  if (placed == exact::Placed::kNoMemory) no_memory();
}

template <class T>
exact::AddRows<T> added_rows(const View& target, const View& index, const View& rows, int64_t skipped) {
  const long step = rows.shape[0] > 1 ? rows.strides[0] : 0;
  return {static_cast<T*>(target.data), target.shape[0], static_cast<const int64_t*>(index.data),
          static_cast<const T*>(rows.data), step, index.shape[0], target.shape[1], skipped};
}

// target [N, D], index [M], rows [M, D], whose rows may lie apart or be one
void add_rows(nb::handle target_tensor, nb::handle index_tensor, nb::handle rows_tensor, int64_t skipped) {
  const View target = rows_of(target_tensor, "target", 2);
  const View index = rows_of(index_tensor, "index", 1);
  const View rows = need(rows_tensor, "rows");
  require(rows.ndim == 2 && (rows.strides[1] == 1 || rows.shape[1] == 1), "rows");
  require(index.dtype == DType::kInt64 && rows.dtype == target.dtype, "dtypes");
  require(rows.shape[0] == index.shape[0] && rows.shape[1] == target.shape[1], "shapes");
  if (rows.numel() == 0) return;
  auto placed = exact::Placed::kDone;
  const double size = static_cast<double>(rows.numel());
  if (target.dtype == DType::kFloat32) {
    const auto added = added_rows<float>(target, index, rows, skipped);
    work(size, [&](int threads) { placed = kernels().add_rows_f32(added, threads); });
  } else if (target.dtype == DType::kFloat64) {
    const auto added = added_rows<double>(target, index, rows, skipped);
    work(size, [&](int threads) { placed = kernels().add_rows_f64(added, threads); });
  } else {
    refuse("rows are added in float32 and float64");
  }
  check(placed);
}

template <class T>
exact::AddPlanes<T> added_planes(const View& target, const View& index, const View& values, long inner,
                                 int64_t skipped, bool fresh) {
  const bool shared = index.shape[0] == 1 && target.shape[0] > 1;
  return {static_cast<T*>(target.data), target.shape[0], target.shape[1], static_cast<const int64_t*>(index.data),
          static_cast<const T*>(values.data), index.shape[1], inner, skipped, shared || skipped != kNone, fresh};
}

// target [P, N], index [P, M] or [1, M], values [P, M]; or [N], [M] and [M]
void add_planes(nb::handle target_tensor, nb::handle index_tensor, nb::handle values_tensor, int64_t inner,
                int64_t skipped, bool fresh) {
  const View target = planes_of(target_tensor, "target");
  const View index = planes_of(index_tensor, "index");
  const View values = planes_of(values_tensor, "values");
  require(index.dtype == DType::kInt64 && values.dtype == target.dtype, "dtypes");
  require(values.shape[0] == target.shape[0] && values.shape[1] == index.shape[1], "shapes");
  require(index.shape[0] == 1 || index.shape[0] == target.shape[0], "shapes");
  require(inner >= 1 && (inner == 1 || (index.shape[0] == target.shape[0] && skipped < 0)), "inner");
  require(target.shape[1] % inner == 0 && index.shape[1] % inner == 0, "inner");
  require(skipped == kNone || index.shape[0] == 1, "skipped");
  auto placed = exact::Placed::kDone;
  const double size = static_cast<double>(values.numel() + target.numel());
  if (target.dtype == DType::kFloat32) {
    const auto added = added_planes<float>(target, index, values, inner, skipped, fresh);
    work(size, [&](int threads) { placed = kernels().add_planes_f32(added, threads); });
  } else if (target.dtype == DType::kFloat64) {
    const auto added = added_planes<double>(target, index, values, inner, skipped, fresh);
    work(size, [&](int threads) { placed = kernels().add_planes_f64(added, threads); });
  } else {
    refuse("values are added in float32 and float64");
  }
  check(placed);
}

void put_rows(nb::handle target_tensor, nb::handle index_tensor, nb::handle rows_tensor) {
  const View target = rows_of(target_tensor, "target", 2);
  const View index = rows_of(index_tensor, "index", 1);
  const View rows = rows_of(rows_tensor, "rows", 2);
  require(index.dtype == DType::kInt64 && rows.dtype == target.dtype, "dtypes");
  require(rows.shape[0] == index.shape[0] && rows.shape[1] == target.shape[1], "shapes");
  const size_t bytes = static_cast<size_t>(target.shape[1] * exact::size_of(target.dtype));
  if (!exact::put_rows(static_cast<char*>(target.data), target.shape[0], static_cast<const int64_t*>(index.data),
                       static_cast<const char*>(rows.data), index.shape[0], bytes)) {
    out_of_range();
  }
}

}  // namespace

void add_placing_calls(nb::module_& module) {
  module.def("add_rows", add_rows, nb::arg("target"), nb::arg("index"), nb::arg("rows"), nb::arg("skipped") = kNone,
             "target[index[i]] += rows[i], each place by one sum; rows for the place `skipped` are left out.");
  module.def("add_planes", add_planes, nb::arg("target"), nb::arg("index"), nb::arg("values"), nb::arg("inner") = 1,
             nb::arg("skipped") = kNone, nb::arg("fresh") = false,
             "target[p][index[p][i] * inner + i % inner] += values[p][i], each place by one sum; fresh: from zeros.");
  module.def("put_rows", put_rows, nb::arg("target"), nb::arg("index"), nb::arg("rows"),
             "target[index[i]] = rows[i], for i in order.");
}

}  // namespace samebits::python::exact_arithmetic
