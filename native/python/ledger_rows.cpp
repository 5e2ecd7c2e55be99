// The ledger's rows: what torch drew, what Python announced, and the entry it is counted in.
#include <filesystem>
#include <system_error>

#include "python/ledger.hpp"
#include "python/ledger_values.hpp"

namespace samebits::python {
namespace {

constexpr uint32_t kMostFiles = 10'000;

// The generator that an operation was given, borrowed; null for the default one.
PyObject* generator_in(PyObject* args, PyObject* kwargs) {
  for (Py_ssize_t i = 0; args != nullptr && i < PyTuple_GET_SIZE(args); ++i) {
    if (is_of_type(PyTuple_GET_ITEM(args, i), "torch._C.Generator")) return PyTuple_GET_ITEM(args, i);
  }
  PyObject* found = kwargs != nullptr ? PyDict_GetItemString(kwargs, "generator") : nullptr;
  return is_none(found) ? nullptr : found;
}

// Fused attention is tagged as random, and draws only where it drops.
bool attention_without_dropout(const std::string& op, PyObject* args) {
  if (op.find("scaled_dot_product") == std::string::npos) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
    PyObject* value = PyTuple_GET_ITEM(args, i);
    if (PyFloat_Check(value) && PyFloat_AS_DOUBLE(value) > 0) return false;
  }
  return true;
}

double real_number(PyObject* object, double otherwise) {
  if (object == nullptr) return otherwise;
  if (PyFloat_Check(object)) return PyFloat_AS_DOUBLE(object);
  return PyLong_Check(object) ? static_cast<double>(PyLong_AsLong(object)) : otherwise;
}

}  // namespace

// ---- torch --------------------------------------------------------------------------------------

uint64_t Ledger::numel(PyObject* tensor) const {
  TensorView view;
  if (!recorder_->tensors.is_tensor(tensor) || !recorder_->tensors.view(tensor, &view)) return 0;
  return static_cast<uint64_t>(view.numel());
}

uint64_t Ledger::numbers_in(PyObject* result) const {
  if (PyFloat_Check(result) || PyLong_Check(result)) return 1;
  if (PyBytes_Check(result)) return static_cast<uint64_t>(PyBytes_GET_SIZE(result));
  if (is_of_type(result, "numpy.ndarray")) {
    PyObject* size = PyObject_GetAttrString(result, "size");
    uint64_t count = 0;
    if (size != nullptr) whole_number(size, &count);
    Py_XDECREF(size);
    PyErr_Clear();
    return count;
  }
  return result == Py_None ? 0 : 1;  // a scalar of NumPy
}

// Where a generator or a tensor lives: the operation's own generator, or the device's default one.
Source Ledger::torch_source(PyObject* generator, PyObject* tensor) const {
  if (!is_none(generator)) {
    const auto shared = globals_.find(identity_of(generator));
    if (shared != globals_.end()) return shared->second;
    return cuda_defaults_.count(identity_of(generator)) != 0 ? Source::kTorchCuda : Source::kTorchGenerator;
  }
  TensorView view;
  if (tensor != nullptr && recorder_->tensors.is_tensor(tensor) && recorder_->tensors.view(tensor, &view) && !view.on_cpu) {
    return Source::kTorchCuda;
  }
  return Source::kTorchCpu;
}

// Whether a tensor is a shape without values: nothing is drawn for it.
bool Ledger::is_on_meta(PyObject* tensor) const {
  if (!recorder_->tensors.is_tensor(tensor)) return false;
  PyObject* answer = PyObject_GetAttrString(tensor, "is_meta");
  if (answer == nullptr) PyErr_Clear();
  Py_XDECREF(answer);
  return answer == Py_True;
}

Seeded Ledger::torch_seeded(Source source, PyObject* generator) const {
  if (!is_none(generator)) return seeded_of(generator);
  if (source == Source::kTorchCuda) return cuda_seeded_;
  for (const auto& [shared, which] : globals_) {
    if (which != Source::kTorchCpu) continue;
    const auto known = generators_.find(shared);
    return known == generators_.end() ? Seeded::kUnknown : known->second.seeded;
  }
  return Seeded::kUnknown;
}

