// A file that grows at its end and is whole at every moment: what was appended is in the system's
// hands at once, so that a process that is killed loses nothing.
//
//   offset 0   8 bytes   magic
//   offset 8   8 bytes   bytes that follow the header and count, little-endian
//   offset 16            content; what lies behind the counted bytes is room for more
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace samebits::record {

class AppendFile {
 public:
  AppendFile() = default;
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;
  ~AppendFile() { close(); }

  // False, with errno set, when the file cannot be made. It must not exist.
  bool open(const std::string& path, const char (&magic)[9]) {
    close();
    descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (descriptor_ < 0) return false;
    if (!grow(kFirst)) return false;
    std::memcpy(memory_, magic, 8);
    used_ = 0;
    note_used();
    return true;
  }

  // False when there is no room left; the file then ends before this.
  bool append(const void* content, size_t size) {
    if (memory_ == nullptr) return false;
    if (kHeader + used_ + size > room_ && !grow(next_room(size))) return false;
    std::memcpy(memory_ + kHeader + used_, content, size);
    used_ += size;
    note_used();
    return true;
  }

  size_t used() const { return used_; }

  // In a forked child: lets go of the parent's file as it is.
  void abandon() {
    if (memory_ != nullptr) munmap(memory_, room_);
    if (descriptor_ >= 0) ::close(descriptor_);
    memory_ = nullptr;
    descriptor_ = -1;
    used_ = room_ = 0;
  }

  void close() {
    const bool trim = memory_ != nullptr;
    const size_t end = kHeader + used_;
    if (memory_ != nullptr) munmap(memory_, room_);
    memory_ = nullptr;
    // Not being able to give room back costs room, nothing else.
    if (trim && ftruncate(descriptor_, static_cast<off_t>(end)) != 0) errno = 0;
    abandon();
  }

 private:
  static constexpr size_t kHeader = 16;
  static constexpr size_t kFirst = size_t{1} << 16;
  static constexpr size_t kMostGrowth = size_t{1} << 26;

  size_t next_room(size_t size) const {
    const size_t growth = room_ < kMostGrowth ? room_ : kMostGrowth;
    return room_ + (size > growth ? size + kFirst : growth);
  }

  bool grow(size_t room) {
#if defined(__linux__)
    // Reserved, since writing to a mapped hole of a full disk is a signal, not an error.
    if (posix_fallocate(descriptor_, 0, static_cast<off_t>(room)) != 0) return false;
#else
    if (ftruncate(descriptor_, static_cast<off_t>(room)) != 0) return false;
#endif
    if (memory_ != nullptr) munmap(memory_, room_);
    memory_ = nullptr;
    void* mapped = mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
    if (mapped == MAP_FAILED) return false;
    memory_ = static_cast<unsigned char*>(mapped);
    room_ = room;
    return true;
  }

  void note_used() {
    const uint64_t used = used_;
    std::memcpy(memory_ + 8, &used, 8);
  }

  int descriptor_ = -1;
  unsigned char* memory_ = nullptr;
  size_t room_ = 0;
  size_t used_ = 0;
};

}  // namespace samebits::record
