// What every kind of watched call has in common: telling the watcher, and writing into a definition.
#pragma once

#include "python/watched.hpp"

namespace samebits::python {

// Here, and inline: it is asked for at every call of a watched function.
inline Watcher* g_watcher = nullptr;

// One call under way.
class Watch {
 public:
  explicit Watch(int rule) : watcher_(g_watcher), rule_(rule) {
    if (watcher_ != nullptr) token_ = watcher_->enter(rule);
  }
  PyObject* done(const WatchedCall& call, PyObject* result) {
    // The watcher may have gone while the call went on.
    if (token_ >= 0 && watcher_ == g_watcher) watcher_->leave(rule_, token_, call, result);
    return result;
  }

 private:
  Watcher* watcher_;
  int rule_;
  int token_ = -1;
};

// A call whose arguments came as a tuple and a dict, as slots and old conventions have them.
inline WatchedCall of_tuple(PyObject* self, PyObject* args, PyObject* keywords) {
  WatchedCall call;
  call.self = self;
  if (args != nullptr && PyTuple_Check(args)) {
    call.args = reinterpret_cast<PyTupleObject*>(args)->ob_item;
    call.count = PyTuple_GET_SIZE(args);
  }
  call.keywords = keywords;
  return call;
}

// Writes a pointer where nobody promises that memory may be written: the kernel refuses what would
// end the process otherwise (a table that its module keeps read-only).
bool write_pointer(void* target, const void* value);

// Put back what one file has changed.
void unwatch_functions();
void unwatch_types();

}  // namespace samebits::python
