#include "record/ledger_table.hpp"

#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace samebits::record {
namespace {

constexpr size_t kBytes = sizeof(LedgerHeader) + LedgerTable::kMostEntries * sizeof(LedgerEntry);
constexpr uint32_t kRoomStep = 1024;

// Blocks for a part of a file, taken now: a full disk must not end the process at a memory access.
bool reserve(int file, size_t bytes) {
#if defined(__APPLE__)
  // No posix_fallocate: writing zeros where nothing was written takes the blocks as well.
  static const char kZeros[4096] = {};
  off_t end = lseek(file, 0, SEEK_END);
  while (end >= 0 && static_cast<size_t>(end) < bytes) {
    const ssize_t written = write(file, kZeros, sizeof kZeros);
    if (written <= 0) return false;
    end += written;
  }
  return end >= 0;
#else
  return posix_fallocate(file, 0, static_cast<off_t>(bytes)) == 0;
#endif
}

uint64_t inode(int file) {
  struct stat facts;
  return fstat(file, &facts) == 0 ? static_cast<uint64_t>(facts.st_ino) : 0;
}

}  // namespace

bool LedgerTable::open(const std::string& path, uint32_t process) {
  close();
  int flags = MAP_PRIVATE | MAP_ANONYMOUS;
  if (!path.empty()) {
    // Exclusive: two processes must never count in one file.
    table_file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (table_file_ < 0) return false;
    texts_file_ = ::open((path + ".texts").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
    flags = MAP_SHARED;
    texts_inode_ = inode(texts_file_);
    if (texts_file_ < 0 || !make_room(kRoomStep)) {
      close();
      return false;
    }
  } else {
    room_ = kMostEntries;
  }
  void* memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, flags, table_file_, 0);
  if (memory == MAP_FAILED) {
    close();
    return false;
  }
  header_ = static_cast<LedgerHeader*>(memory);
  std::memcpy(header_->magic, "sbledger", sizeof header_->magic);
  header_->version = 1;
  header_->entry_size = sizeof(LedgerEntry);
  header_->process = process;
  header_->worker = -1;
  return true;
}

void LedgerTable::close() {
  if (header_ != nullptr) munmap(header_, kBytes);
  header_ = nullptr;
  if (table_file_ >= 0) ::close(table_file_);
  if (texts_file_ >= 0 && inode(texts_file_) == texts_inode_) ::close(texts_file_);
  table_file_ = texts_file_ = -1;
  room_ = 0;
  by_key_.clear();
  texts_.clear();
  kept_texts_.clear();
}

bool LedgerTable::make_room(uint32_t entries) {
  if (entries > kMostEntries) return false;
  if (table_file_ >= 0 && !reserve(table_file_, sizeof(LedgerHeader) + entries * sizeof(LedgerEntry))) {
    return false;
  }
  room_ = entries;
  return true;
}

LedgerEntry* LedgerTable::add(uint64_t key, const LedgerEntry& entry) {
  if (header_ == nullptr) return nullptr;
  const uint32_t number = header_->entries;
  if (number >= room_ && !make_room(room_ + kRoomStep)) {
    ++header_->dropped;
    return nullptr;
  }
  LedgerEntry* place = &entries()[number];
  *place = entry;
  header_->entries = number + 1;  // last: a reader of a killed process's file sees whole entries
  by_key_.emplace(key, number);
  return place;
}

uint32_t LedgerTable::text(const std::string& text) {
  auto it = texts_.find(text);
  if (it != texts_.end()) return it->second;
  const auto number = static_cast<uint32_t>(texts_.size());
  const auto size = static_cast<uint32_t>(text.size());
  std::string record(reinterpret_cast<const char*>(&size), sizeof size);
  record += text;
  if (texts_file_ < 0) {
    kept_texts_ += record;
  } else {
    // A script that closes every descriptor has given this number to a file of its own since.
    if (texts_inode_ == 0 || inode(texts_file_) != texts_inode_) return kNoText;
    if (write(texts_file_, record.data(), record.size()) != static_cast<ssize_t>(record.size())) {
      texts_inode_ = 0;  // a full disk: later texts would stand at the wrong place
      return kNoText;
    }
  }
  texts_.emplace(text, number);
  return number;
}

std::string LedgerTable::table_bytes() const {
  if (header_ == nullptr) return {};
  return std::string(reinterpret_cast<const char*>(header_),
                     sizeof(LedgerHeader) + header_->entries * sizeof(LedgerEntry));
}

}  // namespace samebits::record
