// The recorder: what happens at each operation that torch dispatches while a run is watched.
//
// torch calls `dispatch` for every operation (through a TorchDispatchMode whose __torch_dispatch__
// is this C function, which costs less than half of what a Python function does). Each call notes
// the source site, fingerprints what enters and what comes out, and appends one row; Python is only
// called for what is new (an operation, a module's name, a full buffer) or unusual (a sparse tensor).
#pragma once

#include <Python.h>

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "python/owned.hpp"
#include "python/sites.hpp"
#include "python/tensor_access.hpp"
#include "record/known_memory.hpp"
#include "record/received_memory.hpp"
#include "record/received_rows.hpp"
#include "record/rows.hpp"
#include "record/unwritten_memory.hpp"

namespace samebits::python {

class Ledger;

enum class Phase : uint8_t { kSetup = 0, kData = 1, kForward = 2, kBackward = 3, kOptimizer = 4 };

// Row flags, part of the run-folder format (samebits.check.trace.schema.Flag).
enum Flags : uint16_t {
  kRandom = 1 << 0,
  kInPlace = 1 << 1,
  kView = 1 << 2,
  kScratch = 1 << 3,
  kOpaque = 1 << 4,
  kModuleRow = 1 << 5,
  kReadsUnwritten = 1 << 6,
  kReceived = 1 << 7,
  kChangedMeanwhile = 1 << 8,
  kHandedGenerator = 1 << 9,
};

// What an operation does with memory, from its schema and the catalog.
enum Traits : uint32_t {
  kCreatesUnwritten = 1 << 0,   // torch.empty and the like
  kOverwrites = 1 << 1,         // what it writes to is not read first
  kWritesPart = 1 << 2,         // writes only some elements of its target
  kIsSource = 1 << 3,           // its result is, or its argument was, memory from outside
  kNotRecorded = 1 << 4,        // computes nothing
  kCopies = 1 << 5,             // only moves elements
  kMakesSeed = 1 << 6,          // draws a loader's seed, or reads it out
  kResizes = 1 << 7,            // gives its target other bounds, and room that nobody has written
  kAttaches = 1 << 8,           // makes its target look at other memory, which it does not read
  kReceives = 1 << 9,           // other processes give its tensors their content, at a time of their own
  kSharesArgument = 1 << 10,    // of a collective: its first argument is to be the same on all ranks then
  kSharesResult = 1 << 11,      // likewise: its result
  kWaits = 1 << 12,             // its result is what has arrived by then
};

class Recorder {
 public:
  // The Python side's answers; see samebits.check.record.recorder for what each must return.
  struct Callbacks {
    PyObject* describe;     // (op) -> (code, call, flags, traits, scratch, positions, names)
    PyObject* name_module;  // (root, module) -> int
    PyObject* unusual;      // (tensor) -> int fingerprint or None
    PyObject* on_device;    // (tensor) -> object, resolved to a fingerprint at the next flush
    PyObject* flush;        // ()
    PyObject* captured;     // (result, written) of the row that was asked for
    PyObject* replay;       // (op, args, kwargs) of the row that was asked for, before it runs
    PyObject* given;        // (op, args, kwargs) of each row that is followed, before it runs; gives what `gave` takes
    PyObject* gave;         // (row, what `given` has returned, result, written) of that row, after it ran
    PyObject* stop;         // (): the last row that was asked for is recorded
    PyObject* failed;       // (exception): samebits itself failed
    PyObject* collective;   // (args) -> (number of the group, number in it), or None where it is unknown
  };

  bool init(PyObject* tensor_type, PyObject* parameter_type, PyObject* dtype_codes,
            PyObject* kind_of_type, PyObject* classify, Callbacks callbacks, PyObject* sequence_number,
            PyObject* current_node);

  // Lets go of every Python object and of the large tables; nothing is recorded after it.
  void release();

  // In a forked child: rows, steps, numbers of operations, sites and signatures begin anew, and this thread
  // is the main one. What memory was never written stays known, for the child has a copy of it.
  void restart();

  // Counts rows in a word of shared memory as well, which a killed process leaves behind; null ends it.
  void count_in(uint64_t* word) { counter_ = word; }

  // Each thread that computes has a recorder of its own: rows, steps, modules, the order of forward
  // operations. What memory holds is known to all of them, for it is the same memory.
  //
  // `begin_thread`, called on a thread's own recorder's `main`, waits for the first sign of torch on the
  // calling thread; `first` then makes a recorder that stands beside `main`, and has it adopt the thread.
  void stand_beside(Recorder& main);
  void begin_thread(PyObject* first);
  void adopt_thread();
  static void end_thread();
  // The recorder of the calling thread where this is the main one's; itself where there is none.
  Recorder* in_this_thread();
  const Recorder* known_in_this_thread() const;

