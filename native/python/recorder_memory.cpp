// The recorder's third part: which of a tensor's bytes nobody has written yet.
#include <vector>

#include "python/recorder_call.hpp"

namespace samebits::python {

bool Recorder::is_unwritten(const TensorView& view) {
  const record::Extent extent = view.extent();
  if (!memory_->unwritten.still_touches(extent)) return false;
  if (view.fills(extent)) return true;
  bool found = false;
  const bool counted = view.each_run(kMostRuns, [&](const record::Extent& run) {
    found = found || memory_->unwritten.touches(run);
  });
  return found || !counted;
}

// Of a copy as much means nothing as of what it was copied from. False when that was written in full.
bool Recorder::copied_unwritten(Call& call, PyObject* copy, const TensorView& view) {
  if (!call.copies_unwritten()) return false;
  const size_t number = call.copies++;
  if (number >= call.copied.size()) return false;
  TensorView source;
  if (!tensors.view(call.copied[number], &source) || !source.on_cpu || !is_unwritten(source)) return false;
  copy_unwritten(source, view, copy);
  return true;
}

void Recorder::copy_unwritten(const TensorView& source, const TensorView& copy, PyObject* object) {
  const record::Extent from = source.extent();
  const record::Extent to = copy.extent();
  std::vector<record::Extent> parts;
  memory_->unwritten.each_in(from, [&](const record::Extent& part) { parts.push_back(part); });
  const auto allocation = tensors.allocation(object);
  if (from.bytes == to.bytes && source.is_contiguous() && copy.is_contiguous()) {
    for (const record::Extent& part : parts) memory_->unwritten.add({to.first + (part.first - from.first), part.bytes}, allocation);
    return;
  }
  if (copy.numel() > kMostElements || source.ndim > copy.ndim) {
    memory_->unwritten.add(to, allocation);
    return;
  }
  // Element by element, the source stretched to the copy's shape.
  int64_t strides[kMaxDims] = {};
  for (int i = 0; i < source.ndim; ++i) {
    if (source.shape[i] != 1) strides[copy.ndim - source.ndim + i] = source.strides[i];
  }
  std::vector<const unsigned char*> places;
  int64_t at[kMaxDims] = {};
  const int64_t count = copy.numel();
  for (int64_t n = 0; n < count; ++n) {
    int64_t read = 0;
    int64_t write = 0;
    for (int i = 0; i < copy.ndim; ++i) {
      read += at[i] * strides[i];
      write += at[i] * copy.strides[i];
    }
    const unsigned char* element = static_cast<const unsigned char*>(source.data) + read * source.itemsize;
    auto after = std::upper_bound(parts.begin(), parts.end(), element,
                                  [](const unsigned char* p, const record::Extent& part) { return p < part.first; });
    if (after != parts.begin() && element < (after - 1)->first + (after - 1)->bytes) {
      places.push_back(static_cast<const unsigned char*>(copy.data) + write * copy.itemsize);
    }
    for (int i = copy.ndim - 1; i >= 0 && ++at[i] == copy.shape[i]; --i) at[i] = 0;
  }
  std::sort(places.begin(), places.end());
  std::vector<record::Extent> found;
  for (const unsigned char* place : places) {
    const auto bytes = static_cast<size_t>(copy.itemsize);
    if (!found.empty() && found.back().first + found.back().bytes == place) {
      found.back().bytes += bytes;
    } else {
      found.push_back({place, bytes});
    }
  }
  if (static_cast<int64_t>(found.size()) > kMostRuns) found = {to};
  for (const record::Extent& part : found) memory_->unwritten.add(part, allocation);
}

// Where the storage lies that an operation may resize: that of its first argument, or the one that
// `set_` hands over. What was written of it behind torch's back is taken note of while it is there.
record::Extent Recorder::storage_before(const Op& op, PyObject* args) {
  const Py_ssize_t which = (op.traits & kAttaches) != 0 ? 1 : 0;
  if (PyTuple_GET_SIZE(args) <= which) return {};
  PyObject* object = PyTuple_GET_ITEM(args, which);
  TensorView view;
  if (tensors.is_tensor(object) && tensors.view(object, &view) && !view.on_cpu) return {};
  return storage_before(object);
}

record::Extent Recorder::storage_before(PyObject* object) {
  const record::Extent before = tensors.storage(object);
  memory_->unwritten.still_touches(before);
  return before;
}

void Recorder::see_storage(PyObject* storage, const record::Extent& before) {
  if (!watching || !recording_ops || silent != 0) return;
  PyObject* device = PyObject_GetAttrString(storage, "device");
  PyObject* type = device != nullptr ? PyObject_GetAttrString(device, "type") : nullptr;
  const bool on_cpu = type != nullptr && PyUnicode_Check(type) && PyUnicode_CompareWithASCIIString(type, "cpu") == 0;
  Py_XDECREF(type);
  Py_XDECREF(device);
  PyErr_Clear();
  if (!on_cpu) return;
  const record::Extent after = tensors.storage(storage);
  if (after.first == before.first && after.bytes == before.bytes) return;
  memory_->unwritten.moved(before, after, tensors.allocation(storage));
}

}  // namespace samebits::python
