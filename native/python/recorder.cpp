#include <cstring>

#include "python/ledger.hpp"
#include "python/recorder_call.hpp"

namespace samebits::python {

thread_local int Recorder::silent = 0;
thread_local Recorder::Here Recorder::t_here;

bool Recorder::init(PyObject* tensor_type, PyObject* parameter_type, PyObject* dtype_codes,
                    PyObject* kind_of_type, PyObject* classify, Callbacks callbacks, PyObject* sequence_number,
                    PyObject* current_node) {
  if (!tensors.init(tensor_type, parameter_type, dtype_codes, kind_of_type)) return false;
  sites.init(classify);
  callbacks_ = callbacks;
  for (PyObject* callback : {callbacks.describe, callbacks.name_module, callbacks.unusual,
                             callbacks.on_device, callbacks.flush, callbacks.captured, callbacks.replay,
                             callbacks.given, callbacks.gave, callbacks.stop, callbacks.failed, callbacks.collective}) {
    owned_.keep(callback);
  }
  sequence_number_ = owned_.keep(sequence_number);
  current_node_ = owned_.keep(current_node);
  sequence_name_ = PyUnicode_InternFromString("_sequence_nr");
  main_thread_ = PyThread_get_thread_ident();
  return sequence_name_ != nullptr;
}

void Recorder::release() {
  watching = recording_ops = recording_modules = false;
  ops_.clear();
  values_.clear();
  module_paths_.clear();
  modules_.clear();
  forward_sites_ = {};
  memory_ = std::make_shared<Memory>();
  loader_seed_ = nullptr;
  sites.release();
  tensors.release();
  owned_.release();
  Py_CLEAR(waited_for_);
}

void Recorder::restart() {
  waited_for_ = nullptr;  // the parent's reference
  rows.clear();
  fresh_signatures.clear();
  // What a device still computes for the parent is the parent's: the references are left to its copy.
  deferred.clear();
  digests_elsewhere.clear();
  ops_.clear();
  signatures_.clear();
  module_paths_.clear();
  modules_.clear();
  memory_->known = {};
  memory_->arrived.clear();
  memory_->received.clear();
  memory_->transfers.clear();
  received.clear();
  received_elsewhere.clear();
  forget_forward();
  sites.restart();
  silent = 0;
  only_steps = false;
  phase = Phase::kSetup;
  step = 0;
  total_rows = 0;
  turns.clear();
  memory_->turn = nullptr;
  memory_->done = 0;
  capture_row = replay_row = stop_row = follow_from = ~0ull;
  batch = loss = outputs = 0;
  is_batch_unread = false;
  has_loss_value = false;
  counter_ = nullptr;
  main_thread_ = PyThread_get_thread_ident();
  t_here = {};
}

// ---- threads ----------------------------------------------------------------------------------

void Recorder::stand_beside(Recorder& main) {
  main_ = &main;
  memory_ = main.memory_;
  ring_ = kThreadRing;
}

void Recorder::begin_thread(PyObject* first) {
  t_here = Here{this, nullptr, Py_NewRef(first)};
}

void Recorder::adopt_thread() {
  main_thread_ = PyThread_get_thread_ident();
  modules_.clear();
  forget_forward();
  only_steps = false;
  phase = Phase::kSetup;
  t_here.main = main_;
  t_here.own = this;
}

void Recorder::end_thread() {
  Py_XDECREF(t_here.first);
  t_here = {};
}

Recorder* Recorder::in_this_thread() {
  if (t_here.main != this) return this;
  if (t_here.first != nullptr) {
    PyObject* first = t_here.first;
    t_here.first = nullptr;
    PyObject* answer = PyObject_CallNoArgs(first);
    if (answer == nullptr) PyErr_WriteUnraisable(first);
    Py_XDECREF(answer);
    Py_DECREF(first);
  }
  return t_here.own != nullptr ? t_here.own : this;
}

const Recorder* Recorder::known_in_this_thread() const {
  return t_here.main == this && t_here.own != nullptr ? t_here.own : this;
}

void Recorder::forget_forward() {
  forward_sites_.clear();
  sequence_seen_ = 0;
  last_backward_site_ = record::kNoSite;
}

// ---- operations -------------------------------------------------------------------------------

Recorder::Op* Recorder::op_of(PyObject* func) {
  auto it = ops_.find(func);
  if (it != ops_.end()) return &it->second;
  PyObject* answer = PyObject_CallFunctionObjArgs(callbacks_.describe, func, nullptr);
  if (answer == nullptr) return nullptr;
  Op op;
  int code = 0;
  unsigned int flags = 0;
  unsigned int traits = 0;
  unsigned int scratch = 0;
  PyObject* call = nullptr;
  PyObject* positions = nullptr;
  PyObject* names = nullptr;
  const char* name = nullptr;
  if (!PyArg_ParseTuple(answer, "isOIIIO!O!", &code, &name, &call, &flags, &traits, &scratch,
                        &PyTuple_Type, &positions, &PyTuple_Type, &names)) {
    Py_DECREF(answer);
    return nullptr;
  }
  op.name = name;
  op.code = code;
  op.call = owned_.keep(call);
  op.flags = static_cast<uint16_t>(flags);
  op.traits = traits;
  op.scratch = scratch;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(positions); ++i) {
    const auto position = static_cast<size_t>(PyLong_AsLong(PyTuple_GET_ITEM(positions, i)));
    if (op.written.size() <= position) op.written.resize(position + 1);
    op.written[position] = 1;
  }
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
    op.written_names.push_back(owned_.keep(PyTuple_GET_ITEM(names, i)));
  }
  Py_DECREF(answer);
  owned_.keep(func);
  return &ops_.emplace(func, std::move(op)).first->second;
}

