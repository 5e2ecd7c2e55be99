#include "python/ledger.hpp"

#include <cstring>

#include <pthread.h>

#include "python/ledger_values.hpp"

namespace samebits::python {
namespace {

constexpr int kNested = 1 << 30;

}  // namespace

uint64_t Ledger::digest_text(const std::string& text) { return chain_bytes(kLedgerStart + 5, text.data(), text.size()); }

// ---- starting and stopping --------------------------------------------------------------------

namespace {

// In a child nothing counts until it has a table of its own: the parent's is still mapped, and other
// libraries' hooks come first (`random` seeds its generator anew).
void forked_child() {
  if (watcher() != nullptr) static_cast<Ledger*>(watcher())->pause();
}

}  // namespace

bool Ledger::start(const std::string& path, uint32_t process) {
  static const bool g_told_of_forks = pthread_atfork(nullptr, nullptr, forked_child) == 0;
  if (!g_told_of_forks) return false;
  if (!recorder_->sites.ready() || !table_.open(path, process)) return false;
  details_.clear();
  on_ = true;
  set_watcher(this);
  recorder_->ledger = this;
  return true;
}

void Ledger::stop() {
  if (watcher() == this) {
    unwatch_all();
    set_watcher(nullptr);
  }
  if (recorder_->ledger == this) recorder_->ledger = nullptr;
  on_ = false;
}

bool Ledger::continue_in(const std::string& path, uint32_t process, int worker) {
  ++version_;
  details_.clear();
  scans_.clear();
  for (Moment& moment : moments_) moment.entry = record::kNoEntry;
  for (Moment& moment : draws_) moment.entry = record::kNoEntry;
  t_underway = Underway{};
  files_ = 0;
  draws_of_worker_.begin();
  turns_.clear();
  for (auto& [identity, generator] : generators_) generator.made = record::kNoEntry;
  for (const auto& [shared, source] : globals_) {
    if (source == Source::kPython) generators_[shared].seeded = Seeded::kNo;  // `random` has seen to that
  }
  on_ = table_.open(path, process);
  if (on_) table_.header()->worker = worker;
  return on_;
}

void Ledger::before_exit(PyObject* action) {
  Py_XDECREF(before_exit_);
  before_exit_ = Py_NewRef(action);
}

int Ledger::add_rule(Meaning meaning, Source source, const std::string& name) {
  Rule rule{meaning, source, name, kNoFamily, kNoFamily};
  switch (meaning) {
    case Meaning::kDraw:
      rule.family = rule.covers = kNumpyFamily;
      break;
    case Meaning::kConstruct:
    case Meaning::kGenerator:
    case Meaning::kDefaultRng:
      rule.family = kNumpyFamily;
      rule.covers = kNumpyFamily | kEntropyFamily;
      break;
    case Meaning::kSeed:
    case Meaning::kRestore:
      if (source == Source::kPython) break;
      rule.family = kNumpyFamily;
      rule.covers = kNumpyFamily | kEntropyFamily;
      break;
    case Meaning::kBytes:
      rule.family = rule.covers = kEntropyFamily;
      break;
    case Meaning::kClock:
      rule.family = rule.covers = kClockFamily;
      break;
    case Meaning::kTorchDraw:
    case Meaning::kTorchDropout:
    case Meaning::kTorchAttention:
    case Meaning::kTorchRecurrent:
      rule.family = rule.covers = kTorchFamily;
      break;
    default:
      break;
  }
  rules_.push_back(std::move(rule));
  repeated_.emplace_back();
  return static_cast<int>(rules_.size()) - 1;
}

void Ledger::set_global(PyObject* generator, Source source) {
  if (source == Source::kTorchCuda) {
    cuda_defaults_.insert(identity_of(generator));
    return;
  }
  globals_[identity_of(generator)] = source;
  generators_[identity_of(generator)] = Generator{Seeded::kNo, nullptr, 0};
}

// ---- calls --------------------------------------------------------------------------------------

// The token: what was covered before, and whether this call is another one's own doing.
int Ledger::enter(int number) {
  Underway& now = t_underway;
  const Rule& rule = rules_[static_cast<size_t>(number)];
  if (rule.meaning == Meaning::kExit && before_exit_ != nullptr) {
    PyObject* answer = PyObject_CallNoArgs(before_exit_);
    if (answer == nullptr) PyErr_Clear();
    Py_XDECREF(answer);
    return -1;
  }
  if (!on_ || now.busy) return -1;
  const int token = static_cast<int>(now.covered) | ((now.covered & rule.family) != 0 ? kNested : 0);
  now.covered |= rule.covers;
  if (rule.family == kTorchFamily && token < kNested) {
    now.torch_rule = number;
    now.random_rows = 0;
  }
  return token;
}

void Ledger::leave(int number, int token, const WatchedCall& call, PyObject* result) {
  Underway& now = t_underway;
  now.covered = static_cast<uint32_t>(token & ~kNested);
  const bool nested = (token & kNested) != 0;
  const Rule& rule = rules_[static_cast<size_t>(number)];
  if (rule.family == kTorchFamily && !nested) now.torch_rule = -1;
  if (!on_ || now.busy || (result == nullptr && rule.meaning != Meaning::kScanNext)) return;
  Busy busy;
  Pending pending;
  observe(rule, number, nested, call, result);
}

void Ledger::answered_for(PyObject* original, PyObject* const* args, Py_ssize_t count, PyObject* names,
                          PyObject* result) {
  const int number = rule_of(original);
  if (number < 0 || !on_ || t_underway.busy || result == nullptr) return;
  const Rule& rule = rules_[static_cast<size_t>(number)];
  if ((t_underway.covered & rule.family) != 0) return;
  // Who stands in for a generator makes a real one, which has been counted.
  if (rule.meaning != Meaning::kBytes && rule.meaning != Meaning::kClock && rule.meaning != Meaning::kPid &&
      rule.meaning != Meaning::kFileTime && rule.meaning != Meaning::kList && rule.meaning != Meaning::kScan &&
      rule.meaning != Meaning::kPort) {
    return;
  }
  Busy busy;
  Pending pending;
  const bool method = count > 0 && Py_TYPE(original) == &PyMethodDescr_Type;
  const WatchedCall call = method ? WatchedCall{args[0], args + 1, count - 1, names, nullptr}
                                  : WatchedCall{nullptr, args, count, names, nullptr};
  observe(rule, number, false, call, result);
}

void Ledger::observe(const Rule& rule, int number, bool nested, const WatchedCall& call, PyObject* result) {
  switch (rule.meaning) {
    case Meaning::kPythonDraw: {
      record::LedgerEntry* entry = again(number, call.self);
      if (entry != nullptr) {
        ++entry->calls;
        ++entry->amount;
      } else {
        const Sites::Caller caller = recorder_->sites.caller();
        if (caller.own) return;
        const bool instance = !is_shared(call.self);
        const What what{Source::kPython, Event::kDraw, seeded_of(call.self), 1};
        entry = this->count(what, caller, detail_of(rule, number, caller, instance));
        remember_place(number, call.self, caller, entry);
      }
      drew(entry, call.self, result);
      uint64_t whole = 0;
      if (entry != nullptr && whole_number(result, &whole)) {
        Moment& moment = draws_[draw_count_++ % std::size(draws_)];
        moment.kind = Moment::Kind::kWhole;
        moment.entry = table_.number_of(entry);
        moment.whole = whole;
      }
      return;
    }
    case Meaning::kDraw: {
      if (nested) return;
      if (record::LedgerEntry* entry = again(number, call.self); entry != nullptr && result != Py_None) {
        ++entry->calls;
        entry->amount += numbers_in(result);
        drew(entry, call.self, result);
        note_chosen(call.self, result);
        return;
      }
      const Sites::Caller caller = recorder_->sites.caller();
      if (caller.own) return;
      What what{rule.source, Event::kDraw, seeded_of(call.self), numbers_in(result)};
      if (result == Py_None && call.count > 0) {  // shuffled in place
        const Py_ssize_t size = PyList_Check(call.args[0]) ? PyList_GET_SIZE(call.args[0]) : 0;
        what.amount = size > 0 ? static_cast<uint64_t>(size) : numbers_in(call.args[0]);
      }
      const bool instance = !is_shared(call.self);
      record::LedgerEntry* entry = this->count(what, caller, detail_of(rule, number, caller, instance));
      remember_place(number, call.self, caller, entry);
      drew(entry, call.self, result == Py_None && call.count > 0 ? call.args[0] : result);
      note_chosen(call.self, result);
      return;
    }
    case Meaning::kSeed:
    case Meaning::kTorchSeed:
    case Meaning::kTorchReseed:
    case Meaning::kRestore:
    case Meaning::kTorchRestore:
      seed(rule, number, nested, call, result);
      return;
    case Meaning::kState:
      if (seeded_of(call.self) == Seeded::kNo) keep_unseeded(result);
      return;
    case Meaning::kConstruct:
    case Meaning::kGenerator:
    case Meaning::kDefaultRng:
    case Meaning::kTorchNew:
      construct(rule, number, nested, call, result);
      return;
    case Meaning::kBytes:
      if (!nested) entropy(rule, number, result);
      return;
    case Meaning::kClock:
    case Meaning::kPid:
    case Meaning::kHash:
      if (!nested) clock(rule, number, call, result);
      return;
    case Meaning::kFileTime:
      file_time(rule, number, result);
      return;
    case Meaning::kPort:
      port(rule, number, call);
      return;
    case Meaning::kList:
    case Meaning::kScan:
    case Meaning::kScanNext:
      listing(rule, number, call, result);
      return;
    case Meaning::kTorchDraw:
    case Meaning::kTorchDropout:
    case Meaning::kTorchAttention:
    case Meaning::kTorchRecurrent:
      if (!nested) torch_draw(rule, call, result);
      return;
    case Meaning::kProgram:
      program(call);
      return;
    case Meaning::kThread:
      started(Source::kThread, "");
      return;
    case Meaning::kExit:
      return;
  }
}

record::LedgerEntry* Ledger::again(int number, PyObject* self) {
  const Repeated& last = repeated_[static_cast<size_t>(number)];
  PyCodeObject* code = nullptr;
  int offset = 0;
  if (last.self != self || last.version != version_ || !Sites::position(&code, &offset)) return nullptr;
  return code == last.code && offset == last.offset ? last.entry : nullptr;
}

void Ledger::remember_place(int number, PyObject* self, const Sites::Caller& caller, record::LedgerEntry* entry) {
  PyCodeObject* code = nullptr;
  int offset = 0;
  // Only a line that asks by itself: behind a library any line may stand the next time.
  if (entry == nullptr || caller.entered != nullptr || !Sites::position(&code, &offset)) return;
  if (code == caller.user) repeated_[static_cast<size_t>(number)] = Repeated{code, offset, self, version_, entry};
}

}  // namespace samebits::python
