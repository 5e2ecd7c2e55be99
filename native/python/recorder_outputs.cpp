// The recorder's second part: what an operation gave back, and the row it becomes.
#include <cmath>
#include <cstring>

#include "fingerprint/fingerprint.hpp"
#include "python/recorder_call.hpp"

namespace samebits::python {

// The fingerprint of what an operation made; its content is known from here on.
uint64_t Recorder::remember(const TensorView& view, const record::Extent& extent, uint64_t key) {
  if (extent.bytes != 0 && view.is_contiguous()) {
    const uint64_t sum = fingerprint::sum_words_parallel(extent.first, extent.bytes, threads);
    memory_->known.put(key, record::probe(extent), sum);
    return fingerprint::finalise(sum, view.dtype_code, view.ndim, view.shape);
  }
  if (extent.bytes != 0) memory_->known.mark(key, record::probe(extent));
  return read_fingerprint(view, threads);
}

// A result without plain memory counts by its parts, or is opaque.
void Recorder::note_unusual(Call& call, PyObject* tensor) {
  bool known = false;
  const uint64_t value = unusual_fingerprint(tensor, &known);
  call.shapes = chain(call.shapes, kOpaqueMark);
  if (known) {
    call.outputs = combine(call.outputs, value);
    ++call.compared;
  } else {
    call.flags |= kOpaque;
  }
}

void Recorder::visit_output(Call& call, PyObject* object, int position, int depth) {
  if (tensors.is_tensor(object)) {
    for (PyObject* written : call.written) {
      if (written == object) return;  // an in-place operation's result: visited as written
    }
    TensorView view;
    if (!tensors.view(object, &view)) {
      note_unusual(call, object);
      return;
    }
    const uint64_t shape_hash = view.shape_hash();
    call.shapes = chain(call.shapes, shape_hash);
    if ((call.op.traits & kReceives) != 0) return;
    const record::Extent extent = view.extent();
    const uint64_t key = view.key(extent);
    if ((call.op.flags & kView) != 0) {
      // It has the bits of what went in, which was compared where it was made; what is its own is
      // how it looks at them.
      call.outputs = combine(call.outputs,
                             chain(call.args, shape_hash ^ static_cast<uint64_t>(position)));
      ++call.compared;
      if (extent.bytes == 0) return;
      if (call.arriving) memory_->arrived.emplace(view.data, true);
      for (uint64_t base : call.keys) {
        if (base == key) return;  // all that is known of the base holds for it
      }
      memory_->known.mark(key, view.on_cpu ? record::probe(extent) : 0);
      return;
    }
    const bool is_fresh =
        (call.op.traits & kCreatesUnwritten) != 0 || (call.op.scratch >> position & 1) != 0;
    const bool waited = (call.op.traits & kWaits) != 0;
    if (waited) {
      take_arrival(call, view);
    } else {
      // Its memory is its own: whatever came to this address before is gone.
      if (!memory_->arrived.empty()) memory_->arrived.erase(view.data);
      memory_->received.forget(extent);
      memory_->transfers.forget(extent);
    }
    if (!view.on_cpu) {
      memory_->known.mark(key, 0);
      if (is_fresh || call.copies_unwritten()) {
        ++call.scratch;
      } else {
        defer(call, object, false);
      }
      return;
    }
    memory_->unwritten.forget(extent);
    if (is_fresh) memory_->unwritten.add(extent, tensors.allocation(object));
    if (is_fresh || copied_unwritten(call, object, view)) {
      ++call.scratch;
      return;
    }
    const uint64_t value = remember(view, extent, key);
    if (waited && !memory_->received.empty()) look(view, extent, value);
    call.outputs = combine(call.outputs, value);
    if ((call.op.traits & kIsSource) != 0) {
      call.data = combine(call.data == 0 ? kStart : call.data, value);
    }
    ++call.compared;
  } else if (PyTuple_Check(object)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object); ++i) {
      visit_output(call, PyTuple_GET_ITEM(object, i), depth == 0 ? static_cast<int>(i) : position,
                   depth + 1);
    }
  } else if (PyList_Check(object)) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(object); ++i) {
      visit_output(call, PyList_GET_ITEM(object, i), position, depth + 1);
    }
  } else if (object != Py_None) {
    call.outputs = combine(call.outputs, digest(object, Field::kOther));
    ++call.compared;
  }
}

void Recorder::visit_written(Call& call, PyObject* tensor) {
  TensorView view;
  if (!tensors.view(tensor, &view)) {
    note_unusual(call, tensor);
    return;
  }
  call.shapes = chain(call.shapes, view.shape_hash());
  const record::Extent extent = view.extent();
  const uint64_t key = view.key(extent);
  if ((call.op.traits & kReceives) != 0) return;
  memory_->received.forget(extent);
  if (!view.on_cpu) {
    memory_->known.mark(key, 0);
    defer(call, tensor, false);
    return;
  }
  if ((call.op.traits & (kResizes | kAttaches)) != 0) {
    visit_resized(call, tensor, view);
    return;
  }
  if (!memory_->arrived.empty()) memory_->arrived.erase(view.data);
  if ((call.op.traits & kCreatesUnwritten) != 0) {
    memory_->unwritten.add(extent, tensors.allocation(tensor));
    ++call.scratch;
    return;
  }
  if ((call.op.traits & kWritesPart) != 0) {
    memory_->unwritten.partly_written(extent);
    if (memory_->unwritten.still_touches(extent)) {
      ++call.scratch;  // some elements still hold what the allocator left there
      return;
    }
  } else if (memory_->unwritten.touches(extent)) {
    // Whatever it made of what it found, the bytes are its result now. What was written behind torch's
    // back was looked for before: now it could not be told from the operation's own doing.
    written_.clear();
    const bool counted = view.each_run(kMostRuns, [this](const record::Extent& run) { written_.push_back(run); });
    if (counted && memory_->unwritten.has_room(written_.size())) {
      for (const record::Extent& run : written_) memory_->unwritten.written(run);
    } else {
      memory_->unwritten.still_touches(extent);  // too many to tell apart: by what has changed
    }
  }
  if (copied_unwritten(call, tensor, view)) {
    ++call.scratch;
    return;
  }
  const uint64_t value = remember(view, extent, key);
  call.outputs = combine(call.outputs, value);
  if ((call.op.traits & kIsSource) != 0) {
    call.data = combine(call.data == 0 ? kStart : call.data, value);
  }
  ++call.compared;
}