void Ledger::random_row(const std::string& op, const Sites::Caller& caller, PyObject* args, PyObject* kwargs,
                        PyObject* result) {
  if (!on_ || t_underway.busy || attention_without_dropout(op, args)) return;
  Busy busy;
  Pending pending;
  ++t_underway.random_rows;
  PyObject* first = PyTuple_Check(result) && PyTuple_GET_SIZE(result) > 0 ? PyTuple_GET_ITEM(result, 0) : result;
  if (is_on_meta(first)) return;
  PyObject* generator = generator_in(args, kwargs);
  const Source source = torch_source(generator, first);
  What what{source, Event::kDraw, torch_seeded(source, generator), numel(first)};
  const bool asked = t_underway.torch_rule >= 0;
  const std::string& function = asked ? rules_[static_cast<size_t>(t_underway.torch_rule)].name : op;
  const record::LedgerEntry* entry = count(what, caller, text(function));
  if (entry != nullptr && generator != nullptr && !recorder_->on_main_thread()) took_turn(entry, generator);
}

// Whether a function whose draw depends on its arguments did draw.
bool Ledger::drops(const Rule& rule, const WatchedCall& call) const {
  switch (rule.meaning) {
    case Meaning::kTorchDropout: {
      PyObject* train = call.argument(2, "train");
      return real_number(call.argument(1, "p"), 0.5) > 0 && train != Py_False;
    }
    case Meaning::kTorchAttention:
      return real_number(call.argument(4, "dropout_p"), 0) > 0;
    case Meaning::kTorchRecurrent:
      for (Py_ssize_t i = 0; i + 3 < call.count; ++i) {
        if (PyBool_Check(call.args[i])) {  // has_biases, num_layers, dropout, train
          return real_number(call.args[i + 2], 0) > 0 && call.args[i + 3] == Py_True;
        }
      }
      return false;
    default:
      return true;
  }
}

// Where operations are recorded their rows tell; elsewhere (later steps, threads, loader workers)
// the function itself does.
void Ledger::torch_draw(const Rule& rule, const WatchedCall& call, PyObject* result) {
  if (t_underway.random_rows != 0) return;
  const Recorder* here = recorder_->known_in_this_thread();
  if (here->recording_ops && here->watching && here->on_main_thread()) return;
  if (!drops(rule, call)) return;
  PyObject* first = PyTuple_Check(result) && PyTuple_GET_SIZE(result) > 0 ? PyTuple_GET_ITEM(result, 0) : result;
  if (!recorder_->tensors.is_tensor(first)) return;
  if (recorder_->tensors.kind_of(reinterpret_cast<PyObject*>(Py_TYPE(first))) == TensorKind::kNoMemory) return;
  if (is_on_meta(first)) return;
  const Sites::Caller caller = recorder_->sites.caller();
  if (caller.own) return;
  PyObject* generator = call.argument(PY_SSIZE_T_MAX, "generator");
  const Source source = torch_source(generator, first);
  What what{source, Event::kDraw, torch_seeded(source, generator), numel(first)};
  drew(count(what, caller, text(rule.name)), generator, first);
}

// ---- what the workers of a loader share ---------------------------------------------------------

void Ledger::drew(record::LedgerEntry* entry, PyObject* generator, PyObject* numbers) {
  if (entry != nullptr && !is_none(generator) && !recorder_->on_main_thread()) took_turn(entry, generator);
  if (entry == nullptr || entry->order_free != 0 || !draws_of_worker_.counting()) return;
  uint64_t digest = 0;
  TensorView view;
  if (recorder_->tensors.is_tensor(numbers)) {
    if (!recorder_->tensors.view(numbers, &view) || !view.on_cpu || !view.has_memory() || !view.is_contiguous()) return;
    const auto size = static_cast<size_t>(view.numel()) * static_cast<size_t>(view.itemsize);
    digest = chain_bytes(kLedgerStart, static_cast<const char*>(view.data), size);
  } else {
    digest = digest_of(numbers);
  }
  const void* drawn_from = is_none(generator) ? torch_default() : identity_of(generator);
  entry->order_free = draws_of_worker_.drew(table_.number_of(entry), drawn_from, seeding_of(drawn_from), digest);
}

uint64_t Ledger::seeding_of(const void* generator) const {
  const auto it = generators_.find(generator);
  if (it == generators_.end()) return 0;
  const auto behind = it->second.behind == nullptr ? it : generators_.find(it->second.behind);
  return it->second.seeding + (behind == it || behind == generators_.end() ? 0 : behind->second.seeding);
}

const void* Ledger::torch_default() const {
  for (const auto& [shared, source] : globals_) {
    if (source == Source::kTorchCpu) return shared;
  }
  return nullptr;
}

// ---- what Python announces ----------------------------------------------------------------------

