// The inputs of an operation: what each tensor holds, and the plain values beside them.
#include <cstring>

#include "python/recorder_call.hpp"

namespace samebits::python {

uint64_t Recorder::hash_value(PyObject* value) {
  // dtypes, layouts and memory formats are single objects; what they are called tells them apart.
  auto it = values_.find(value);
  if (it != values_.end()) return it->second;
  const char* type = Py_TYPE(value)->tp_name;
  uint64_t hash = chain_bytes(kStart, type, std::strlen(type));
  if (std::strcmp(type, "torch.dtype") == 0 || std::strcmp(type, "torch.layout") == 0 ||
      std::strcmp(type, "torch.memory_format") == 0) {
    PyObject* text = PyObject_Str(value);
    if (text != nullptr) {
      Py_ssize_t size = 0;
      const char* utf8 = PyUnicode_AsUTF8AndSize(text, &size);
      if (utf8 != nullptr) hash = chain_bytes(hash, utf8, static_cast<size_t>(size));
      Py_DECREF(text);
    }
    PyErr_Clear();
    values_.emplace(owned_.keep(value), hash);
  }
  return hash;  // others (devices, generators) by their type alone: they do not change bits
}

uint64_t Recorder::unusual_fingerprint(PyObject* tensor, bool* known) {
  *known = false;
  PyObject* answer = PyObject_CallFunctionObjArgs(callbacks_.unusual, tensor, nullptr);
  if (answer == nullptr) {
    PyErr_Clear();
    return kOpaqueMark;
  }
  uint64_t result = kOpaqueMark;
  if (answer != Py_None) {
    result = PyLong_AsUnsignedLongLong(answer);
    *known = !PyErr_Occurred();
    PyErr_Clear();
  }
  Py_DECREF(answer);
  return *known ? result : kOpaqueMark;
}

// A device's fingerprint is asked for now and read at the next flush, so that the device never waits.
void Recorder::defer(Call& call, PyObject* tensor, bool is_data) {
  PyObject* later = PyObject_CallFunctionObjArgs(callbacks_.on_device, tensor, nullptr);
  if (later == nullptr) {
    PyErr_Clear();
    call.flags |= kOpaque;
    return;
  }
  call.elsewhere.emplace_back(is_data, later);
}

void Recorder::visit_tensor(Call& call, PyObject* object, bool written) {
  TensorView view;
  if (written) call.written.push_back(object);
  if (!written && (call.op.traits & kCopies) != 0) call.copied.push_back(object);
  if (!tensors.view(object, &view)) {
    bool known = false;
    call.inputs = combine(call.inputs, unusual_fingerprint(object, &known));
    return;
  }
  const record::Extent extent = view.extent();
  if (extent.bytes == 0) {
    call.inputs = combine(call.inputs, view.shape_hash());
    return;
  }
  const bool filled = written || (call.op.traits & kReceives) != 0;
  if (filled && (call.op.traits & kOverwrites) != 0) {
    // While the bytes are what they were; of what is written in full nothing is left to tell.
    constexpr uint32_t kKeeps = kResizes | kAttaches | kReceives | kWritesPart;
    const bool keeps = (call.op.traits & kKeeps) != 0 || !view.fills(extent);
    if (view.on_cpu && keeps) memory_->unwritten.still_touches(extent);
    return;
  }
  const uint64_t key = view.key(extent);
  const bool is_view = (call.op.flags & kView) != 0;
  if (is_view) call.keys.push_back(key);
  if ((call.op.traits & kWaits) != 0 || (is_view && is_arriving(view))) {
    // Nothing is read, and what comes may still be under way.
    call.arriving = call.arriving || is_view;
    call.inputs = combine(call.inputs, view.layout_hash());
    return;
  }
  if (!view.on_cpu) {
    const bool arrived = take_arrival(call, view);
    const bool seen = !is_view && !memory_->received.empty();
    if (arrived || memory_->known.find(key) == nullptr) {
      memory_->known.mark(key, 0);
      if (arrived || !tensors.was_written(object)) {
        defer(call, object, true);
        if (seen && !call.elsewhere.empty()) look(view, extent, 0, call.elsewhere.back().second);
      }
    }
    return;
  }
  if (is_unwritten(view)) {
    call.inputs = combine(call.inputs, kUnwrittenMark);
    const bool reads = (call.op.traits & kReceives) == 0 && !(written && (call.op.traits & kWritesPart) != 0);
    if (reads) call.flags |= kReadsUnwritten;
    return;
  }
  const uint64_t probe = record::probe(extent);
  record::KnownMemory::Entry* entry = memory_->known.find(key);
  const bool unseen = !is_view && (entry == nullptr || entry->probe != probe);
  const bool arrived = take_arrival(call, view) || (unseen && still_arrives(call, extent));
  const bool known = !arrived && entry != nullptr && entry->probe == probe &&
                     (call.op.traits & kIsSource) == 0;
  const bool is_changing = is_view && !known && (call.op.traits & kIsSource) == 0 && was_given(extent);
  if ((known && is_view) || is_changing) {  // it reads nothing; whoever reads it sees what has come meanwhile
    call.arriving = call.arriving || is_changing;
    call.inputs = combine(call.inputs, view.layout_hash());
    return;
  }
  uint64_t sum = 0;
  if (known && entry->read) {
    sum = entry->sum;
  } else {
    sum = sum_content(view, extent, threads);
    memory_->known.put(key, probe, sum);
  }
  if (!is_view && !written && !memory_->transfers.empty() && may_arrive(extent)) {
    call.under_way.emplace_back(object, sum);
  }
  const uint64_t value = digest_content(view, sum);
  if (!is_view && !memory_->received.empty()) look(view, extent, value);
  // What torch wrote in place, through some other view, is no more data than what it returned.
  if (!known && (arrived || !tensors.was_written(object))) {
    call.data = combine(call.data == 0 ? kStart : call.data, value);
  }
  if (is_view && (call.op.traits & kIsSource) == 0) {
    call.inputs = combine(call.inputs, view.layout_hash());
    return;
  }
  call.inputs = combine(call.inputs, value);
}

void Recorder::visit_input(Call& call, PyObject* object, bool written, int depth) {
  if (tensors.is_tensor(object)) {
    visit_tensor(call, object, written);
  } else if (PyBool_Check(object)) {
    call.args = chain(call.args, object == Py_True ? 2 : 3);
  } else if (object == Py_None) {
    call.args = chain(call.args, 1);
  } else if (PyLong_Check(object)) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    // Beyond 64 bits Python's own hash of the number, which is the same in every process.
    const uint64_t bits = overflow == 0 ? static_cast<uint64_t>(value)
                                        : static_cast<uint64_t>(PyObject_Hash(object)) ^ 7;
    call.args = chain(call.args, bits);
  } else if (PyFloat_Check(object)) {
    const double value = PyFloat_AS_DOUBLE(object);
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    call.args = chain(call.args, bits);
  } else if (depth < kMaxDepth && PyList_Check(object)) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(object); ++i) {
      visit_input(call, PyList_GET_ITEM(object, i), written, depth + 1);
    }
    call.args = chain(call.args, static_cast<uint64_t>(PyList_GET_SIZE(object)));
  } else if (depth < kMaxDepth && PyTuple_Check(object)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i) {
      visit_input(call, PyTuple_GET_ITEM(object, i), written, depth + 1);
    }
    call.args = chain(call.args, static_cast<uint64_t>(PyTuple_GET_SIZE(object)));
  } else if (PyUnicode_Check(object)) {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(object, &size);
    if (text != nullptr) call.args = chain_bytes(call.args, text, static_cast<size_t>(size));
    PyErr_Clear();
  } else {
    call.args = chain(call.args, hash_value(object));
  }
}

}  // namespace samebits::python
