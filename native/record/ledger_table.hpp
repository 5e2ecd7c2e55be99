// Counts of what a process drew and read, one entry a kind and a source line.
//
// The table lies in a file that is mapped into memory: counting is a memory access, and what was
// counted survives a process that is killed or that leaves by os._exit, as loader workers do. Texts
// (files, functions, names) go to a second file, each once, length first. Both are read by
// samebits.check.record.ledger.process_files once the process is gone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>

namespace samebits::record {

constexpr uint32_t kNoEntry = 0xFFFFFFFFu;
constexpr uint32_t kNoText = 0xFFFFFFFFu;

struct LedgerEntry {
  uint64_t first_row;   // operations recorded before it happened first
  uint64_t calls;
  uint64_t amount;      // numbers or bytes
  uint64_t digest;      // of what was seen, in order; 0 when not taken
  uint64_t order_free;  // of a listing or of seeds, whatever their order
  uint32_t first_step;
  int32_t line;         // 0 where no user line is known
  uint32_t file;        // numbers of texts; kNoText
  uint32_t function;
  uint32_t detail;
  uint32_t origin;      // entry that a seed's value came from; kNoEntry
  uint8_t source;
  uint8_t event;
  uint8_t seeded;       // 0 no, 1 yes, 2 unknown
  uint8_t reserved[5];
};
static_assert(sizeof(LedgerEntry) == 72, "the layout is shared with process_files.py");

struct LedgerHeader {
  char magic[8];        // "sbledger"
  uint32_t version;
  uint32_t entry_size;
  uint32_t entries;
  uint32_t dropped;     // what found no more room
  uint32_t process;     // 0 the recorded process, its children from 1
  int32_t worker;       // number of the loader's worker, -1
  uint8_t reserved[32];
};
static_assert(sizeof(LedgerHeader) == 64, "the layout is shared with process_files.py");

class LedgerTable {
 public:
  static constexpr uint32_t kMostEntries = 1 << 16;

  LedgerTable() = default;
  LedgerTable(const LedgerTable&) = delete;
  LedgerTable& operator=(const LedgerTable&) = delete;
  ~LedgerTable() { close(); }

  // Starts anew in `path` and `path`.texts, or in this process's memory alone where `path` is empty.
  // False when the files cannot be made.
  bool open(const std::string& path, uint32_t process);
  // After a fork the parent's files are let go without a trace.
  void close();

  // The entry of a key; null where there is none yet.
  LedgerEntry* find(uint64_t key) {
    auto it = by_key_.find(key);
    return it == by_key_.end() ? nullptr : &entries()[it->second];
  }
  // A new entry for a key; null (and counted as dropped) when there is no more room.
  LedgerEntry* add(uint64_t key, const LedgerEntry& entry);
  // The number of a text, written when it is new.
  uint32_t text(const std::string& text);

  uint32_t number_of(const LedgerEntry* entry) const {
    return static_cast<uint32_t>(entry - entries());
  }
  LedgerEntry* at(uint32_t number) { return &entries()[number]; }
  uint32_t size() const { return header_ == nullptr ? 0 : header_->entries; }
  LedgerHeader* header() { return header_; }
  // The whole table and all texts, as the files would hold them.
  std::string table_bytes() const;
  const std::string& text_bytes() const { return kept_texts_; }

 private:
  LedgerEntry* entries() const {
    return reinterpret_cast<LedgerEntry*>(reinterpret_cast<char*>(header_) + sizeof(LedgerHeader));
  }
  bool make_room(uint32_t entries);

  LedgerHeader* header_ = nullptr;
  int table_file_ = -1;  // -1: in memory alone
  int texts_file_ = -1;
  uint64_t texts_inode_ = 0;  // 0: no more texts can be kept
  uint32_t room_ = 0;    // entries that the file has blocks for
  std::unordered_map<uint64_t, uint32_t> by_key_;
  std::unordered_map<std::string, uint32_t> texts_;
  std::string kept_texts_;  // where there is no file
};

}  // namespace samebits::record
