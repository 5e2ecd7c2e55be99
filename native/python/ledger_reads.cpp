// The ledger's values: entropy, clocks and listings as they are read, and the seeds made of them.
#include <algorithm>
#include <cmath>

#include "python/ledger.hpp"
#include "python/ledger_values.hpp"

namespace samebits::python {

// ---- seeds and where they come from -------------------------------------------------------------

constexpr double kEarliestDate = 1e9;  // seconds from 1970 to September 2001

void Ledger::keep(const Moment& moment) {
  // What is timed from the beginning is measured long after the readings in between.
  if (has_seconds(moment) && first_reals_.size() < kMoments) first_reals_.push_back(moment.real);
  moments_[moment_count_++ % kMoments] = moment;
}

bool Ledger::is_duration(double seconds) const {
  for (size_t back = 0; back < kEnds; ++back) {
    const Moment& end = moments_[(moment_count_ + kMoments - 1 - back) % kMoments];
    if (!has_seconds(end)) continue;
    const auto lies_before = [&](double begin) { return end.real - begin == seconds; };
    const bool recent = std::any_of(std::begin(moments_), std::end(moments_), [&](const Moment& moment) {
      return has_seconds(moment) && lies_before(moment.real);
    });
    if (recent || std::any_of(first_reals_.begin(), first_reals_.end(), lies_before)) return true;
  }
  return false;
}

bool Ledger::is_reading(double number) const {
  // Of clocks that count from another moment, whole seconds are small numbers like any other.
  const auto tells = [&](double reading) {
    return number >= kEarliestDate ? reading == number || std::floor(reading) == number
                                   : reading == number && std::floor(number) != number;
  };
  const auto is_read = [&](const Moment& moment) {
    if (has_seconds(moment)) return tells(moment.real);
    return moment.of_clock && moment.kind == Moment::Kind::kWhole && static_cast<double>(moment.whole) == number;
  };
  return std::any_of(std::begin(moments_), std::end(moments_), is_read) ||
         std::any_of(first_reals_.begin(), first_reals_.end(), tells);
}

// The entry whose value a seed was made of, as far as that can be seen by its value.
uint32_t Ledger::origin_of(PyObject* seed) const {
  uint64_t whole = 0;
  if (PyFloat_Check(seed)) {
    const double value = PyFloat_AS_DOUBLE(seed);
    for (const Moment& moment : moments_) {
      if (moment.kind == Moment::Kind::kReal && moment.real == value) return moment.entry;
    }
    return record::kNoEntry;
  }
  if (!whole_number(seed, &whole)) return record::kNoEntry;
  for (size_t back = 0; back < kMoments; ++back) {  // the latest first
    const Moment& moment = moments_[(moment_count_ + 2 * kMoments - 1 - back) % kMoments];
    if (moment.entry == record::kNoEntry) continue;
    if (moment.kind == Moment::Kind::kWhole && comes_from(whole, static_cast<int64_t>(moment.whole))) {
      return moment.entry;
    }
    if (moment.kind == Moment::Kind::kReal) {
      for (const double unit : {1.0, 1e3, 1e6, 1e9, 1e1, 1e2, 1e4, 1e5, 1e7}) {
        const double scaled = moment.real * unit;
        if (scaled >= 0 && scaled < 9e18 && comes_from(whole, static_cast<int64_t>(scaled))) return moment.entry;
      }
    }
    if (moment.kind == Moment::Kind::kBytes) {
      for (int shift = 0; shift < 8; ++shift) {
        if (comes_from(whole, static_cast<int64_t>(moment.whole >> shift))) return moment.entry;
      }
      if (comes_from(whole, static_cast<int64_t>(moment.reversed)) || whole == (moment.reversed & 0xFFFFFFFFu)) return moment.entry;
    }
  }
  for (const Moment& moment : draws_) {
    if (moment.entry == record::kNoEntry || moment.whole < 16) continue;
    if (whole == moment.whole || whole == moment.whole + 1) return moment.entry;
  }
  return record::kNoEntry;
}

void Ledger::entropy(const Rule& rule, int number, PyObject* result) {
  const Sites::Caller caller = recorder_->sites.caller();
  if (caller.own) return;
  What what{rule.source, Event::kDraw, Seeded::kNo};
  PyObject* bytes = PyTuple_Check(result) && PyTuple_GET_SIZE(result) > 0 ? PyTuple_GET_ITEM(result, 0) : result;
  bool makes_name = false;
  if (rule.source == Source::kUrandom) {
    const auto from = [&](PyCodeObject* code, const char* module) {
      return code != nullptr && code != caller.user && recorder_->sites.module_of(code) == module;
    };
    if (from(caller.innermost, "uuid") || from(caller.entered, "uuid")) {
      what.source = Source::kUuid;
      makes_name = true;
    } else if (from(caller.innermost, "secrets") || from(caller.entered, "secrets")) {
      what.source = Source::kSecrets;
      makes_name = caller.entered != nullptr &&
                   PyUnicode_CompareWithASCIIString(caller.entered->co_name, "token_hex") == 0;
    } else if (from(caller.innermost, "random")) {
      makes_name = PyBytes_Check(bytes) && PyBytes_GET_SIZE(bytes) <= 8;  // a number of SystemRandom
    }
  }
  Moment moment;
  if (PyBytes_Check(bytes)) {
    const auto size = static_cast<size_t>(PyBytes_GET_SIZE(bytes));
    const auto* content = reinterpret_cast<const unsigned char*>(PyBytes_AS_STRING(bytes));
    what.amount = size;
    what.digest = digest_of(bytes);
    moment.kind = Moment::Kind::kBytes;
    // Other bytes of the system may be a result.
    if (makes_name && size <= kLongestName && drawn.size() < kMostNames) drawn.emplace_back(content, content + size);
    for (size_t i = size > 8 ? size - 8 : 0; i < size; ++i) moment.whole = moment.whole << 8 | content[i];
    for (size_t i = 0; i < size && i < 8; ++i) moment.reversed |= static_cast<uint64_t>(content[i]) << (8 * i);
  } else {
    what.amount = 1;
    what.digest = digest_of(bytes);
  }
  record::LedgerEntry* entry = count(what, caller, detail_of(rule, number, caller, false));
  if (entry == nullptr || moment.kind == Moment::Kind::kNone) return;
  moment.entry = table_.number_of(entry);
  keep(moment);
}

namespace {

// Whether a function that tells the time was given one to convert.
bool converts(const std::string& name, const WatchedCall& call) {
  if (name == "time.strftime") return !is_none(call.argument(1, "t"));
  if (name == "time.gmtime" || name == "time.localtime" || name == "time.ctime") {
    return !is_none(call.argument(0, "seconds"));
  }
  return name == "time.asctime" && !is_none(call.argument(0, "t"));
}

// Whether the hash of an object is made of where it lies in memory, or of where something in it does.
bool hashed_by_address(PyObject* object, int depth = 0) {
  constexpr int kDeepest = 4;
  if (PyFloat_Check(object)) return PY_VERSION_HEX >= 0x030A0000 && std::isnan(PyFloat_AS_DOUBLE(object));
  if (is_of_type(object, "numpy.float32")) return std::isnan(PyFloat_AsDouble(object));
  const hashfunc own = Py_TYPE(object)->tp_hash;
  if (PyTuple_Check(object) && own == PyTuple_Type.tp_hash) {
    for (Py_ssize_t i = 0; depth < kDeepest && i < PyTuple_GET_SIZE(object); ++i) {
      if (hashed_by_address(PyTuple_GET_ITEM(object, i), depth + 1)) return true;
    }
    return false;
  }
  return own == PyBaseObject_Type.tp_hash;
}

// Whether a method asks on behalf of a set or a dict: what it says mostly goes no further.
bool asked_by_hash_method() {
  PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get());
  if (frame == nullptr) return false;
  PyCodeObject* code = PyFrame_GetCode(frame);
  const bool asked = PyUnicode_CompareWithASCIIString(code->co_name, "__hash__") == 0;
  Py_DECREF(code);
  Py_DECREF(frame);
  return asked;
}

}  // namespace

