// Follows the program's own lines and writes down a digest of every variable that a line mentions,
// after the line has run.
//
// It is the interpreter's trace function, in C: a Python one costs a hundred times more, and Python
// writes the variables that it was shown back into the frame. What is written, and how two such
// records are compared, is described in docs/how-it-works/values.md; samebits.check.trace.values reads it.
#pragma once

#include <Python.h>
#include <frameobject.h>

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "python/owned.hpp"
#include "python/values/frame_view.hpp"
#include "python/values/plain_digest.hpp"
#include "record/append_file.hpp"

namespace samebits::python {

class ValueTracer {
 public:
  // `describe(code) -> None | (first, start, arguments, lines)`: None for code that is not the
  // program's. `start` is the offset of the instruction that a call begins at; `arguments` and the
  // second part of each `(line, mentions)` are tuples of `(scope, slot, name, attributes)`. Places
  // are numbered from `first`, which `reserve_places` gave: the call itself, then two for each line,
  // for its end and for the call's end on it.
  // `stopped()` is called once when the limit is reached or there is no room.
  bool start(Recorder* recorder, PyObject* describe, PyObject* kind_of_module, PyObject* known,
             PyObject* stopped, const std::string& events, const std::string& digests,
             uint64_t most_events);
  void stop();
  // In a forked child: goes on in files of its own.
  bool follow_fork(const std::string& events, const std::string& digests);
  // Traces the thread that calls this; streams are numbered by whoever calls.
  void trace_this_thread(uint32_t stream);
  // Follows nothing on the thread that calls this, until it goes on; false where it was not traced.
  bool pause();
  void go_on();

  uint32_t reserve_places(uint32_t count) {
    next_place_ += count;
    return next_place_ - count;
  }

  bool running() const { return running_; }
  uint64_t events() const { return count_; }

 private:
  struct Mention {
    Scope scope;
    int index;
    PyObject* name;
    std::vector<PyObject*> attributes;
  };
  struct Place {
    uint32_t id = 0;
    uint32_t visits = 0;  // on the first stream
    std::vector<Mention> mentions;
  };
  struct Code {
    bool own = false;
    int start = 0;
    int first_line = 0;
    Place call;
    std::vector<Place> lines;       // place of a line's end; its id + 1 ends the call there
    std::vector<int32_t> by_line;   // line - first_line → index in `lines`, or -1
    Place* at(int line);
  };
  struct Active {
    PyFrameObject* frame;  // borrowed: compared, never used
    Code* code;
    Place* current;  // the line that runs, null before the first
  };
  struct Thread {
    uint32_t stream = 0;
    std::vector<Active> stack;
    const PyFrameObject* library = nullptr;  // a running frame that is not the program's, if known
    std::vector<uint64_t> line;  // digests of the event that is being made
  };

  static int heard(PyObject*, PyFrameObject* frame, int what, PyObject* argument);
  static thread_local Thread thread_;

  void called(PyFrameObject* frame);
  void reached_line(PyFrameObject* frame);
  void returned(PyFrameObject* frame, PyObject* value);
  Active* active(PyFrameObject* frame);

  Code* code_of(PyFrameObject* frame);
  Code* describe(PyCodeObject* code);
  static bool read_mentions(PyObject* described, std::vector<Mention>* mentions, Owned* owned);
  void note_mentions(PyFrameObject* frame, Place& place, const Reach& reach);
  void note_value(PyObject* value, int depth, const Reach& reach);
  Reach reach_of(Place& place);
  void end_event(uint32_t id);
  void note_lines_under_way();
  bool open(const std::string& events, const std::string& digests);

  bool running_ = false;
  PlainDigest digest_;
  PyObject* describe_ = nullptr;
  PyObject* stopped_ = nullptr;
  Owned owned_;
  std::unordered_map<PyCodeObject*, std::unique_ptr<Code>> codes_;
  uint32_t next_place_ = 1;
  record::AppendFile events_;
  record::AppendFile digests_;
  uint64_t count_ = 0;
  uint64_t most_ = 0;
  uint32_t stream_ = 0;   // of the event written last
  uint32_t moment_ = 0;   // milliseconds, as written last
};

}  // namespace samebits::python