  bool on_main_thread() const { return PyThread_get_thread_ident() == main_thread_; }

  // A loader draws a seed for its workers, in `code`, whether there are any and whether they draw or
  // not. No row tells of it: what comes of it shows in what they hand back. The ledger tells of it, for
  // the generator has moved on.
  void leave_out(PyObject* code) { loader_seed_ = owned_.keep(code); }

  PyObject* dispatch(PyObject* func, PyObject* types, PyObject* args, PyObject* kwargs);

  // Module calls and loader batches, told by the hooks (see call_hook.cpp). They never raise.
  void enter_module(PyObject* module);
  void leave_module(PyObject* module, PyObject* args, PyObject* result);
  void forget_modules() { module_paths_.clear(); }
  void see_batch(PyObject* batch);
  void see_loss(PyObject* loss);
  // A tensor that was rebuilt around memory from a loader's worker or a file: data at its first use.
  void see_arrival(PyObject* tensor);
  // The same for all tensors in lists and tuples: other processes write into them.
  void see_arrivals(PyObject* object, bool under_way = true, int depth = 0);

  // The collective that this thread began last was waited for: what it has left is noted.
  void end_synchronous();

  // A storage was made, or was resized: `before` is where it lay, which is asked first.
  record::Extent storage_before(PyObject* object);
  void see_storage(PyObject* storage, const record::Extent& before);

  // Whether nothing has written the tensor, or some of it, since its memory was handed out.
  bool is_unwritten(const TensorView& view);

  // A fingerprint of tensors, numbers and strings in lists, tuples and dicts, in order. What is not
  // in CPU memory is handed to on_device; the answers go to `digests_elsewhere` under `field`.
  enum class Field : uint8_t { kBatch, kLoss, kOutputs, kOther };
  uint64_t digest(PyObject* object, Field field, int depth = 0);
  bool digest_tensors_within(PyObject* object, int depth, uint64_t* state);

  record::Rows rows;
  Sites sites;
  TensorAccess tensors;
  std::vector<std::string> fresh_signatures;

  struct Deferred {  // a fingerprint that a device still computes
    size_t row;      // in the buffer
    bool is_data;
    PyObject* object;
  };
  std::vector<Deferred> deferred;
  record::ReceivedRows received;  // looks at results that are to be the same on all ranks
  std::vector<std::pair<size_t, PyObject*>> received_elsewhere;  // whose digest a device still computes
  std::vector<std::pair<Field, PyObject*>> digests_elsewhere;

  // False in forked children and after the run: then everything passes through.
  bool watching = false;
  bool recording_ops = false;
  bool only_steps = false;  // operations are recorded up to the first one that is no optimizer's
  bool recording_modules = false;
  Ledger* ledger = nullptr;  // told of random operations
  static thread_local int silent;  // calls of silent hooks under way on this thread
  Phase phase = Phase::kSetup;
  int threads = 1;  // for large fingerprints
  uint32_t step = 0;
  uint64_t total_rows = 0;
  uint64_t capture_row = ~0ull;
  uint64_t replay_row = ~0ull;
  uint64_t follow_from = ~0ull;  // from this row on each tensor is followed to where it goes
  uint64_t stop_row = ~0ull;

  // Where this thread went on after another one of the process had done something: its own rows and steps
  // by then, and all that the process had done. In the order of time; nothing more once there are kMostTurns.
  struct Turn {
    uint64_t rows, steps, done;
  };
  static constexpr size_t kMostTurns = 1 << 14;
  std::vector<Turn> turns;
  void take_turn();  // a row or a step is done

  // What the current step has seen; taken and reset by the step hook.
  uint64_t batch = 0;
  bool is_batch_unread = false;  // something in it cannot be told from another of its type
  uint64_t loss = 0;
  uint64_t outputs = 0;
  double loss_value = 0;
  bool has_loss_value = false;

 private:
  struct Op {
    std::string name;
    PyObject* call = nullptr;
    int32_t code = 0;
    uint16_t flags = 0;
    uint32_t traits = 0;
    uint32_t scratch = 0;
    std::vector<uint8_t> written;         // by argument position
    std::vector<PyObject*> written_names;  // keyword arguments
  };
  struct Call;  // what is known of one operation while it runs

