#include "python/values/value_tracer.hpp"

#include <ctime>

#include "python/values/element_hashes.hpp"

namespace samebits::python {
namespace {

ValueTracer* g_tracer = nullptr;  // the interpreter has one trace function a thread

// What an event is: a place, or one of these with 30 bits of content.
constexpr uint32_t kStream = 2u << 30;
constexpr uint32_t kMoment = 3u << 30;
constexpr uint32_t kContent = (1u << 30) - 1;

constexpr size_t kMostMentions = 64;
constexpr size_t kMostDigests = size_t{1} << 31;  // bytes
constexpr Reach kDeep{1 << 16, 16 << 20, 4};
constexpr Reach kShallow{64, 4096, 1};
constexpr Reach kElsewhere{1024, 1 << 16, 2};

uint32_t milliseconds() {
  timespec now{};
#if defined(CLOCK_MONOTONIC_COARSE)
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
#else
  clock_gettime(CLOCK_MONOTONIC, &now);
#endif
  return static_cast<uint32_t>(static_cast<uint64_t>(now.tv_sec) * 1000 +
                               static_cast<uint64_t>(now.tv_nsec) / 1000000) & kContent;
}

// What runs here must leave the program's exception, if there is one, as it was.
class KeptException {
 public:
#if PY_VERSION_HEX >= 0x030C0000
  KeptException() : raised_(PyErr_GetRaisedException()) {}
  ~KeptException() { PyErr_SetRaisedException(raised_); }

 private:
  PyObject* raised_;
#else
  KeptException() { PyErr_Fetch(&type_, &value_, &traceback_); }
  ~KeptException() { PyErr_Restore(type_, value_, traceback_); }