void Ledger::note(Source source, Event event, const std::string& detail, uint64_t digest, uint64_t amount,
                  bool direct) {
  if (!on_ || t_underway.busy) return;
  Busy busy;
  Pending pending;
  const Sites::Caller caller = recorder_->sites.caller(true);
  if (caller.own) return;
  if (direct && caller.entered != nullptr) {
    // os.getenv and os.environ.get are ways of asking, not libraries that ask.
    const std::string& module = recorder_->sites.module_of(caller.entered);
    if (module != "os" && module != "_collections_abc" && module != "collections.abc") return;
  }
  if (direct && caller.user == nullptr) return;
  What what{source, event, Seeded::kUnknown, amount, digest};
  count(what, caller, text(detail));
}

void Ledger::opened(PyObject* path, PyObject* mode, PyObject* flags) {
  const std::string name = text_of(path);
  if (name.empty() || files_ >= kMostFiles) return;
  if (!is_none(mode)) {
    if (text_of(mode).find_first_of("wax+") != std::string::npos) return;
  } else if (flags != nullptr && PyLong_Check(flags) && (PyLong_AsLong(flags) & 3) != 0) {
    return;  // O_WRONLY, O_RDWR
  }
  for (const char* code : {".py", ".pyc", ".so"}) {
    if (ends_with(name, code)) return;
  }
  for (const char* device : {"/proc/", "/sys/", "/dev/"}) {
    if (starts_with(name, device)) return;
  }
  const Sites::Caller caller = recorder_->sites.caller();
  if (caller.own) return;
  std::error_code failed;
  const std::filesystem::path full = std::filesystem::absolute(name, failed);
  if (failed) return;
  // Python tells before it opens: what is not there will not be read. Nor is a folder.
  const std::filesystem::file_status found = std::filesystem::status(full, failed);
  if (!std::filesystem::exists(found) || std::filesystem::is_directory(found)) return;
  const uint32_t before = table_.size();
  count(What{Source::kFile, Event::kRead}, caller, text(full.lexically_normal().string()));
  files_ += table_.size() - before;
}

void Ledger::heard(const char* event, PyObject* args) {
  if (!on_ || t_underway.busy || !PyTuple_Check(args)) return;
  const Py_ssize_t size = PyTuple_GET_SIZE(args);
  const auto argument = [&](Py_ssize_t i) { return i < size ? PyTuple_GET_ITEM(args, i) : nullptr; };
  Source source;
  std::string what;
  if (std::strcmp(event, "open") == 0) {
    Busy busy;
    Pending pending;
    opened(argument(0), argument(1), argument(2));
    return;
  }
  if (std::strcmp(event, "os.fork") == 0 || std::strcmp(event, "os.forkpty") == 0) {
    source = Source::kProcess;
    what = "fork";
  } else if (std::strcmp(event, "os.posix_spawn") == 0 || std::strcmp(event, "os.exec") == 0) {
    source = Source::kProcess;
    what = std::filesystem::path(text_of(argument(0))).filename().string();
  } else if (std::strcmp(event, "os.system") == 0) {
    source = Source::kProcess;
    what = "shell";
  } else if (std::strcmp(event, "socket.connect") == 0) {
    PyObject* address = argument(1);
    if (address == nullptr || !PyTuple_Check(address) || PyTuple_GET_SIZE(address) < 2) return;  // no network: a path
    source = Source::kNetwork;
    what = text_of(PyTuple_GET_ITEM(address, 0));
    uint64_t port = 0;
    if (whole_number(PyTuple_GET_ITEM(address, 1), &port)) what += ":" + std::to_string(port);
  } else {
    return;
  }
  Busy busy;
  Pending pending;
  started(source, what);
}

void Ledger::started(Source source, const std::string& what) {
  const Sites::Caller caller = recorder_->sites.caller();
  if (caller.own) return;
  std::string by;
  if (caller.entered != nullptr) {
    by = recorder_->sites.module_of(caller.entered) + "." + Sites::function_of(caller.entered);
  }
  const std::string detail = what.empty() ? by : by.empty() || source == Source::kNetwork ? what : what + " by " + by;
  count(What{source, Event::kStart}, caller, text(detail));
}

// A program that Python starts: its arguments come first, as a list of bytes.
void Ledger::program(const WatchedCall& call) {
  if (call.count == 0 || !(PyList_Check(call.args[0]) || PyTuple_Check(call.args[0]))) return;
  PyObject* arguments = call.args[0];
  const Py_ssize_t size = PySequence_Fast_GET_SIZE(arguments);
  for (Py_ssize_t i = 0; i < size; ++i) {
    // multiprocessing's own helper, which runs nothing of the script.
    if (text_of(PySequence_Fast_GET_ITEM(arguments, i)).find("resource_tracker") != std::string::npos) return;
  }
  const std::string name = size > 0 ? text_of(PySequence_Fast_GET_ITEM(arguments, 0)) : "";
  started(Source::kProcess, std::filesystem::path(name).filename().string());
}

