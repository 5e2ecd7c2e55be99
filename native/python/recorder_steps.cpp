// The recorder's third part: module calls, and what a step is known by: its batch, outputs and loss.
#include <cstring>

#include "python/recorder_call.hpp"
#include "python/stored_attributes.hpp"

namespace samebits::python {
namespace {

constexpr int kDeepestAttribute = 6;

bool is_array(PyObject* object) { return std::strcmp(Py_TYPE(object)->tp_name, "numpy.ndarray") == 0; }

}  // namespace

uint32_t Recorder::module_path(PyObject* root, PyObject* module) {
  const uint64_t key =
      chain(reinterpret_cast<uint64_t>(root), reinterpret_cast<uint64_t>(module));
  auto it = module_paths_.find(key);
  if (it != module_paths_.end()) return it->second;
  uint32_t path = 0;
  PyObject* answer = PyObject_CallFunctionObjArgs(callbacks_.name_module, root, module, nullptr);
  if (answer != nullptr) {
    path = static_cast<uint32_t>(PyLong_AsUnsignedLong(answer));
    Py_DECREF(answer);
  }
  PyErr_Clear();
  module_paths_.emplace(key, path);
  return path;
}

void Recorder::enter_module(PyObject* module) {
  if (!watching || silent != 0 || PyThread_get_thread_ident() != main_thread_) return;
  uint32_t path = 0;
  if (recording_ops || recording_modules) {
    path = module_path(modules_.empty() ? module : modules_.front().module, module);
  }
  modules_.push_back(ModuleFrame{module, path});
  if (phase == Phase::kSetup) phase = Phase::kForward;
}

void Recorder::leave_module(PyObject* module, PyObject* args, PyObject* result) {
  if (!watching || silent != 0 || PyThread_get_thread_ident() != main_thread_ || modules_.empty()) return;
  if (result != nullptr && recording_modules) append_module_row(module, args, result);
  modules_.pop_back();
  if (result != nullptr && modules_.empty()) {
    outputs = combine(outputs == 0 ? kStart : outputs, digest(result, Field::kOutputs));
  }
}

void Recorder::append_module_row(PyObject* module, PyObject* args, PyObject* result) {
  Op* op = op_of(reinterpret_cast<PyObject*>(Py_TYPE(module)));
  if (op == nullptr) {
    PyErr_Clear();
    return;
  }
  Call call(*op);
  place(call);
  record::Row row;
  row.step = step;
  row.phase = static_cast<uint8_t>(call.phase);
  row.op = op->code;
  row.site = call.site;
  row.inputs = digest(args, Field::kOther);
  row.outputs = digest(result, Field::kOther);
  std::string text;
  append_signature(text, result, 0);
  row.signature = signature_code(chain_bytes(kStart, text.data(), text.size()), result, {});
  row.flags = kModuleRow;
  if (!append_row(row)) give_up();
}

void Recorder::see_batch(PyObject* object) {
  if (watching && on_main_thread()) batch = combine(batch == 0 ? kStart : batch, digest(object, Field::kBatch));
}

// What an object of a class holds of tensors and arrays, such as a batch of graphs. Its other attributes
// may tell when it was made, or by whom. False where it holds none.
bool Recorder::digest_tensors_within(PyObject* object, int depth, uint64_t* state) {
  if (tensors.is_tensor(object) || is_array(object)) {
    *state = combine(*state, digest(object, Field::kBatch));
    return true;
  }
  if (depth > kDeepestAttribute) return false;
  bool found = false;
  if (PyDict_Check(object)) {
    Py_ssize_t position = 0;
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    while (PyDict_Next(object, &position, &key, &value)) {
      found = digest_tensors_within(value, depth + 1, state) || found;
    }
  } else if (PyTuple_Check(object) || PyList_Check(object)) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
      found = digest_tensors_within(PySequence_Fast_GET_ITEM(object, i), depth + 1, state) || found;
    }
  } else if (!PyType_Check(object) && !PyModule_Check(object)) {
    PyObject* attributes = own_dictionary(object);
    if (attributes != nullptr) found = digest_tensors_within(attributes, depth + 1, state);
    Py_XDECREF(attributes);
    for_each_slot(object, [&](PyObject*, PyObject* value) {
      found = digest_tensors_within(value, depth + 1, state) || found;
    });
  }
  return found;
}

void Recorder::see_loss(PyObject* object) {
  if (!watching || silent != 0 || !on_main_thread()) return;
  loss = combine(loss == 0 ? kStart : loss, digest(object, Field::kLoss));
  TensorView view;
  has_loss_value = false;
  if (!tensors.is_tensor(object) || !tensors.view(object, &view)) return;
  if (!view.on_cpu || view.numel() != 1) return;
  const std::string& dtype = tensors.dtype_name(view.dtype_code);
  if (dtype == "float32") {
    loss_value = static_cast<double>(*static_cast<const float*>(view.data));
    has_loss_value = true;
  } else if (dtype == "float64") {
    loss_value = *static_cast<const double*>(view.data);
    has_loss_value = true;
  }
}

uint64_t Recorder::digest(PyObject* object, Field field, int depth) {
  if (depth > kMaxDepth) return kOpaqueMark;
  if (tensors.is_tensor(object)) {
    TensorView view;
    if (!tensors.view(object, &view)) {
      bool known = false;
      return unusual_fingerprint(object, &known);
    }
    if (view.on_cpu && is_unwritten(view)) return combine(view.shape_hash(), kUnwrittenMark);
    if (view.on_cpu && !tensors.is_lazy(object, "is_neg")) return read_fingerprint(view, threads);
    if (view.on_cpu) {
      bool known = false;
      return unusual_fingerprint(object, &known);
    }
    PyObject* later = PyObject_CallFunctionObjArgs(callbacks_.on_device, object, nullptr);
    if (later != nullptr) digests_elsewhere.emplace_back(field, later);
    PyErr_Clear();
    return view.shape_hash();
  }
  if (PyTuple_Check(object) || PyList_Check(object)) {
    uint64_t state = kStart;
    // The size is read anew each time: a list may change under a callback.
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
      state = combine(state, digest(PySequence_Fast_GET_ITEM(object, i), field, depth + 1));
    }
    return combine(state, static_cast<uint64_t>(PySequence_Fast_GET_SIZE(object)));
  }
  if (PyDict_Check(object)) {
    uint64_t state = kStart;
    Py_ssize_t position = 0;
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    while (PyDict_Next(object, &position, &key, &value)) {
      state = combine(combine(state, digest(key, field, depth + 1)), digest(value, field, depth + 1));
    }
    return state;
  }
  const bool simple = object == Py_None || PyFloat_Check(object) || PyUnicode_Check(object) ||
                      PyLong_Check(object);
  if (!simple) {  // arrays, complex numbers, bytes, sets: by the public fingerprint's rules
    bool known = false;
    const uint64_t value = unusual_fingerprint(object, &known);
    if (known) return value;
    if (field == Field::kBatch) {
      uint64_t state = kStart;
      if (digest_tensors_within(object, 0, &state)) return state;
      is_batch_unread = true;
    }
  }
  // Numbers, strings and the like: the same reading as for an operation's arguments.
  static const Op kNone{};
  Call call(kNone);
  visit_input(call, object, false, kMaxDepth);
  return call.args;
}

}  // namespace samebits::python