void Ledger::clock(const Rule& rule, int number, const WatchedCall& call, PyObject* result) {
  What what{rule.source, Event::kRead};
  if (rule.meaning == Meaning::kHash) {
    // Hashes of other things are the same in each run, or are no number that is used as one.
    if (call.count == 0) return;
    if (!PyUnicode_CheckExact(call.args[0]) && !PyBytes_CheckExact(call.args[0])) {
      if (!hashed_by_address(call.args[0]) || asked_by_hash_method()) return;
      what.source = Source::kAddress;
    }
  }
  if (rule.meaning == Meaning::kClock && converts(rule.name, call)) return;
  const Sites::Caller caller = recorder_->sites.caller();
  if (caller.own || (rule.meaning == Meaning::kHash && caller.entered != nullptr)) return;
  Moment moment;
  moment.of_clock = rule.meaning == Meaning::kClock;
  uint64_t whole = 0;
  if (PyFloat_Check(result)) {
    moment.kind = Moment::Kind::kReal;
    moment.real = PyFloat_AS_DOUBLE(result);
  } else if (whole_number(result, &whole)) {
    moment.kind = Moment::Kind::kWhole;
    moment.whole = whole;
  } else if (is_of_type(result, "datetime.datetime")) {
    PyObject* seconds = PyObject_CallMethod(result, "timestamp", nullptr);
    if (seconds != nullptr && PyFloat_Check(seconds)) {
      moment.kind = Moment::Kind::kReal;
      moment.real = PyFloat_AS_DOUBLE(seconds);
      what.digest = digest_of(seconds);
    }
    Py_XDECREF(seconds);
  } else if (is_of_type(result, "datetime.date")) {
    PyObject* day = PyObject_CallMethod(result, "toordinal", nullptr);
    what.digest = digest_of(day);
    Py_XDECREF(day);
  }
  if (what.digest == 0) what.digest = digest_of(result);
  record::LedgerEntry* entry = count(what, caller, detail_of(rule, number, caller, false));
  if (entry == nullptr || moment.kind == Moment::Kind::kNone) return;
  moment.entry = table_.number_of(entry);
  keep(moment);
}

