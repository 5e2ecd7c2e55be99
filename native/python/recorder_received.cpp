// The recorder's fourth part: what came from other processes, and what is seen of it at the first look.
#include "python/recorder_call.hpp"

namespace samebits::python {

void Recorder::see_arrival(PyObject* tensor) { see_arrivals(tensor, false); }

void Recorder::see_arrivals(PyObject* object, bool under_way, int depth) {
  if (tensors.is_tensor(object)) {
    TensorView view;
    if (!watching || !tensors.view(object, &view)) return;
    const record::Extent extent = view.extent();
    if (under_way && view.on_cpu) memory_->unwritten.written(extent);
    memory_->received.forget(extent);
    if (memory_->arrived.size() >= kMostArrived) memory_->arrived.clear();
    memory_->arrived[view.data] = under_way;
  } else if (under_way && depth < kMaxDepth && (PyTuple_Check(object) || PyList_Check(object))) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
      see_arrivals(PySequence_Fast_GET_ITEM(object, i), under_way, depth + 1);
    }
  }
}

// Whether a collective or a message fills this tensor, and nobody has read it since it was begun.
bool Recorder::is_arriving(const TensorView& view) const {
  if (memory_->arrived.empty()) return false;
  const auto found = memory_->arrived.find(view.data);
  return found != memory_->arrived.end() && found->second;
}

// Whether nobody has read this tensor since it came; from here on somebody has.
bool Recorder::take_arrival(Call& call, const TensorView& view) {
  if (memory_->arrived.empty()) return false;
  const auto found = memory_->arrived.find(view.data);
  if (found == memory_->arrived.end()) return false;
  if (found->second) call.flags |= kReceived;
  memory_->arrived.erase(found);
  return true;
}

record::Collective Recorder::collective_of(const Op& op, PyObject* args, bool* known) {
  record::Collective collective{this, total_rows, 0, 0};
  *known = false;
  if ((op.traits & (kSharesArgument | kSharesResult)) == 0 || PyTuple_GET_SIZE(args) == 0) return collective;
  PyObject* answer = PyObject_CallFunctionObjArgs(callbacks_.collective, args, nullptr);
  if (answer != nullptr && PyTuple_Check(answer) && PyTuple_GET_SIZE(answer) == 2) {
    collective.group = static_cast<int32_t>(PyLong_AsLong(PyTuple_GET_ITEM(answer, 0)));
    collective.sequence = PyLong_AsUnsignedLongLong(PyTuple_GET_ITEM(answer, 1));
    *known = !PyErr_Occurred();
  }
  Py_XDECREF(answer);
  PyErr_Clear();
  return collective;
}

// The tensors of a result, numbered from `part` on: from now on the first look at each counts.
void Recorder::see_results(PyObject* object, record::Collective collective, uint64_t* part, int depth) {
  if (tensors.is_tensor(object)) {
    TensorView view;
    const uint64_t number = (*part)++;
    if (!tensors.view(object, &view)) return;
    const record::Extent extent = view.extent();
    if (!view.fills(extent)) return;  // what lies between its elements is none of it
    memory_->received.add(extent, {extent.bytes, collective, number, tensors.allocation(object), {}});
  } else if (depth < kMaxDepth && (PyTuple_Check(object) || PyList_Check(object))) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
      see_results(PySequence_Fast_GET_ITEM(object, i), collective, part, depth + 1);
    }
  }
}

// Something reads the extent: if that is the first look at this part of a result, what is seen is kept.
void Recorder::look(const TensorView& view, const record::Extent& extent, uint64_t digest, PyObject* later) {
  size_t offset = 0;
  record::ReceivedMemory::Result* result = memory_->received.find(extent, &offset);
  if (result == nullptr || result->collective.recorder != this) return;
  const uint64_t place = combine(combine(result->part, offset), view.layout_hash());
  if (!result->first_look(place)) return;
  if (later != nullptr) received_elsewhere.emplace_back(received.size(), Py_NewRef(later));
  received.append(result->collective, total_rows, place, digest);
}

}  // namespace samebits::python
