// Digests of memory: NumPy's arrays and scalars through the buffer protocol, torch's CPU tensors
// through its exchange table.
#include <cstring>

#include "fingerprint/fingerprint.hpp"
#include "python/values/plain_digest.hpp"
#include "record/mix.hpp"

namespace samebits::python {
namespace {

constexpr uint8_t kBytesCode = 135;

uint64_t bytes_hash(const void* data, size_t size) {
  if (size <= 64) return record::chain_bytes(size, static_cast<const char*>(data), size);
  const auto length = static_cast<int64_t>(size);
  return fingerprint::of({data, 1, 1, &length, nullptr}, kBytesCode);
}

bool is_builtin_named(const PyTypeObject* type, const char* prefix) {
  return !(type->tp_flags & Py_TPFLAGS_HEAPTYPE) &&
         std::strncmp(type->tp_name, prefix, std::strlen(prefix)) == 0;
}

// Whether NumPy's own code, and none of a subclass, hands out the value's memory.
bool is_numpy(PyObject* value) {
  for (const PyTypeObject* type = Py_TYPE(value); type != nullptr; type = type->tp_base) {
    if (!is_builtin_named(type, "numpy.") && !is_builtin_named(type, "array.array")) continue;
    const PyBufferProcs* theirs = Py_TYPE(value)->tp_as_buffer;
    const PyBufferProcs* numpys = type->tp_as_buffer;
    return theirs != nullptr && numpys != nullptr && theirs->bf_getbuffer != nullptr &&
           theirs->bf_getbuffer == numpys->bf_getbuffer;
  }
  return false;
}

uint64_t shape_hash(int ndim, const int64_t* shape) {
  uint64_t state = static_cast<uint64_t>(ndim);
  for (int i = 0; i < ndim; ++i) state = record::chain(state, static_cast<uint64_t>(shape[i]));
  return state;
}

}  // namespace

uint64_t PlainDigest::text(const void* bytes, size_t size, Budget& budget) {
  const auto room = static_cast<size_t>(budget.bytes > 64 ? budget.bytes : 64);
  if (size <= room) {
    budget.bytes -= static_cast<int64_t>(size);
    return bytes_hash(bytes, size);
  }
  const size_t half = room / 2;
  budget.bytes = 0;
  const auto* first = static_cast<const char*>(bytes);
  const uint64_t ends =
      record::chain(bytes_hash(first, half), bytes_hash(first + size - half, half));
  return record::chain(ends, size);
}

uint64_t PlainDigest::memory(const void* data, int32_t itemsize, int ndim, const int64_t* shape,
                             const int64_t* strides, bool contiguous, Budget& budget) {
  int64_t bytes = itemsize;
  for (int i = 0; i < ndim; ++i) bytes *= shape[i];
  const uint64_t form = shape_hash(ndim, shape);
  if (bytes == 0 || data == nullptr) return form;
  if (contiguous) return record::chain(form, text(data, static_cast<size_t>(bytes), budget));
  const bool readable = itemsize <= 16 && (itemsize & (itemsize - 1)) == 0;
  if (!readable || bytes > (budget.bytes > 64 ? budget.bytes : 64)) return form;
  budget.bytes -= bytes;
  return record::chain(form, fingerprint::sum_view({data, itemsize, ndim, shape, strides}));
}

bool PlainDigest::buffer(PyObject* value, Budget& budget, uint64_t* hash) {
  if (!is_numpy(value)) return false;
  Py_buffer view;
  *hash = 0;
  if (PyObject_GetBuffer(value, &view, PyBUF_FORMAT | PyBUF_STRIDES) != 0) {
    PyErr_Clear();  // a dtype that the protocol does not know, such as datetime64
    return true;
  }
  const char* format = view.format != nullptr ? view.format : "B";
  int64_t shape[64];
  int64_t strides[64];
  bool whole = view.ndim <= 64 && view.itemsize > 0 && view.itemsize < (1 << 30);
  for (int i = 0; whole && i < view.ndim; ++i) {
    shape[i] = view.shape[i];
    strides[i] = view.strides[i] / view.itemsize;
  }
  for (int i = 0; whole && i < view.ndim; ++i) whole = view.strides[i] % view.itemsize == 0;
  *hash = record::chain_bytes(1, format, std::strlen(format));
  const bool contiguous = PyBuffer_IsContiguous(&view, 'C') != 0;
  if (std::strcmp(format, "O") == 0) {
    *hash = record::chain(*hash, static_cast<uint64_t>(view.len));
    auto** items = static_cast<PyObject**>(view.buf);
    const Py_ssize_t count = view.len / static_cast<Py_ssize_t>(sizeof(PyObject*));
    for (Py_ssize_t i = 0; contiguous && i < count && budget.nodes > 0; ++i) {
      if (items[i] == nullptr) continue;
      *hash = record::chain(*hash, walk(items[i], budget).hash);
    }
  } else if (whole && std::strchr(format, 'O') == nullptr) {
    *hash = record::chain(*hash, memory(view.buf, static_cast<int32_t>(view.itemsize), view.ndim,
                                        shape, strides, contiguous, budget));
  }
  PyBuffer_Release(&view);
  return true;
}

PlainDigest::Result PlainDigest::tensor(PyObject* value, Budget& budget) {
  TensorView view;
  const PyTypeObject* type = Py_TYPE(value);
  const uint64_t name = record::chain_bytes(2, type->tp_name, std::strlen(type->tp_name));
  if (!recorder_->tensors.view(value, &view)) return {name, ValueKind::kTensor};
  uint64_t hash = record::chain(name, view.shape_hash());
  if (!view.on_cpu || !view.has_memory()) return {hash, ValueKind::kTensor};
  // What nothing has written yet is different in every process and means nothing.
  if (recorder_->is_unwritten(view)) return {hash, ValueKind::kUnwritten};
  hash = record::chain(hash, memory(view.data, view.itemsize, view.ndim, view.shape, view.strides,
                                    view.is_contiguous(), budget));
  return {hash, ValueKind::kTensor};
}

}  // namespace samebits::python
