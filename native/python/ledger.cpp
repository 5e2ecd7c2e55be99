#include "python/ledger.hpp"

#include <cstring>

#include <pthread.h>

#include "python/ledger_values.hpp"

namespace samebits::python {
namespace {

constexpr size_t kMostGenerators = 1 << 16;
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
      rule.meaning != Meaning::kFileTime && rule.meaning != Meaning::kList && rule.meaning != Meaning::kScan) {
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

// ---- generators ---------------------------------------------------------------------------------

Seeded Ledger::seeded_of(PyObject* generator) const {
  auto it = generators_.find(identity_of(generator));
  if (it == generators_.end()) return Seeded::kUnknown;
  if (it->second.behind == nullptr || it->second.behind == generator) return it->second.seeded;
  auto behind = generators_.find(it->second.behind);
  return behind == generators_.end() ? Seeded::kUnknown : behind->second.seeded;
}

void Ledger::remember(PyObject* generator, Seeded seeded, PyObject* behind) {
  if (generator == nullptr) return;
  if (generators_.size() >= kMostGenerators) {
    // Those that are gone cannot be told from those that live; the shared ones are known again.
    std::unordered_map<const void*, Generator> kept;
    for (const auto& [shared, source] : globals_) kept[shared] = generators_[shared];
    generators_.swap(kept);
  }
  generators_[identity_of(generator)] = Generator{seeded, behind, ++version_};
}

// Whether a generator that is made of this value gives the same numbers in every run.
Seeded Ledger::seeded_by(PyObject* value) const {
  if (is_none(value)) return Seeded::kNo;
  if (PyLong_Check(value) || PyFloat_Check(value) || PyUnicode_Check(value) || PyBytes_Check(value) ||
      PyByteArray_Check(value) || PyTuple_Check(value) || PyList_Check(value) ||
      is_of_type(value, "numpy.ndarray") || PyIndex_Check(value)) {
    return Seeded::kYes;
  }
  return seeded_of(value);
}

namespace {

// A name for what a generator's state holds; 0 where that cannot be read.
uint64_t state_digest(const TensorAccess& tensors, PyObject* state) {
  if (state != nullptr && PyTuple_Check(state)) return digest_of(state);  // Python's, and NumPy's oldest
  TensorView view;
  if (state == nullptr || !tensors.view(state, &view)) {
    PyErr_Clear();
    return 0;
  }
  if (!view.on_cpu || !view.has_memory() || !view.is_contiguous()) return 0;
  const auto size = static_cast<size_t>(view.numel()) * static_cast<size_t>(view.itemsize);
  return chain_bytes(kLedgerStart, static_cast<const char*>(view.data), size);
}

}  // namespace

void Ledger::keep_unseeded(PyObject* state) {
  if (unseeded_states_.size() >= kMostStates) {
    older_unseeded_states_.swap(unseeded_states_);
    unseeded_states_.clear();
  }
  const uint64_t digest = state_digest(recorder_->tensors, state);
  if (digest != 0) unseeded_states_.insert(digest);
}

bool Ledger::is_unseeded_state(PyObject* state) const {
  if (unseeded_states_.empty() && older_unseeded_states_.empty()) return false;
  const uint64_t digest = state_digest(recorder_->tensors, state);
  return unseeded_states_.count(digest) != 0 || older_unseeded_states_.count(digest) != 0;
}

void Ledger::seed(const Rule& rule, int number, bool nested, const WatchedCall& call, PyObject* result) {
  const bool restores = rule.meaning == Meaning::kRestore || rule.meaning == Meaning::kTorchRestore;
  const bool reseeds = rule.meaning == Meaning::kTorchReseed;
  PyObject* value = restores || reseeds ? nullptr : call.argument(0, rule.source == Source::kPython ? "a" : "seed");
  const bool unseeded = restores && is_unseeded_state(call.argument(0, "state"));
  Seeded seeded = restores ? (unseeded ? Seeded::kNo : Seeded::kYes) : reseeds ? Seeded::kNo : seeded_by(value);
  const Sites::Caller caller = recorder_->sites.caller();
  // What was pickled comes with the state that it had.
  remember(call.self, seeded);
  if (cuda_defaults_.count(identity_of(call.self)) != 0) cuda_seeded_ = seeded;
  if (nested || caller.own) return;
  What what{cuda_defaults_.count(identity_of(call.self)) != 0 ? Source::kTorchCuda : rule.source, Event::kSeed, seeded};
  const auto shared = globals_.find(identity_of(call.self));
  if (shared != globals_.end()) what.source = shared->second;
  if (!is_none(value)) {
    what.digest = digest_of(value);
    what.origin = origin_of(value);
  }
  if (reseeds) what.digest = digest_of(result);
  if (rule.source == Source::kPython && caller.outside != nullptr &&
      ends_with(Sites::function_of(caller.outside), "__init__")) {
    what.event = Event::kConstruct;  // random.Random(seed)
  }
  count(what, caller, detail_of(rule, number, caller, shared == globals_.end()));
}

void Ledger::construct(const Rule& rule, int number, bool nested, const WatchedCall& call, PyObject* result) {
  PyObject* made = rule.meaning == Meaning::kDefaultRng || rule.meaning == Meaning::kTorchNew ? result : call.self;
  PyObject* value = call.argument(0, rule.source == Source::kNumpyGenerator && ends_with(rule.name, "SeedSequence")
                                         ? "entropy" : "seed");
  if (rule.meaning == Meaning::kGenerator) {
    remember(made, Seeded::kUnknown, call.argument(0, "bit_generator"));
    return;  // what it draws from was counted when that was made
  }
  Seeded seeded = seeded_by(value);
  if (rule.meaning == Meaning::kTorchNew) {
    seeded = Seeded::kYes;  // torch gives a new generator the same seed each time
  } else if (seeded == Seeded::kNo && !is_none(call.argument(2, "key"))) {
    seeded = Seeded::kYes;  // Philox by its key
  }
  const Sites::Caller caller = recorder_->sites.caller();
  const bool unpickled = caller.innermost != nullptr && caller.innermost != caller.user &&
                         starts_with(recorder_->sites.module_of(caller.innermost), "numpy.random._pickle");
  if (unpickled) seeded = Seeded::kUnknown;  // its state comes from the pickle
  if (rule.meaning == Meaning::kDefaultRng) {
    if (made == value) return;  // a generator was given: it is handed back
    // The generator inside of it has been counted in, and knows.
    const auto known = generators_.find(identity_of(made));
    if (known == generators_.end() || known->second.behind == nullptr) remember(made, seeded);
  } else if (is_of_type(made, "numpy.random.mtrand.RandomState") && value != nullptr &&
             seeded_of(value) != Seeded::kUnknown && !PyLong_Check(value)) {
    remember(made, seeded, value);
  } else {
    remember(made, seeded);
  }
  if (nested || caller.own || unpickled) return;
  What what{rule.source, Event::kConstruct, seeded};
  if (!is_none(value) && seeded == Seeded::kYes && rule.meaning != Meaning::kTorchNew) {
    what.digest = digest_of(value);
    what.origin = origin_of(value);
  }
  count(what, caller, detail_of(rule, number, caller, false));
}

}  // namespace samebits::python