PyObject* Recorder::dispatch(PyObject* func, PyObject* types, PyObject* args, PyObject* kwargs) {
  if (kwargs == Py_None) kwargs = nullptr;
  if (!watching || !recording_ops || silent != 0) return PyObject_Call(func, args, kwargs);
  if (PyTuple_Check(types)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(types); ++i) {
      switch (tensors.kind_of(PyTuple_GET_ITEM(types, i))) {
        case TensorKind::kPlain:
          break;
        case TensorKind::kOwnRules:  // its rules come first; what they do with plain tensors is seen
          Py_RETURN_NOTIMPLEMENTED;
        case TensorKind::kNoMemory:  // tracing with fake tensors: nothing is computed
          return PyObject_Call(func, args, kwargs);
      }
    }
  }
  Py_CLEAR(waited_for_);  // there was something to do before it was waited for
  Op* op = op_of(func);
  if (op == nullptr) return give_up() ? PyObject_Call(func, args, kwargs) : nullptr;
  if ((op->traits & kNotRecorded) != 0) return PyObject_Call(op->call, args, kwargs);
  if (only_steps && phase != Phase::kOptimizer) {
    recording_ops = false;
    return PyObject_Call(op->call, args, kwargs);
  }
  if (total_rows == replay_row) {
    PyObject* answer = PyObject_CallFunctionObjArgs(callbacks_.replay, func, args,
                                                    kwargs != nullptr ? kwargs : Py_None, nullptr);
    if (answer == nullptr) return nullptr;
    Py_DECREF(answer);
  }
  Call call(*op);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
    const auto position = static_cast<size_t>(i);
    visit_input(call, PyTuple_GET_ITEM(args, i),
                position < op->written.size() && op->written[position] != 0, 0);
  }
  if (kwargs != nullptr) {
    Py_ssize_t position = 0;
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    while (PyDict_Next(kwargs, &position, &key, &value)) {
      bool written = false;
      for (PyObject* name : op->written_names) {
        written = written || PyUnicode_Compare(name, key) == 0;
      }
      visit_input(call, value, written, 0);
    }
  }
  place(call);
  bool is_collective = false;
  const record::Collective collective = collective_of(*op, args, &is_collective);
  if ((op->traits & kResizes) != 0) call.before = storage_before(*op, args);
  if (total_rows >= follow_from && !before_followed(call, func, args, kwargs)) return nullptr;
  PyObject* result = PyObject_Call(op->call, args, kwargs);
  if (result == nullptr) return nullptr;  // the script's own error: its business, not a row
  if (!watching) return result;           // the recording has ended meanwhile: the process is about to
  see_changes(call);
  if ((op->traits & kReceives) != 0) {
    // Nobody may look before the script has waited for it: the transfer may be under way.
    call.flags |= kOpaque;
    see_arrivals(args);
    see_arrivals(result);
    uint64_t part = 0;
    const bool in_arguments = (op->traits & kSharesArgument) != 0;
    if (is_collective) see_results(in_arguments ? PyTuple_GET_ITEM(args, 0) : result, collective, &part);
    if (is_collective && in_arguments) begin_synchronous(args);
  }
  Ledger* told = main_ != nullptr ? main_->ledger : ledger;
  if ((op->flags & kRandom) != 0 && told != nullptr) {
    told->random_row(op->name, sites.line_of(call.site), args, kwargs, result);
    PyObject* generator = kwargs == nullptr ? nullptr : PyDict_GetItemString(kwargs, "generator");
    if (generator != nullptr && generator != Py_None && !told->is_shared(generator)) call.flags |= kHandedGenerator;
  }
  if ((op->traits & kMakesSeed) != 0 && makes_loader_seed()) return result;
  if (!append(call, result) && !give_up()) {
    Py_DECREF(result);
    return nullptr;
  }
  return result;
}