// An operation that reads no byte, and writes none: its target looks at other memory, or at more.
void Recorder::visit_resized(Call& call, PyObject* tensor, const TensorView& view) {
  const record::Extent extent = view.extent();
  const record::Extent after = tensors.storage(tensor);
  if (after.first != call.before.first || after.bytes != call.before.bytes) {
    memory_->unwritten.moved(call.before, after, tensors.allocation(tensor));
  }
  if (is_unwritten(view)) {
    ++call.scratch;
    return;
  }
  // What it holds is compared where it is read, and is data there unless an operation made it.
  if ((call.op.traits & kAttaches) != 0 && extent.bytes != 0) {
    const record::KnownMemory::Entry* entry = memory_->known.find(view.key(extent));
    const bool known = entry != nullptr && entry->probe == record::probe(extent);
    if (!known && memory_->arrived.size() < kMostArrived) memory_->arrived.emplace(view.data, false);
  }
  call.outputs = combine(call.outputs, chain(call.args, view.layout_hash()));
  ++call.compared;
}

bool Recorder::before_followed(Call& call, PyObject* func, PyObject* args, PyObject* kwargs) {
  call.given = PyObject_CallFunctionObjArgs(callbacks_.given, func, args, kwargs != nullptr ? kwargs : Py_None, nullptr);
  if (call.given == nullptr) return follow_no_more();
  if (call.given == Py_None) {  // no more of them are asked for
    Py_CLEAR(call.given);
    follow_from = ~0ull;
  }
  return true;
}

bool Recorder::after_followed(const Call& call, PyObject* result) {
  PyObject* written = PyList_New(0);
  for (PyObject* tensor : call.written) PyList_Append(written, tensor);
  PyObject* answer = PyObject_CallFunction(callbacks_.gave, "KOOO", static_cast<unsigned long long>(total_rows),
                                           call.given, result, written);
  Py_DECREF(written);
  if (answer == nullptr) return follow_no_more();
  Py_DECREF(answer);
  return true;
}

// What is noted of inputs and results is a further answer: where it fails, it ends, and the recording goes
// on. False for what is no failure (an interrupt), which stays set.
bool Recorder::follow_no_more() {
  if (!PyErr_ExceptionMatches(PyExc_Exception)) return false;
  PyErr_Clear();
  follow_from = ~0ull;
  return true;
}

bool Recorder::append(Call& call, PyObject* result) {
  visit_output(call, result, 0, 0);
  for (PyObject* tensor : call.written) visit_written(call, tensor);
  record::Row row;
  row.step = step;
  row.phase = static_cast<uint8_t>(call.phase);
  row.op = call.op.code;
  row.signature = signature_code(call.shapes, result, call.written);
  row.site = call.site;
  row.outputs = call.compared != 0 ? call.outputs : 0;
  row.inputs = call.inputs;
  row.args = call.args;
  row.data = call.data;
  row.flags = static_cast<uint16_t>(call.flags | call.op.flags);
  if ((call.op.flags & kView) != 0) row.flags &= static_cast<uint16_t>(~kReadsUnwritten);
  if (call.scratch != 0 && call.compared == 0) row.flags |= kScratch;
  for (auto& [is_data, object] : call.elsewhere) {
    deferred.push_back(Deferred{rows.size(), is_data, Py_NewRef(object)});
  }
  if (call.given != nullptr && !after_followed(call, result)) return false;
  if (total_rows == capture_row) {
    PyObject* written = PyList_New(0);
    for (PyObject* tensor : call.written) PyList_Append(written, tensor);
    PyObject* answer = PyObject_CallFunctionObjArgs(callbacks_.captured, result, written, nullptr);
    Py_DECREF(written);
    if (answer == nullptr) return false;
    Py_DECREF(answer);
  }
  return append_row(row);
}

void Recorder::take_turn() {
  if (memory_->turn != this) {
    memory_->turn = this;
    if (turns.size() < kMostTurns) turns.push_back({total_rows, step, memory_->done});
  }
  ++memory_->done;
}

bool Recorder::append_row(const record::Row& row) {
  rows.append(row);
  take_turn();
  ++total_rows;
  if (counter_ != nullptr) *counter_ = total_rows;
  if (total_rows - 1 == stop_row) {
    PyObject* answer = PyObject_CallNoArgs(callbacks_.stop);
    if (answer == nullptr) return false;
    Py_DECREF(answer);
  }
  // A short run that is killed must leave something too, and each flush notes the time: the first
  // ones come at powers of two.
  const bool early = (total_rows & (total_rows - 1)) == 0;
  if (!rows.full() && !early) return true;
  PyObject* answer = PyObject_CallNoArgs(callbacks_.flush);
  if (answer == nullptr) return false;
  Py_DECREF(answer);
  return true;
}

}  // namespace samebits::python
