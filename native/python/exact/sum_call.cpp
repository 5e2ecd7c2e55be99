// The sums that training steps are full of, without the way through Python.
#include "python/exact/sum_call.hpp"

#include "exact/builds.hpp"
#include "python/exact/tensors.hpp"

namespace samebits::python::exact_arithmetic {
namespace {

using samebits::exact::kernels;
using samebits::exact::kMaxDims;
using samebits::exact::Summand;

// Below this many values one thread is enough, and keeps the interpreter.
constexpr int64_t kWork = 30000;

// Axes [first, last) of the tensor; false where they are others, or there is something to complain about.
bool axes_of(PyObject* dims, int ndim, int* first, int* last) {
  *first = 0;
  *last = ndim;
  if (dims == nullptr || dims == Py_None) return true;
  if (!PyList_Check(dims) && !PyTuple_Check(dims)) return false;
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(dims);
  if (count == 0) return true;
  bool summed[kMaxDims] = {};
  int lowest = ndim;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* item = PySequence_Fast_GET_ITEM(dims, i);
    if (!PyLong_CheckExact(item)) return false;
    int overflow = 0;
    long dim = PyLong_AsLongAndOverflow(item, &overflow);
    if (overflow != 0 || dim < -ndim || dim >= ndim) return false;
    if (dim < 0) dim += ndim;
    if (summed[dim]) return false;
    summed[dim] = true;
    if (dim < lowest) lowest = static_cast<int>(dim);
  }
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!summed[lowest + i]) return false;
  }
  *first = lowest;
  *last = lowest + static_cast<int>(count);
  return true;
}

template <class T>
bool run(const View& x, const View& out, long before, long count, long after, int threads) {
  const auto* from = static_cast<const T*>(x.data);
  auto* to = static_cast<T*>(out.data);
  if (after == 1) {
    const exact::RowSums<T> rows{from, from, to, before, count, 1, 0, 1, 0, count, Summand::kValue};
    if constexpr (sizeof(T) == 4) return kernels().sum_rows_f32(rows, threads);
    else return kernels().sum_rows_f64(rows, threads);
  }
  const exact::ColumnSums<T> columns{from, to, before, count * after, count, after, after, Summand::kValue};
  if constexpr (sizeof(T) == 4) return kernels().sum_columns_f32(columns, threads);
  else return kernels().sum_columns_f64(columns, threads);
}

}  // namespace

PyObject* sum_of(PyObject* tensor, PyObject* dims, bool keepdim) {
  View x;
  int first = 0;
  int last = 0;
  const bool fits = view_of(tensor, &x) && (x.dtype == DType::kFloat32 || x.dtype == DType::kFloat64) &&
                    x.ndim > 0 && x.contiguous() && x.numel() > 0 && axes_of(dims, x.ndim, &first, &last);
  if (!fits) return Py_NewRef(Py_NotImplemented);
  long parts[3] = {1, 1, 1};  // places before the axes, in them, after them
  int64_t shape[kMaxDims];
  int ndim = 0;
  for (int d = 0; d < x.ndim; ++d) {
    const bool summed = d >= first && d < last;
    parts[d < first ? 0 : (summed ? 1 : 2)] *= x.shape[d];
    if (!summed || keepdim) shape[ndim++] = summed ? 1 : x.shape[d];
  }
  PyObject* result = new_tensor(x.dtype, ndim, shape, nullptr);
  if (result == nullptr) return nullptr;
  View out;
  bool done = view_of(result, &out);
  if (done) {
    const auto sum = [&](int threads) {
      return x.dtype == DType::kFloat32 ? run<float>(x, out, parts[0], parts[1], parts[2], threads)
                                        : run<double>(x, out, parts[0], parts[1], parts[2], threads);
    };
    if (x.numel() < kWork) {
      done = sum(1);
    } else {
      const int threads = thread_count();
      Py_BEGIN_ALLOW_THREADS;
      done = sum(threads);
      Py_END_ALLOW_THREADS;
    }
  }
  if (!done) {
    Py_DECREF(result);
    return PyErr_NoMemory();
  }
  return result;
}

}  // namespace samebits::python::exact_arithmetic