// ---- ports --------------------------------------------------------------------------------------

void Ledger::port(const Rule& rule, int number, const WatchedCall& call) {
  // (host, port) or longer. Other families have paths, or numbers that stay 0 where they were 0.
  PyObject* address = call.argument(0, "address");
  if (call.self == nullptr || address == nullptr || !PyTuple_Check(address) || PyTuple_GET_SIZE(address) < 2) return;
  uint64_t asked = 1;
  if (!whole_number(PyTuple_GET_ITEM(address, 1), &asked) || asked != 0) return;
  const Sites::Caller caller = recorder_->sites.caller();
  if (caller.own) return;
  PyObject* bound = PyObject_CallMethod(call.self, "getsockname", nullptr);
  PyObject* given = bound != nullptr && PyTuple_Check(bound) && PyTuple_GET_SIZE(bound) > 1
                        ? PyTuple_GET_ITEM(bound, 1)
                        : nullptr;
  Moment moment;
  if (given != nullptr && whole_number(given, &moment.whole) && moment.whole != 0) {
    What what{rule.source, Event::kDraw, Seeded::kNo};
    what.amount = 1;
    what.digest = digest_of(given);
    moment.kind = Moment::Kind::kWhole;
    record::LedgerEntry* entry = count(what, caller, detail_of(rule, number, caller, false));
    if (entry != nullptr) {
      moment.entry = table_.number_of(entry);
      keep(moment);
    }
  }
  Py_XDECREF(bound);
}

// ---- files' times -------------------------------------------------------------------------------

namespace {

constexpr const char* kTimes[] = {"mtime", "ctime", "atime"};

// Whether a library's function was asked for nothing but what the system says of a file.
bool gives_file_times(const std::string& module, const std::string& function) {
  if (module == "genericpath") return starts_with(function, "get") && ends_with(function, "time");
  return starts_with(module, "pathlib") && (ends_with(function, "stat") || ends_with(function, "stat_info"));
}

}  // namespace

