// The ledger: who drew random numbers, or read what may differ from run to run, and at which line.
//
// Functions written in C are watched where they lie (see watched.hpp); what Python itself announces
// (files, threads, processes, connections) comes through an audit hook. Each call finds the user's
// line behind it and counts into a table (see record/ledger_table.hpp).
#pragma once

#include <Python.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "python/ledger_values.hpp"
#include "python/recorder.hpp"
#include "python/watched.hpp"
#include "python/worker_draws.hpp"
#include "record/ledger_table.hpp"

namespace samebits::python {

// In the order of samebits.check.trace.schema.LEDGER_SOURCES.
enum class Source : uint8_t {
  kPython, kNumpy, kNumpyGenerator, kTorchCpu, kTorchCuda, kTorchGenerator, kUrandom, kUuid, kSecrets,
  kClock, kPid, kHash, kListing, kEnvironment, kFile, kNetwork, kThread, kProcess, kWorker,
  kTimer, kSharedValue, kReadiness, kHandOver, kSharedGenerator, kSharedFile,
  kAddress, kPort,
};
// In the order of samebits.check.trace.schema.LEDGER_EVENTS.
enum class Event : uint8_t { kDraw, kConstruct, kSeed, kRead, kList, kStart, kWrite };

enum class Seeded : uint8_t { kNo = 0, kYes = 1, kUnknown = 2 };

// What a watched call means; shared with samebits.check.record.ledger.watching.
enum class Meaning : int {
  kPythonDraw = 0,      // one number of a random.Random
  kDraw = 1,            // numbers of the generator that it is a method of
  kSeed = 2,            // gives a generator a seed, its first argument
  kRestore = 3,         // gives a generator a state that was kept
  kConstruct = 4,       // makes a generator, or what seeds one, out of its first argument
  kGenerator = 5,       // makes a numpy.random.Generator around a bit generator
  kDefaultRng = 6,      // numpy.random.default_rng
  kBytes = 7,           // entropy of the operating system
  kClock = 8,
  kPid = 9,
  kHash = 10,
  kList = 11,           // os.listdir
  kScan = 12,           // os.scandir
  kScanNext = 13,       // one entry of it
  kTorchDraw = 14,
  kTorchDropout = 15,   // (input, p, train): draws only where it drops
  kTorchAttention = 16,  // dropout_p, the fifth argument
  kTorchRecurrent = 17,  // dropout and train follow the first boolean argument
  kTorchSeed = 18,      // Generator.manual_seed
  kTorchReseed = 19,    // Generator.seed: from the system's entropy
  kTorchNew = 20,       // torch.Generator()
  kTorchRestore = 21,
  kProgram = 22,        // _posixsubprocess.fork_exec
  kThread = 23,         // _thread.start_new_thread
  kExit = 24,           // os._exit, told of before it is called
  kFileTime = 25,       // os.stat and the like: when a file was changed
  kState = 26,          // reads the state of a generator, to put it back later
  kPort = 27,           // socket.bind, where the system is to choose the port
};

class Ledger : public Watcher {
 public:
  // `owner` is the recorder's Python object, which is kept alive.
  Ledger(Recorder* recorder, PyObject* owner) : recorder_(recorder), owner_(Py_NewRef(owner)) {}
  ~Ledger() override {
    stop();
    Py_XDECREF(before_exit_);
    Py_DECREF(owner_);
  }

  // Watches begin to count; in `path`, or in memory where that is empty.
  bool start(const std::string& path, uint32_t process);
  // Everything is put back; the table stays readable.
  void stop();
  // In a forked child, before anything else runs there.
  void pause() { on_ = false; }
  // In a forked child: count on in a file of its own.
  bool continue_in(const std::string& path, uint32_t process, int worker);

  // Called without arguments before the process leaves by os._exit, children's included.
  void before_exit(PyObject* action);

  int add_rule(Meaning meaning, Source source, const std::string& name);
  // The generators that everybody shares: nobody has seeded them yet.
  void set_global(PyObject* generator, Source source);

  int enter(int rule) override;
  void leave(int rule, int token, const WatchedCall& call, PyObject* result) override;