bool Recorder::makes_loader_seed() const {
  PyCodeObject* code = nullptr;
  int offset = 0;
  return loader_seed_ != nullptr && Sites::position(&code, &offset) && reinterpret_cast<PyObject*>(code) == loader_seed_;
}

// A failure of samebits' own must not become the script's: it is told, and recording ends. False
// for what is no failure (an interrupt, an exit), which stays set and goes to the script.
bool Recorder::give_up() {
  rows.clear();
  if (!PyErr_ExceptionMatches(PyExc_Exception)) return false;
  recording_ops = false;
  recording_modules = false;
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  PyObject* answer = PyObject_CallFunctionObjArgs(callbacks_.failed, value, nullptr);
  Py_XDECREF(answer);
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(traceback);
  PyErr_Clear();
  return true;
}

uint64_t Recorder::sequence_now() {
  PyObject* number = PyObject_CallNoArgs(sequence_number_);
  uint64_t now = sequence_seen_;
  if (number != nullptr) {
    now = PyLong_AsUnsignedLongLong(number);
    Py_DECREF(number);
  }
  if (PyErr_Occurred()) {
    PyErr_Clear();
    return sequence_seen_;
  }
  return now;
}

// Phase and source line. A backward operation is tied to the forward line that made its autograd
// node: the node carries the sequence number that it was given there.
void Recorder::place(Call& call) {
  const bool on_main = PyThread_get_thread_ident() == main_thread_;
  const uint32_t module = on_main && !modules_.empty() ? modules_.back().path : 0;
  const Sites::Found found = sites.current(module);
  call.site = found.site;
  // A closure that an optimizer's step calls makes a forward pass of its own.
  const bool in_closure = phase == Phase::kOptimizer && on_main && !modules_.empty();
  call.phase = in_closure ? Phase::kForward : phase;
  PyObject* node = PyObject_CallNoArgs(current_node_);
  if (node != nullptr && node != Py_None) {
    call.phase = Phase::kBackward;
    if (found.below_engine || found.site == record::kNoSite) {
      PyObject* number = PyObject_CallMethodNoArgs(node, sequence_name_);
      const uint64_t sequence = number != nullptr ? PyLong_AsUnsignedLongLong(number) : ~0ull;
      Py_XDECREF(number);
      const ForwardSite forward = forward_sites_.empty() ? ForwardSite{} : forward_sites_[sequence % ring_];
      if (sequence != ~0ull && forward.sequence == sequence) {
        call.site = last_backward_site_ = forward.site;
      } else if (last_backward_site_ != record::kNoSite) {
        call.site = last_backward_site_;  // accumulating a gradient has no number of its own
      }
    }
  }
  Py_XDECREF(node);
  PyErr_Clear();
  if (on_main) {
    const uint64_t now = sequence_now();
    if (forward_sites_.empty()) forward_sites_.resize(ring_);
    if (now > sequence_seen_ + ring_) sequence_seen_ = now - ring_;
    for (uint64_t s = sequence_seen_; s < now; ++s) {
      forward_sites_[s % ring_] = ForwardSite{s, call.site};
    }
    sequence_seen_ = now;
  }
}

}  // namespace samebits::python
