// Generators: which of them somebody has seeded, and with what.
#include <algorithm>

#include "python/ledger.hpp"
#include "python/ledger_values.hpp"

namespace samebits::python {
namespace {

constexpr size_t kMostGenerators = 1 << 16;

}  // namespace

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
  const void* identity = identity_of(generator);
  generators_[identity] = Generator{seeded, behind, ++version_};
  turns_.erase(identity);
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
  made_by(call.self, count(what, caller, detail_of(rule, number, caller, shared == globals_.end())));
}

void Ledger::made_by(PyObject* generator, const record::LedgerEntry* entry) {
  const auto known = entry == nullptr ? generators_.end() : generators_.find(identity_of(generator));
  if (known != generators_.end()) known->second.made = table_.number_of(entry);
}

// Seen is only that a thread draws again after another one: which of two draws first is not.
void Ledger::took_turn(const record::LedgerEntry* drawn, PyObject* generator) {
  const void* identity = identity_of(generator);
  if (turns_.size() >= kMostTurns && turns_.count(identity) == 0) return;
  Turns& turns = turns_[identity];
  const uint64_t thread = PyThreadState_GetID(PyThreadState_Get());
  const auto begin = turns.threads.begin();
  auto found = std::find(begin, turns.threads.end(), thread);
  const bool again = found != turns.threads.end() && turns.last != thread;
  if (found == turns.threads.end()) {
    if (turns.threads.size() >= kMostThreads) turns.threads.clear();  // those of pools that are gone
    found = turns.threads.insert(turns.threads.end(), thread);
    ++turns.seen;
  }
  turns.order = chain(turns.order, static_cast<uint64_t>(found - turns.threads.begin()) + 1);
  turns.last = thread;
  ++turns.draws;
  if (turns.entry == record::kNoEntry && again) {
    // Where the generator was made is the same line in every run; who was second may not be.
    const auto known = generators_.find(identity);
    const uint32_t made = known == generators_.end() ? record::kNoEntry : known->second.made;
    record::LedgerEntry fresh = made < table_.size() ? *table_.at(made) : *drawn;
    fresh.first_row = recorder_->total_rows;
    fresh.first_step = recorder_->step;
    fresh.calls = fresh.amount = fresh.order_free = fresh.digest = 0;
    fresh.origin = made < table_.size() ? made : record::kNoEntry;
    fresh.source = static_cast<uint8_t>(Source::kSharedGenerator);
    fresh.event = static_cast<uint8_t>(Event::kDraw);
    const auto* entry = table_.add(chain(reinterpret_cast<uint64_t>(identity), version_), fresh);
    if (entry == nullptr) return;
    turns.entry = table_.number_of(entry);
  }
  if (turns.entry >= table_.size()) return;
  record::LedgerEntry* entry = table_.at(turns.entry);
  entry->calls = turns.draws;
  entry->amount = turns.seen;
  entry->digest = turns.order;
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
  const bool by_chance = comes_by_chance(value);
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
  if (by_chance) generators_[identity_of(made)].by_chance = true;
  if (seeded == Seeded::kNo && is_of_type(made, "numpy.random.bit_generator.SeedSequence")) keep_entropy_of(made);
  if (nested || caller.own || unpickled) return;
  What what{rule.source, Event::kConstruct, seeded};
  if (!is_none(value) && seeded == Seeded::kYes && rule.meaning != Meaning::kTorchNew) {
    what.digest = digest_of(value);
    what.origin = origin_of(value);
  }
  made_by(made, count(what, caller, detail_of(rule, number, caller, false)));
}

}  // namespace samebits::python