  void answered_for(PyObject* original, PyObject* const* args, Py_ssize_t count, PyObject* names,
                    PyObject* result) override;
  // A recorded operation drew `numbers` numbers.
  void random_row(const std::string& op, const Sites::Caller& caller, PyObject* args, PyObject* kwargs,
                  PyObject* result);
  // Something that samebits learnt otherwise; its own frames do not count. `direct`: only when the
  // user's line asked for it itself.
  void note(Source source, Event event, const std::string& detail, uint64_t digest, uint64_t amount, bool direct);

  void heard(const char* event, PyObject* args);
  bool counting() const { return on_; }
  // A loader has made a batch of samples with numbers; it counts in a worker.
  void fetched() {
    if (on_ && table_.header()->worker >= 0) draws_of_worker_.fetched();
  }
  record::LedgerTable& table() { return table_; }
  static uint64_t digest_text(const std::string& text);

  // Whether a number is, to the last bit, what one of the latest readings of a clock is after
  // another reading: one of the first or of the latest ones.
  bool is_duration(double seconds) const;

  // Whether a number is what a clock was read to be, or the whole seconds of a date.
  bool is_reading(double number) const;

  Seeded seeded_of(PyObject* generator) const;
  // Whether nobody has seeded it, or only with what the system gave to a SeedSequence.
  bool draws_by_chance(PyObject* generator) const;
  // The first words and whole numbers that were drawn by chance; none where there are many.
  std::vector<std::string> chosen() const;
  void add_chosen(PyObject* drawn);
  void note_chosen(PyObject* generator, PyObject* result);

  std::vector<std::string> drawn;  // the first bytes that uuid4, token_hex, SystemRandom and SeedSequence got


  // Whether a generator is one that everybody shares.
  bool is_shared(PyObject* generator) const { return globals_.count(identity_of(generator)) != 0; }

 private:
  static constexpr size_t kMostStates = 4096;
  static constexpr size_t kMostTurns = 4096;
  static constexpr size_t kMostThreads = 64;
  static constexpr size_t kMostNames = 1024;
  static constexpr size_t kLongestName = 64;
  static constexpr size_t kMostChosen = 16;    // whoever draws more draws no name
  static constexpr Py_ssize_t kMostAtOnce = 4;  // words of one call
  struct Rule {
    Meaning meaning;
    Source source;
    std::string name;
    uint32_t family;   // bit of what it is
    uint32_t covers;   // families whose calls inside of it are its own doing
  };
  struct Generator {
    Seeded seeded = Seeded::kUnknown;
    const void* behind = nullptr;  // the bit generator, where that has the state
    uint64_t seeding = 0;          // the how-many-eth seed or state of all that were given
    bool by_chance = false;        // its seed is what the system gave to a SeedSequence
    uint32_t made = record::kNoEntry;  // the entry of the call that made or seeded it last
  };
  // Threads other than the main one that drew from a generator since it was seeded.
  struct Turns {
    std::vector<uint64_t> threads;  // in the order of their first draws
    uint64_t last = 0;
    uint64_t order = 0;             // a digest of who drew after whom
    uint64_t draws = 0;
    uint64_t seen = 0;              // how many threads
    uint32_t entry = record::kNoEntry;  // once one has drawn again after another
  };
  struct Moment {  // a value that was read and that a seed may be made of
    enum class Kind : uint8_t { kNone, kReal, kWhole, kBytes } kind = Kind::kNone;
    uint32_t entry = record::kNoEntry;
    double real = 0;
    uint64_t whole = 0;     // of bytes: the last eight, big-endian
    uint64_t reversed = 0;  // of bytes: the first eight, little-endian
    bool of_clock = false;  // whether it tells the present, and not the time of a file
  };

  static bool has_seconds(const Moment& moment) { return moment.of_clock && moment.kind == Moment::Kind::kReal; }

  // The entry that a user's own call was counted in last, for the next call from the same place.
  struct Repeated {
    PyCodeObject* code = nullptr;
    int offset = 0;
    PyObject* self = nullptr;
    uint64_t version = 0;
    record::LedgerEntry* entry = nullptr;
  };

  struct What {  // one thing to be counted
    Source source;
    Event event;
    Seeded seeded = Seeded::kUnknown;
    uint64_t amount = 0;
    uint64_t digest = 0;
    uint64_t order_free = 0;
    uint32_t origin = record::kNoEntry;
  };