// Which times a user's code speaks of, a bit each: whatever asks whether a file is there gets them too.
int Ledger::file_times_named_in(PyCodeObject* code) {
  const auto known = file_times_.find(code);
  if (known != file_times_.end()) return known->second;
  int found = 0;
  for (Py_ssize_t i = 0; i < PyTuple_Size(code->co_names); ++i) {
    std::string name = text_of(PyTuple_GET_ITEM(code->co_names, i));
    if (ends_with(name, "_ns")) name.resize(name.size() - 3);
    for (int time = 0; time < 3; ++time) {
      if (name == std::string("st_") + kTimes[time] || name == std::string("get") + kTimes[time]) found |= 1 << time;
    }
  }
  return file_times_.emplace(code, found).first->second;
}

void Ledger::file_time(const Rule& rule, int number, PyObject* result) {
  const Sites::Caller caller = recorder_->sites.caller();
  if (caller.own || caller.user == nullptr || caller.imported != nullptr) return;
  const int named = file_times_named_in(caller.user);
  if (named == 0) return;
  if (caller.entered != nullptr &&
      !gives_file_times(recorder_->sites.module_of(caller.entered), Sites::function_of(caller.entered))) {
    return;
  }
  What what{rule.source, Event::kRead};
  what.digest = chain(kLedgerStart, 0);
  Moment moment;
  for (int time = 0; time < 3; ++time) {
    if ((named & 1 << time) == 0) continue;
    const std::string name = std::string("st_") + kTimes[time];
    PyObject* whole = PyObject_GetAttrString(result, (name + "_ns").c_str());
    PyObject* real = PyObject_GetAttrString(result, name.c_str());
    what.digest = chain(what.digest, digest_of(whole));
    if (moment.kind == Moment::Kind::kNone && real != nullptr && PyFloat_Check(real)) {
      moment.kind = Moment::Kind::kReal;
      moment.real = PyFloat_AS_DOUBLE(real);
    }
    Py_XDECREF(whole);
    Py_XDECREF(real);
    PyErr_Clear();
  }
  record::LedgerEntry* entry = count(what, caller, detail_of(rule, number, caller, false));
  if (entry == nullptr || moment.kind == Moment::Kind::kNone) return;
  moment.entry = table_.number_of(entry);
  keep(moment);
}

// ---- listings -----------------------------------------------------------------------------------

void Ledger::listing(const Rule& rule, int number, const WatchedCall& call, PyObject* result) {
  if (rule.meaning == Meaning::kScanNext) {
    auto it = scans_.find(call.self);
    if (it == scans_.end()) return;
    if (result == nullptr) {  // at its end
      scans_.erase(it);
      return;
    }
    PyObject* name = PyObject_GetAttrString(result, "name");
    const uint64_t one = digest_of(name);
    Py_XDECREF(name);
    record::LedgerEntry* entry = table_.at(it->second);
    ++entry->amount;
    entry->digest = chain(entry->digest, one);
    entry->order_free += mix(one);
    return;
  }
  const Sites::Caller caller = recorder_->sites.caller();
  if (caller.own) return;
  What what{Source::kListing, Event::kList};
  what.digest = chain(kLedgerStart, 0);
  if (rule.meaning == Meaning::kList && PyList_Check(result)) {
    what.amount = static_cast<uint64_t>(PyList_GET_SIZE(result));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(result); ++i) {
      const uint64_t one = digest_of(PyList_GET_ITEM(result, i));
      what.digest = chain(what.digest, one);
      what.order_free += mix(one);
    }
  }
  record::LedgerEntry* entry = count(what, caller, detail_of(rule, number, caller, false));
  if (entry == nullptr || rule.meaning != Meaning::kScan) return;
  if (scans_.size() > 4096) scans_.clear();  // iterators that were left before their end
  scans_[result] = table_.number_of(entry);
}

}  // namespace samebits::python