// ---- entries ------------------------------------------------------------------------------------

// "random.shuffle" of the user's own call, or the library's function that the user's line called.
uint32_t Ledger::detail_of(const Rule& rule, int number, const Sites::Caller& caller, bool instance) {
  PyCodeObject* entered = caller.imported != nullptr ? caller.imported : caller.entered;
  // Whoever asks tempfile for a name: it draws from a generator of its own, and no seed reaches that.
  if (caller.imported == nullptr && caller.naming != nullptr) entered = caller.naming;
  const uint64_t key = chain(reinterpret_cast<uint64_t>(entered),
                             static_cast<uint64_t>(number) * 2 + (instance ? 1 : 0));
  const auto known = details_.find(key);
  if (known != details_.end()) return known->second;
  std::string detail = rule.name;
  if (caller.imported != nullptr) {
    detail = "import " + recorder_->sites.module_of(caller.imported);
  } else if (entered != nullptr) {
    const std::string& module = recorder_->sites.module_of(entered);
    const std::string function = Sites::function_of(entered);
    const bool shared = module == "random" && !instance && starts_with(function, "Random.");
    detail = module + "." + (shared ? function.substr(7) : function);
  } else if (instance && rule.source == Source::kPython) {
    detail = "random.Random" + rule.name.substr(rule.name.find('.'));
  } else if (instance && starts_with(detail, "numpy.random.") && rule.source == Source::kNumpy &&
             detail.find("RandomState") == std::string::npos) {
    detail.insert(13, "RandomState.");
  }
  const uint32_t result = text(detail);
  details_.emplace(key, result);
  return result;
}

record::LedgerEntry* Ledger::count(const What& what, const Sites::Caller& caller, uint32_t detail) {
  uint64_t key = chain(reinterpret_cast<uint64_t>(caller.user), static_cast<uint64_t>(caller.line));
  key = chain(key, detail);
  key = chain(key, static_cast<uint64_t>(what.source) | static_cast<uint64_t>(what.event) << 8 |
                       static_cast<uint64_t>(what.seeded) << 16);
  record::LedgerEntry* entry = table_.find(key);
  if (entry == nullptr) {
    record::LedgerEntry fresh{};
    fresh.first_row = recorder_->total_rows;
    fresh.first_step = recorder_->step;
    fresh.line = caller.user != nullptr ? caller.line : 0;
    fresh.file = caller.user != nullptr ? text(Sites::file_of(caller.user)) : record::kNoText;
    fresh.function = caller.user != nullptr ? text(Sites::function_of(caller.user)) : record::kNoText;
    fresh.detail = detail;
    fresh.origin = what.origin;
    fresh.source = static_cast<uint8_t>(what.source);
    fresh.event = static_cast<uint8_t>(what.event);
    fresh.seeded = static_cast<uint8_t>(what.seeded);
    entry = table_.add(key, fresh);
    if (entry == nullptr) return nullptr;
    if (table_.header()->process != 0 && table_.header()->worker < 0) find_worker();
  }
  ++entry->calls;
  entry->amount += what.amount;
  if (what.digest != 0) entry->digest = entry->digest == 0 ? what.digest : chain(entry->digest, what.digest);
  entry->order_free += what.order_free;
  const bool gives_seed = what.event == Event::kSeed || what.event == Event::kConstruct;
  if (gives_seed && what.digest != 0) entry->order_free += record::mix(what.digest);
  if (entry->origin == record::kNoEntry) entry->origin = what.origin;
  return entry;
}

// In a loader's worker torch keeps its number where get_worker_info() reads it.
void Ledger::find_worker() {
  PyObject* name = PyUnicode_FromString("torch.utils.data._utils.worker");
  PyObject* module = name != nullptr ? PyImport_GetModule(name) : nullptr;
  PyObject* info = module != nullptr ? PyObject_GetAttrString(module, "_worker_info") : nullptr;
  PyObject* id = info != nullptr && info != Py_None ? PyObject_GetAttrString(info, "id") : nullptr;
  if (id != nullptr && PyLong_Check(id)) table_.header()->worker = static_cast<int32_t>(PyLong_AsLong(id));
  for (PyObject* object : {name, module, info, id}) Py_XDECREF(object);
  PyErr_Clear();
}

}  // namespace samebits::python
