#include "python/watched.hpp"

#include <unistd.h>

#include "python/watched_call.hpp"

namespace samebits::python {

PyObject* WatchedCall::argument(Py_ssize_t index, const char* name) const {
  if (index < count) return args[index];
  if (names != nullptr && PyTuple_Check(names)) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
      PyObject* key = PyTuple_GET_ITEM(names, i);
      if (PyUnicode_Check(key) && PyUnicode_CompareWithASCIIString(key, name) == 0) return args[count + i];
    }
  }
  if (keywords != nullptr && PyDict_Check(keywords)) return PyDict_GetItemString(keywords, name);
  return nullptr;
}

bool write_pointer(void* target, const void* value) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  const bool written = write(ends[1], &value, sizeof value) == static_cast<ssize_t>(sizeof value) &&
                       read(ends[0], target, sizeof value) == static_cast<ssize_t>(sizeof value);
  close(ends[0]);
  close(ends[1]);
  return written;
}

void set_watcher(Watcher* watcher) { g_watcher = watcher; }
Watcher* watcher() { return g_watcher; }

void unwatch_all() {
  unwatch_functions();
  unwatch_types();
}

}  // namespace samebits::python
