// Reading a torch tensor's memory and geometry from C++ without torch headers.
//
// torch exports a C table of functions for this as `Tensor.__dlpack_c_exchange_api__` (DLPack 1.3,
// https://dmlc.github.io/dlpack): its layout is fixed by that standard, so one build of samebits
// serves every torch that has it. Older ones are read through Python attributes, more slowly.
#pragma once

#include <Python.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "python/owned.hpp"
#include "record/known_memory.hpp"
#include "record/unwritten_memory.hpp"

namespace samebits::python {

constexpr int kMaxDims = 16;

struct TensorView {
  const void* data = nullptr;
  int32_t itemsize = 0;
  int32_t ndim = 0;
  uint8_t dtype_code = 0;
  bool on_cpu = true;
  const int64_t* shape = nullptr;
  const int64_t* strides = nullptr;  // in elements
  int64_t own_shape[kMaxDims];       // used only when read through Python attributes
  int64_t own_strides[kMaxDims];

  int64_t numel() const {
    int64_t n = 1;
    for (int i = 0; i < ndim; ++i) n *= shape[i];
    return n;
  }
  // False for elements without storage: the symbolic zeros of forward-mode differentiation, and
  // tensors whose storage was resized to nothing.
  bool has_memory() const { return data != nullptr || numel() == 0; }
  record::Extent extent() const;
  // Hash of dtype and shape: what a result looks like.
  uint64_t shape_hash() const;
  // Hash of dtype, shape and strides: how the bytes are to be read.
  uint64_t layout_hash() const;
  // Row-major without gaps; strides of dimensions of size 1 say nothing.
  bool is_contiguous() const;
  // Whether each byte of the extent belongs to the tensor, so that writing it writes all of them.
  bool fills(const record::Extent& extent) const {
    return static_cast<size_t>(numel()) * static_cast<size_t>(itemsize) == extent.bytes;
  }
  // Identity for the known-memory table. Tensors that fill the same bytes share one, however they
  // are shaped; others go by their geometry.
  uint64_t key(const record::Extent& extent) const;
  // Calls each(extent) for each unbroken stretch of the tensor's bytes; false, with nothing called,
  // where they are more than `most`.
  template <typename Each>
  bool each_run(int64_t most, const Each& each) const;
};

template <typename Each>
bool TensorView::each_run(int64_t most, const Each& each) const {
  int order[kMaxDims];
  int dims = 0;
  for (int i = 0; i < ndim; ++i) {
    if (shape[i] == 0) return true;
    if (shape[i] != 1 && strides[i] != 0) order[dims++] = i;
  }
  std::sort(order, order + dims, [this](int a, int b) { return strides[a] < strides[b]; });
  int64_t run = 1;
  int inner = 0;
  while (inner < dims && strides[order[inner]] == run) run *= shape[order[inner++]];
  int64_t runs = 1;
  for (int i = inner; i < dims; ++i) runs *= shape[order[i]];
  if (runs > most) return false;
  int64_t at[kMaxDims] = {};
  const auto* first = static_cast<const unsigned char*>(data);
  for (int64_t n = 0; n < runs; ++n) {
    int64_t offset = 0;
    for (int i = inner; i < dims; ++i) offset += at[i] * strides[order[i]];
    each(record::Extent{first + offset * itemsize, static_cast<size_t>(run * itemsize)});
    for (int i = inner; i < dims && ++at[i] == shape[order[i]]; ++i) at[i] = 0;
  }
  return true;
}

enum class TensorKind : uint8_t { kPlain = 0, kOwnRules = 1, kNoMemory = 2 };

class TensorAccess {
 public:
  // Finds torch's exchange table; `tensor_type` is torch.Tensor, `dtype_codes` is a tuple of three
  // dicts: {torch.dtype: code}, {(DLPack code, bits): code} and {code: name}, with the
  // fingerprint's dtype codes. Returns false with a Python exception set on failure.
  // `kind_of_type(type) -> int` sorts tensor types.
  bool init(PyObject* tensor_type, PyObject* parameter_type, PyObject* dtype_codes,
            PyObject* kind_of_type);

  bool is_tensor(PyObject* object) const {
    PyTypeObject* type = Py_TYPE(object);
    return type == tensor_type_ || type == parameter_type_ || PyType_IsSubtype(type, tensor_type_);
  }
  // What kind of tensor a type makes; asked of Python once a type.
  TensorKind kind_of(PyObject* type) const;
  // False (no Python exception left) when the tensor has no plain strided memory: sparse,
  // quantized, nested, a wrapper subclass, a conjugate view, without storage, more than kMaxDims
  // dimensions.
  bool view(PyObject* tensor, TensorView* out) const;
  // The dtype code of a tensor whose values lie in this processor's memory by strides; 0 (no Python
  // exception left) for every other one. May say 0 of a plain tensor, never more of another.
  uint8_t plain_dtype(PyObject* tensor) const;
  // Asks the tensor `is_conj` or `is_neg`: whether its values are not those that its memory holds.
  bool is_lazy(PyObject* tensor, const char* question) const;
  void release() {
    kinds_.clear();
    owned_.release();
  }
  // Where the allocation of a tensor, or of a storage, lies; empty when it has none to show.
  record::Extent storage(PyObject* object) const;
  // The allocation itself, which is told apart from any later one at the same address.
  std::shared_ptr<const record::Allocation> allocation(PyObject* object) const;
  // Whether torch wrote into this tensor's memory in place, by its version counter.
  bool was_written(PyObject* tensor) const;
  const std::string& dtype_name(uint8_t code) const { return names_[code]; }

 private:
  bool view_by_attributes(PyObject* tensor, TensorView* out) const;
  PyObject* storage_of(PyObject* object) const;  // a new reference, or nullptr

  PyTypeObject* tensor_type_ = nullptr;
  PyTypeObject* parameter_type_ = nullptr;
  PyObject* dtype_codes_ = nullptr;
  mutable Owned owned_;
  PyObject* kind_of_type_ = nullptr;
  mutable std::unordered_map<PyObject*, TensorKind> kinds_;
  const void* exchange_ = nullptr;
  std::vector<std::string> names_ = std::vector<std::string>(256);
};


}  // namespace samebits::python
