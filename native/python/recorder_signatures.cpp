// Signatures: dtype and shape of what an operation gives, written out once each.
#include "python/recorder_call.hpp"

namespace samebits::python {

void Recorder::append_signature(std::string& text, PyObject* object, int depth) {
  if (tensors.is_tensor(object)) {
    if (!text.empty()) text += "; ";
    TensorView view;
    if (!tensors.view(object, &view)) {
      text += "tensor";
      return;
    }
    text += tensors.dtype_name(view.dtype_code);
    text += '[';
    for (int i = 0; i < view.ndim; ++i) {
      if (i != 0) text += ", ";
      text += std::to_string(view.shape[i]);
    }
    text += ']';
  } else if (depth < kMaxDepth && (PyTuple_Check(object) || PyList_Check(object))) {
    const Py_ssize_t size = PySequence_Fast_GET_SIZE(object);
    for (Py_ssize_t i = 0; i < size; ++i) {
      append_signature(text, PySequence_Fast_GET_ITEM(object, i), depth + 1);
    }
  }
}

int32_t Recorder::signature_code(uint64_t shapes, PyObject* result,
                                 const std::vector<PyObject*>& written) {
  auto [it, is_new] = signatures_.try_emplace(shapes, static_cast<int32_t>(signatures_.size()));
  if (is_new) {
    std::string text;
    bool returned = false;
    for (PyObject* tensor : written) returned = returned || tensor == result;
    if (!returned) append_signature(text, result, 0);
    for (PyObject* tensor : written) append_signature(text, tensor, 0);
    fresh_signatures.push_back(std::move(text));
  }
  return it->second;
}

}  // namespace samebits::python