 private:
  PyObject* type_;
  PyObject* value_;
  PyObject* traceback_;
#endif
};

}  // namespace

thread_local ValueTracer::Thread ValueTracer::thread_;

bool ValueTracer::start(Recorder* recorder, PyObject* describe, PyObject* kind_of_module,
                        PyObject* known, PyObject* stopped, const std::string& events,
                        const std::string& digests, uint64_t most_events) {
  if (g_tracer != nullptr || !open(events, digests)) return false;
  digest_.init(recorder, kind_of_module, known);
  describe_ = owned_.keep(describe);
  stopped_ = owned_.keep(stopped);
  most_ = most_events;
  running_ = true;
  g_tracer = this;
  trace_this_thread(0);
  return true;
}

bool ValueTracer::open(const std::string& events, const std::string& digests) {
  return events_.open(events, "SBEVENT1") && digests_.open(digests, "SBDIGST2");
}

void ValueTracer::stop() {
  if (running_ && g_tracer == this && PyThreadState_Get()->c_tracefunc == heard) {
    const KeptException kept;
    PyEval_SetTrace(nullptr, nullptr);  // Python code may be called from here
    note_lines_under_way();
    PyErr_Clear();
  }
  running_ = false;
  if (g_tracer != this) return;
  PyEval_SetTrace(nullptr, nullptr);
  g_tracer = nullptr;
  events_.close();
  digests_.close();
  // The tables stay: another thread may be in the middle of an event.
}

bool ValueTracer::follow_fork(const std::string& events, const std::string& digests) {
  events_.abandon();
  digests_.abandon();
  if (!running_) return false;
  stream_ = moment_ = 0;
  count_ = 0;
  thread_.stream = 0;  // whichever thread forked, it is the child's first
  running_ = open(events, digests);
  return running_;
}

void ValueTracer::trace_this_thread(uint32_t stream) {
  thread_.stream = stream;
  thread_.stack.clear();
  // Without an object of its own the function does not show in sys.gettrace().
  PyEval_SetTrace(heard, nullptr);
}

bool ValueTracer::pause() {
  if (!running_ || PyThreadState_Get()->c_tracefunc != heard) return false;
  PyEval_SetTrace(nullptr, nullptr);
  return true;
}

void ValueTracer::go_on() {
  thread_.library = nullptr;  // its frame may have ended unseen
  if (running_) PyEval_SetTrace(heard, nullptr);
}

int ValueTracer::heard(PyObject*, PyFrameObject* frame, int what, PyObject* argument) {
  ValueTracer* self = g_tracer;
  if (self == nullptr || !self->running_) {
    PyEval_SetTrace(nullptr, nullptr);
    return 0;
  }
  // Nearly all lines are a library's, one after the other in the same frame. A frame of the program's
  // own at the same address would begin with a call.
  if (what == PyTrace_LINE && frame == thread_.library) return 0;
  const KeptException kept;
  if (what == PyTrace_LINE) {
    self->reached_line(frame);
  } else if (what == PyTrace_CALL) {
    self->called(frame);
  } else if (what == PyTrace_RETURN) {
    self->returned(frame, argument);
  }
  PyErr_Clear();
  return 0;
}

ValueTracer::Active* ValueTracer::active(PyFrameObject* frame) {
  auto& stack = thread_.stack;
  if (!stack.empty() && stack.back().frame == frame) return &stack.back();
  return nullptr;
}

void ValueTracer::called(PyFrameObject* frame) {
  Code* code = code_of(frame);
  thread_.library = code == nullptr ? frame : nullptr;
  if (code == nullptr) return;
  auto& stack = thread_.stack;
  const Place* caller = stack.empty() ? nullptr : stack.back().current;
  // A generator that goes on is "called" as well, somewhere in its middle.
  const bool begins = instruction_offset(frame) <= code->start;
  stack.push_back({frame, code, begins ? nullptr : code->at(PyFrame_GetLineNumber(frame))});
  if (!begins) return;
  thread_.line.clear();
  thread_.line.push_back(caller != nullptr ? caller->id : 0);
  note_mentions(frame, code->call, reach_of(code->call));
  end_event(code->call.id);
}

void ValueTracer::reached_line(PyFrameObject* frame) {
  Active* own = active(frame);
  if (own == nullptr) {
    Code* code = code_of(frame);
    if (code == nullptr) {
      thread_.library = frame;
      return;
    }
    // Calls and returns come in pairs. Where one was missed (the trace was off for a while), what
    // lies above has ended, or this frame was never seen.
    auto& stack = thread_.stack;
    size_t depth = stack.size();
    while (depth > 0 && stack[depth - 1].frame != frame) --depth;
    if (depth == 0) {
      stack.push_back({frame, code, nullptr});
    } else {
      stack.resize(depth, Active{});
    }
    own = &stack.back();
  }
  Code* code = own->code;
  if (Place* ended = own->current; ended != nullptr) {
    thread_.line.clear();
    note_mentions(frame, *ended, reach_of(*ended));
    end_event(ended->id);
  }
  // The stack may have grown meanwhile, had Python code been called.
  if (own = active(frame); own != nullptr) own->current = code->at(PyFrame_GetLineNumber(frame));
}

void ValueTracer::returned(PyFrameObject* frame, PyObject* value) {
  Active* own = active(frame);
  if (own == nullptr) {
    auto& stack = thread_.stack;
    size_t depth = stack.size();
    while (depth > 0 && stack[depth - 1].frame != frame) --depth;
    if (depth == 0) return;
    stack.resize(depth, Active{});
    own = &stack.back();
  }
  if (Place* ended = own->current; ended != nullptr) {
    const Reach reach = reach_of(*ended);
    thread_.line.clear();
    note_mentions(frame, *ended, reach);
    note_value(value, 0, reach);
    end_event(ended->id + 1);
  }
  thread_.stack.pop_back();
}

// A process that ends in the middle of a line, since what was asked for is recorded, has met what
// the line mentions all the same.
void ValueTracer::note_lines_under_way() {
  auto& stack = thread_.stack;
  size_t depth = stack.size();
  PyFrameObject* frame = PyEval_GetFrame();
  Py_XINCREF(reinterpret_cast<PyObject*>(frame));
  while (frame != nullptr && depth > 0) {
    // What the stack holds may have ended unseen: only frames that are met here are looked into.
    size_t found = depth;
    while (found > 0 && stack[found - 1].frame != frame) --found;
    if (found > 0) {
      depth = found - 1;
      if (Place* current = stack[depth].current; current != nullptr) {
        thread_.line.clear();
        note_mentions(frame, *current, reach_of(*current));
        end_event(current->id);
      }
    }
    PyFrameObject* caller = PyFrame_GetBack(frame);
    Py_DECREF(reinterpret_cast<PyObject*>(frame));
    frame = caller;
  }
  Py_XDECREF(reinterpret_cast<PyObject*>(frame));
}

ValueTracer::Place* ValueTracer::Code::at(int line) {
  const int offset = line - first_line;
  if (offset < 0 || offset >= static_cast<int>(by_line.size()) || by_line[offset] < 0) return nullptr;
  return &lines[static_cast<size_t>(by_line[offset])];
}

ValueTracer::Code* ValueTracer::code_of(PyFrameObject* frame) {
  PyCodeObject* code = PyFrame_GetCode(frame);
  auto it = codes_.find(code);
  Code* known = it != codes_.end() ? it->second.get() : describe(code);
  Py_DECREF(code);
  return known != nullptr && known->own ? known : nullptr;
}

ValueTracer::Code* ValueTracer::describe(PyCodeObject* code) {
  owned_.keep(reinterpret_cast<PyObject*>(code));  // so that its address stays its own
  Code* fresh = codes_.emplace(code, std::make_unique<Code>()).first->second.get();
  unsigned int first = 0;
  PyObject* answer = PyObject_CallFunctionObjArgs(describe_, code, nullptr);
  PyObject* arguments = nullptr;
  PyObject* lines = nullptr;
  if (answer == nullptr || answer == Py_None ||
      !PyArg_ParseTuple(answer, "IiOO", &first, &fresh->start, &arguments, &lines)) {
    PyErr_Clear();
    Py_XDECREF(answer);
    return fresh;
  }
  Owned* owned = &owned_;
  const Py_ssize_t count = PyTuple_Size(lines);
  bool good = count >= 0 && read_mentions(arguments, &fresh->call.mentions, owned);
  fresh->call.id = first;
  int last = -1;
  for (Py_ssize_t i = 0; good && i < count; ++i) {
    int line = 0;
    PyObject* mentions = nullptr;
    fresh->lines.emplace_back();
    good = PyArg_ParseTuple(PyTuple_GET_ITEM(lines, i), "iO", &line, &mentions) &&
           read_mentions(mentions, &fresh->lines.back().mentions, owned) && line > last;
    if (!good) break;
    fresh->lines.back().id = first + 1 + 2 * static_cast<uint32_t>(i);
    if (i == 0) fresh->first_line = line;
    last = line;
    fresh->by_line.resize(static_cast<size_t>(line - fresh->first_line) + 1, -1);
    fresh->by_line.back() = static_cast<int32_t>(i);
  }
  fresh->own = good;
  PyErr_Clear();
  Py_DECREF(answer);
  return fresh;
}

bool ValueTracer::read_mentions(PyObject* described, std::vector<Mention>* mentions, Owned* owned) {
  const Py_ssize_t count = PyTuple_Size(described);
  for (Py_ssize_t i = 0; i < count; ++i) {
    int scope = 0;
    int index = 0;
    PyObject* name = nullptr;
    PyObject* attributes = nullptr;
    if (!PyArg_ParseTuple(PyTuple_GET_ITEM(described, i), "iiOO", &scope, &index, &name, &attributes)) {
      return false;
    }
    Mention mention{static_cast<Scope>(scope), index, owned->keep(name), {}};
    for (Py_ssize_t j = 0; j < PyTuple_Size(attributes); ++j) {
      mention.attributes.push_back(owned->keep(PyTuple_GET_ITEM(attributes, j)));
    }
    mentions->push_back(std::move(mention));
  }
  return count >= 0 && mentions->size() <= kMostMentions;
}

// A line is looked at closely the first, second, fourth, eighth … time that it runs, and quickly
// otherwise. Threads share lines in an order of their own, so elsewhere it is always the same.
Reach ValueTracer::reach_of(Place& place) {
  if (thread_.stream != 0) return kElsewhere;
  const uint32_t visit = ++place.visits;
  return (visit & (visit - 1)) == 0 ? kDeep : kShallow;
}

void ValueTracer::note_mentions(PyFrameObject* frame, Place& place, const Reach& reach) {
  const FrameView view(frame);
  for (const Mention& mention : place.mentions) {
    PyObject* value = view.variable(mention.scope, mention.index, mention.name);
    int depth = 0;
    for (PyObject* attribute : mention.attributes) {
      PyObject* inner = value != nullptr && depth < 7 ? stored_attribute(value, attribute) : nullptr;
      if (inner == nullptr) break;
      Py_SETREF(value, inner);
      ++depth;
    }
    note_value(value, depth, reach);
    Py_XDECREF(value);
  }
}

// 51 bits of the digest, 5 for what elements are hashed by, 3 that say how many attributes were
// followed, 5 for the kind of value.
void ValueTracer::note_value(PyObject* value, int depth, const Reach& reach) {
  const PlainDigest::Result result = digest_.of(value, reach);
  thread_.line.push_back((result.hash << 13) | (static_cast<uint64_t>(element_hashes(value, reach.nodes)) << 8) |
                         (static_cast<uint64_t>(depth) << 5) | static_cast<uint64_t>(result.kind));
}

void ValueTracer::end_event(uint32_t id) {
  if (!running_) return;
  bool room = digests_.append(thread_.line.data(), thread_.line.size() * sizeof(uint64_t));
  const auto write = [&](uint32_t event) { room = room && events_.append(&event, sizeof event); };
  if (thread_.stream != stream_) {
    stream_ = thread_.stream;
    write(kStream | stream_);
  }
  if (const uint32_t now = milliseconds(); now != moment_) {
    moment_ = now;
    write(kMoment | moment_);
  }
  write(id);
  if (++count_ < most_ && room && digests_.used() < kMostDigests) return;
  running_ = false;
  PyObject* done = PyObject_CallNoArgs(stopped_);
  Py_XDECREF(done);
  PyErr_Clear();
}

}  // namespace samebits::python
