// Tensors as the kernels see them, and the making of new ones.
#pragma once

#include <Python.h>

#include "exact/elementwise.hpp"
#include "python/tensor_access.hpp"

namespace samebits::python::exact_arithmetic {

using samebits::exact::DType;

struct View {
  void* data = nullptr;
  DType dtype = DType::kNone;
  int ndim = 0;
  int64_t shape[samebits::exact::kMaxDims];
  int64_t strides[samebits::exact::kMaxDims];

  int64_t numel() const {
    int64_t n = 1;
    for (int d = 0; d < ndim; ++d) n *= shape[d];
    return n;
  }
  bool contiguous() const;
  bool same_shape(const View& other) const {
    bool same = ndim == other.ndim;
    for (int d = 0; same && d < ndim; ++d) same = shape[d] == other.shape[d];
    return same;
  }
};

// Everything that is asked of torch; filled once.
struct Torch {
  TensorAccess access;
  PyObject* empty_strided = nullptr;  // torch.empty_strided
  PyObject* get_num_threads = nullptr;
  PyObject* cpu = nullptr;  // torch.device("cpu")
  PyObject* strided = nullptr;     // torch.strided
  PyObject* dtype_codes = nullptr;  // {torch.dtype: the fingerprint's number}
  PyTypeObject* dtype_type = nullptr;
  PyObject* tensor = nullptr;     // torch.Tensor
  PyObject* parameter = nullptr;  // torch.nn.Parameter
  PyObject* dispatches_not = nullptr;  // the __torch_dispatch__ of types that have none of their own
  PyObject* dtypes[16] = {};
  DType kinds[256] = {};  // by the fingerprint's number of a dtype
  PyObject* empty_names = nullptr;  // ("dtype", "device")
  bool ready = false;
};
extern Torch g_torch;

// False, with no Python error set, when the object is no tensor in this processor's memory that the
// kernels can read.
bool view_of(PyObject* tensor, View* out);

// A new tensor, its axes in memory in the order `strides` gives (row-major where null); null with a
// Python error set.
PyObject* new_tensor(DType dtype, int ndim, const int64_t* shape, const int64_t* strides);

int thread_count();

}  // namespace samebits::python::exact_arithmetic
