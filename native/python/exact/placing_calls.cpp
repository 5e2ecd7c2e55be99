// Adding and writing by index, as Python calls it.
#include "exact/placing.hpp"

#include "python/exact/kernel_calls.hpp"
#include "python/exact/tensors.hpp"

namespace nb = nanobind;

namespace samebits::python::exact_arithmetic {
namespace {

View rows_of(nb::handle tensor, const char* what, int ndim) {
  View view;
  if (!view_of(tensor.ptr(), &view) || !view.contiguous() || view.ndim != ndim) throw nb::value_error(what);
  return view;
}

void require(bool condition, const char* what) {
  if (!condition) throw nb::value_error(what);
}

[[noreturn]] void out_of_range() { throw nb::index_error("an index is out of range"); }

// target [N, D], index [M], rows [M, D]
void add_rows(nb::handle target_tensor, nb::handle index_tensor, nb::handle rows_tensor) {
  const View target = rows_of(target_tensor, "target", 2);
  const View index = rows_of(index_tensor, "index", 1);
  const View rows = rows_of(rows_tensor, "rows", 2);
  require(index.dtype == DType::kInt64 && rows.dtype == target.dtype, "dtypes");
  require(rows.shape[0] == index.shape[0] && rows.shape[1] == target.shape[1], "shapes");
  const int threads = thread_count();
  const auto* places = static_cast<const int64_t*>(index.data);
  bool good = false;
  const auto add = [&](auto* to, const auto* from) {
    nb::gil_scoped_release released;
    good = exact::add_rows(to, target.shape[0], places, from, index.shape[0], target.shape[1], threads);
  };
  if (target.dtype == DType::kFloat32) {
    add(static_cast<float*>(target.data), static_cast<const float*>(rows.data));
  } else {
    require(target.dtype == DType::kFloat64, "dtypes");
    add(static_cast<double*>(target.data), static_cast<const double*>(rows.data));
  }
  if (!good) out_of_range();
}

// target [P, N], index [P, M], values [P, M]
void add_planes(nb::handle target_tensor, nb::handle index_tensor, nb::handle values_tensor) {
  const View target = rows_of(target_tensor, "target", 2);
  const View index = rows_of(index_tensor, "index", 2);
  const View values = rows_of(values_tensor, "values", 2);
  require(index.dtype == DType::kInt64 && values.dtype == target.dtype, "dtypes");
  require(values.shape[0] == target.shape[0] && index.shape[0] == target.shape[0] && values.shape[1] == index.shape[1], "shapes");
  const int threads = thread_count();
  const auto* places = static_cast<const int64_t*>(index.data);
  bool good = false;
  const auto add = [&](auto* to, const auto* from) {
    nb::gil_scoped_release released;
    good = exact::add_planes(to, target.shape[0], target.shape[1], places, from, index.shape[1], threads);
  };
  if (target.dtype == DType::kFloat32) {
    add(static_cast<float*>(target.data), static_cast<const float*>(values.data));
  } else {
    require(target.dtype == DType::kFloat64, "dtypes");
    add(static_cast<double*>(target.data), static_cast<const double*>(values.data));
  }
  if (!good) out_of_range();
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
  module.def("add_rows", add_rows, nb::arg("target"), nb::arg("index"), nb::arg("rows"),
             "target[index[i]] += rows[i], for i in order.");
  module.def("add_planes", add_planes, nb::arg("target"), nb::arg("index"), nb::arg("values"),
             "target[p][index[p][i]] += values[p][i], for i in order.");
  module.def("put_rows", put_rows, nb::arg("target"), nb::arg("index"), nb::arg("rows"),
             "target[index[i]] = rows[i], for i in order.");
}

}  // namespace samebits::python::exact_arithmetic