  void observe(const Rule& rule, int number, bool nested, const WatchedCall& call, PyObject* result);
  void construct(const Rule& rule, int number, bool nested, const WatchedCall& call, PyObject* result);
  void seed(const Rule& rule, int number, bool nested, const WatchedCall& call, PyObject* result);
  void entropy(const Rule& rule, int number, PyObject* result);
  void clock(const Rule& rule, int number, const WatchedCall& call, PyObject* result);
  void file_time(const Rule& rule, int number, PyObject* result);
  void port(const Rule& rule, int number, const WatchedCall& call);
  int file_times_named_in(PyCodeObject* code);
  void listing(const Rule& rule, int number, const WatchedCall& call, PyObject* result);
  void torch_draw(const Rule& rule, const WatchedCall& call, PyObject* result);
  record::LedgerEntry* again(int number, PyObject* self);
  void drew(record::LedgerEntry* entry, PyObject* generator, PyObject* numbers);
  // A thread has drawn from a generator, at the line of an entry.
  void took_turn(const record::LedgerEntry* drawn, PyObject* generator);
  void made_by(PyObject* generator, const record::LedgerEntry* entry);
  uint64_t seeding_of(const void* generator) const;
  const void* torch_default() const;
  void remember_place(int number, PyObject* self, const Sites::Caller& caller, record::LedgerEntry* entry);
  bool drops(const Rule& rule, const WatchedCall& call) const;

  record::LedgerEntry* count(const What& what, const Sites::Caller& caller, uint32_t detail);
  uint32_t detail_of(const Rule& rule, int number, const Sites::Caller& caller, bool instance);
  uint32_t text(const std::string& text) { return table_.text(text); }
  Seeded seeded_by(PyObject* value) const;
  void keep_unseeded(PyObject* state);
  bool is_unseeded_state(PyObject* state) const;
  void remember(PyObject* generator, Seeded seeded, PyObject* behind = nullptr);
  bool comes_by_chance(PyObject* seed) const;
  void keep_entropy_of(PyObject* sequence);
  void keep_bytes_of(PyObject* entropy);
  bool chooses() const { return chosen_.size() <= kMostChosen; }
  bool add_word(PyObject* one);
  void add_number(PyObject* one);
  void keep(const Moment& moment);
  uint32_t origin_of(PyObject* seed) const;
  Source torch_source(PyObject* generator, PyObject* tensor) const;
  bool is_on_meta(PyObject* tensor) const;
  Seeded torch_seeded(Source source, PyObject* generator) const;
  uint64_t numbers_in(PyObject* result) const;
  uint64_t numel(PyObject* tensor) const;
  void find_worker();
  void opened(PyObject* path, PyObject* mode, PyObject* flags);
  void program(const WatchedCall& call);
  void started(Source source, const std::string& what);

  Recorder* recorder_;
  PyObject* owner_;
  PyObject* before_exit_ = nullptr;
  bool on_ = false;
  record::LedgerTable table_;
  std::vector<Rule> rules_;
  std::vector<Repeated> repeated_;  // by rule
  uint64_t version_ = 1;            // of what is known of generators, and of the table
  WorkerDraws draws_of_worker_;
  // By identity_of().
  std::unordered_map<const void*, Generator> generators_;
  std::unordered_map<const void*, Turns> turns_;
  std::unordered_map<const void*, Source> globals_;
  std::unordered_set<const void*> cuda_defaults_;
  // Of states that were read of generators which nobody had seeded: put back, they are no seed. The
  // latest ones, and as many before them.
  std::unordered_set<uint64_t> unseeded_states_;
  std::unordered_set<uint64_t> older_unseeded_states_;
  std::vector<std::string> chosen_;
  std::unordered_set<uint64_t> entropies_;  // of SeedSequences that nobody gave one
  Seeded cuda_seeded_ = Seeded::kUnknown;
  std::unordered_map<uint64_t, uint32_t> details_;
  std::unordered_map<PyObject*, uint32_t> scans_;  // iterator of os.scandir → entry
  static constexpr size_t kMoments = 64;
  static constexpr size_t kEnds = 8;
  Moment moments_[kMoments];
  std::vector<double> first_reals_;
  Moment draws_[8];
  std::unordered_map<PyCodeObject*, int> file_times_;
  size_t moment_count_ = 0;
  size_t draw_count_ = 0;
  uint32_t files_ = 0;
};

}  // namespace samebits::python