  Op* op_of(PyObject* func);
  bool give_up();
  bool makes_loader_seed() const;
  record::Extent storage_before(const Op& op, PyObject* args);
  bool copied_unwritten(Call& call, PyObject* copy, const TensorView& view);
  void copy_unwritten(const TensorView& source, const TensorView& copy, PyObject* object);
  void visit_resized(Call& call, PyObject* tensor, const TensorView& view);
  void visit_input(Call& call, PyObject* object, bool written, int depth);
  void visit_tensor(Call& call, PyObject* object, bool written);
  record::Collective collective_of(const Op& op, PyObject* args, bool* known);
  void see_results(PyObject* object, record::Collective collective, uint64_t* part, int depth = 0);
  void look(const TensorView& view, const record::Extent& extent, uint64_t digest, PyObject* later = nullptr);
  void begin_synchronous(PyObject* args);
  void settle(PyObject* object, int depth = 0);
  bool is_arriving(const TensorView& view) const;
  bool take_arrival(Call& call, const TensorView& view);
  bool still_arrives(Call& call, const record::Extent& extent);
  bool was_given(const record::Extent& extent);
  bool may_arrive(const record::Extent& extent);
  void see_changes(Call& call);
  uint64_t remember(const TensorView& view, const record::Extent& extent, uint64_t key);
  void visit_output(Call& call, PyObject* object, int position, int depth);
  void visit_written(Call& call, PyObject* tensor);
  void note_unusual(Call& call, PyObject* tensor);
  void defer(Call& call, PyObject* tensor, bool is_data);
  void place(Call& call);
  bool before_followed(Call& call, PyObject* func, PyObject* args, PyObject* kwargs);
  bool after_followed(const Call& call, PyObject* result);
  bool follow_no_more();
  bool append(Call& call, PyObject* result);
  bool append_row(const record::Row& row);
  void append_module_row(PyObject* module, PyObject* args, PyObject* result);
  int32_t signature_code(uint64_t shapes, PyObject* result, const std::vector<PyObject*>& written);
  void append_signature(std::string& text, PyObject* object, int depth);
  uint64_t hash_value(PyObject* value);
  uint64_t unusual_fingerprint(PyObject* tensor, bool* known);
  uint64_t sequence_now();
  uint32_t module_path(PyObject* root, PyObject* module);

  Owned owned_;
  PyObject* waited_for_ = nullptr;  // tensors of a collective that its caller waits for before anything else
  unsigned long waits_ = 0;         // the thread that does
  uint64_t* counter_ = nullptr;
  Callbacks callbacks_{};
  PyObject* loader_seed_ = nullptr;  // a code object, see leave_out
  PyObject* sequence_number_ = nullptr;
  PyObject* current_node_ = nullptr;
  PyObject* sequence_name_ = nullptr;

  std::unordered_map<PyObject*, Op> ops_;
  std::unordered_map<uint64_t, int32_t> signatures_;
  std::unordered_map<PyObject*, uint64_t> values_;  // dtypes, layouts, memory formats
  struct Memory {
    record::KnownMemory known;
    // Addresses of tensors not used since they came, and whether another process may still write there.
    std::unordered_map<const void*, bool> arrived;
    record::ReceivedMemory received;   // results that are to be the same on all ranks, not overwritten since
    record::ReceivedMemory transfers;  // all that collectives and messages were given, as long as it lives
    record::UnwrittenMemory unwritten;
    const Recorder* turn = nullptr;  // whose it is
    uint64_t done = 0;               // rows and steps of all threads
  };
  std::shared_ptr<Memory> memory_ = std::make_shared<Memory>();
  static constexpr size_t kMostArrived = 1 << 16;
  static constexpr uint64_t kSoon = 64;  // rows after a collective in which its tensors are looked at twice
  static constexpr int64_t kMostRuns = 1 << 12;           // of a strided tensor, told apart in unwritten memory
  static constexpr int64_t kMostElements = 1 << 22;       // of a copy, likewise
  std::vector<record::Extent> written_;  // by the operation under way, stretch by stretch

  struct ForwardSite {
    uint64_t sequence = ~0ull;
    uint32_t site = record::kNoSite;
  };
  static constexpr size_t kSequenceRing = 1 << 18;
  static constexpr size_t kThreadRing = 1 << 14;
  size_t ring_ = kSequenceRing;
  std::vector<ForwardSite> forward_sites_;  // of `ring_` once there is one
  uint64_t sequence_seen_ = 0;
  uint32_t last_backward_site_ = record::kNoSite;

  struct ModuleFrame {
    PyObject* module;
    uint32_t path;
  };
  std::vector<ModuleFrame> modules_;
  std::unordered_map<uint64_t, uint32_t> module_paths_;
  void forget_forward();

  struct Here {
    Recorder* main = nullptr;   // of the process
    Recorder* own = nullptr;    // of this thread
    PyObject* first = nullptr;  // called at the first sign of torch
  };
  static thread_local Here t_here;
  Recorder* main_ = nullptr;  // for another thread's: the one it stands beside, whose Python object is kept
  unsigned long main_thread_ = 0;
};

}  // namespace samebits::python
