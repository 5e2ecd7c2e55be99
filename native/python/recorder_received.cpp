// The recorder's fourth part: what came from other processes, and what is seen of it at the first look.
#include <utility>

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
    if (under_way) memory_->transfers.add(extent, {extent.bytes, {this, total_rows, 0, 0}, 0, tensors.allocation(object), {}});
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

// Whether this memory, whose content no operation has made, was given to a collective or a message: what
// nobody has waited for may come long after the first look.
bool Recorder::still_arrives(Call& call, const record::Extent& extent) {
  if (!was_given(extent)) return false;
  call.flags |= kReceived;
  return true;
}

bool Recorder::was_given(const record::Extent& extent) {
  size_t offset = 0;
  return memory_->transfers.find(extent, &offset) != nullptr;
}

bool Recorder::may_arrive(const record::Extent& extent) {
  size_t offset = 0;
  const record::ReceivedMemory::Result* given = memory_->transfers.find(extent, &offset);
  return given != nullptr && given->collective.recorder == this && total_rows - given->collective.row < kSoon;
}

// An operation may have read something else than what was fingerprinted before it: what came meanwhile.
void Recorder::see_changes(Call& call) {
  for (const auto& [tensor, sum] : call.under_way) {
    TensorView view;
    if (!tensors.view(tensor, &view)) continue;
    if (sum_content(view, view.extent(), threads) != sum) call.flags |= kReceived | kChangedMeanwhile;
  }
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

// A collective that its caller waits for before it goes on: torch says so by the one flag among its arguments.
void Recorder::begin_synchronous(PyObject* args) {
  for (Py_ssize_t i = 1; i < PyTuple_GET_SIZE(args); ++i) {
    if (PyTuple_GET_ITEM(args, i) == Py_False) {
      waited_for_ = Py_NewRef(PyTuple_GET_ITEM(args, 0));
      waits_ = PyThread_get_thread_ident();
    }
  }
}

// It has been waited for: what its tensors hold now is its result. Who writes there later does so after it,
// so that no later look counts.
void Recorder::end_synchronous() {
  if (waited_for_ == nullptr || waits_ != PyThread_get_thread_ident()) return;
  PyObject* tensors_of_all = std::exchange(waited_for_, nullptr);
  if (watching) settle(tensors_of_all);
  Py_DECREF(tensors_of_all);
}

void Recorder::settle(PyObject* object, int depth) {
  if (tensors.is_tensor(object)) {
    TensorView view;
    if (!tensors.view(object, &view) || !view.on_cpu) return;
    const record::Extent extent = view.extent();
    size_t offset = 0;
    record::ReceivedMemory::Result* result = memory_->received.find(extent, &offset);
    if (result == nullptr || result->collective.recorder != this) return;
    const uint64_t place = combine(combine(result->part, offset), view.layout_hash());
    const uint64_t digest = digest_content(view, sum_content(view, extent, threads));
    received.append(result->collective, result->collective.row, place, digest);
    memory_->received.forget(extent);
  } else if (depth < kMaxDepth && (PyTuple_Check(object) || PyList_Check(object))) {
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(object); ++i) {
      settle(PySequence_Fast_GET_ITEM(object, i), depth + 1);
    }
  }
}

}  // namespace samebits::python
