// Memory that was handed out but not written: torch.empty, a kernel's working space. Its bytes are
// whatever the allocator left there, and mean nothing until an operation writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "record/known_memory.hpp"

namespace samebits::record {

class UnwrittenMemory {
 public:
  // A piece of it, and how to tell that it is still the same piece.
  struct Piece {
    size_t bytes = 0;
    Extent storage;      // the allocation that it belongs to
    uint64_t probe = 0;  // of the piece's bytes
  };

  void add(const Extent& extent, const Extent& storage) {
    if (extent.bytes == 0) return;
    if (pieces_.size() >= kMost) pieces_.clear();
    forget(extent);
    pieces_[extent.first] = Piece{extent.bytes, storage, record::probe(extent)};
  }

  // An operation wrote all of the extent: what is left of each piece lies beside it.
  void written(const Extent& extent) {
    if (pieces_.empty()) return;
    const unsigned char* end = extent.first + extent.bytes;
    for (auto it = first_touching(extent); it != pieces_.end() && it->first < end;) {
      const unsigned char* piece = it->first;
      const unsigned char* piece_end = piece + it->second.bytes;
      const Extent storage = it->second.storage;
      it = pieces_.erase(it);
      if (piece < extent.first) keep(piece, extent.first, storage);
      if (end < piece_end) keep(end, piece_end, storage);
    }
  }

  // A new allocation here: whatever stood at these addresses before is gone.
  void forget(const Extent& extent) {
    if (pieces_.empty() || extent.bytes == 0) return;
    auto it = first_touching(extent);
    while (it != pieces_.end() && it->first < extent.first + extent.bytes) it = pieces_.erase(it);
  }

  bool touches(const Extent& extent) {
    if (pieces_.empty()) return false;
    auto it = first_touching(extent);
    return it != pieces_.end() && it->first < extent.first + extent.bytes;
  }

  // Whether the extent holds bytes that are still as they were handed out. Looks at no byte outside
  // the extent: what reaches beyond it counts unseen.
  bool holds(const Extent& extent) {
    if (pieces_.empty() || extent.bytes == 0) return false;
    const unsigned char* end = extent.first + extent.bytes;
    for (auto it = first_touching(extent); it != pieces_.end() && it->first < end; ++it) {
      const bool inside = it->first >= extent.first && it->first + it->second.bytes <= end;
      if (!inside || record::probe({it->first, it->second.bytes}) == it->second.probe) return true;
    }
    return false;
  }

  // Drops what touches the extent and is not what it was: freed and handed out again, or written
  // from outside. `storage` is the live allocation that the extent lies in. Returns touches(extent).
  bool still_touches(const Extent& extent, const Extent& storage) {
    for (auto it = first_touching(extent);
         it != pieces_.end() && it->first < extent.first + extent.bytes;) {
      const Piece& piece = it->second;
      // Bytes may only be looked at inside memory that is known to be alive.
      const bool same = piece.storage.first == storage.first &&
                        piece.storage.bytes == storage.bytes &&
                        record::probe({it->first, piece.bytes}) == piece.probe;
      it = same ? std::next(it) : pieces_.erase(it);
    }
    return touches(extent);
  }

  // Drops what touches the extent and lies in another allocation than `storage`, the live one that
  // the extent lies in: its memory may be gone.
  void drop_dead(const Extent& extent, const Extent& storage) {
    for (auto it = first_touching(extent);
         it != pieces_.end() && it->first < extent.first + extent.bytes;) {
      const Extent& own = it->second.storage;
      const bool alive = own.first == storage.first && own.bytes == storage.bytes;
      it = alive ? std::next(it) : pieces_.erase(it);
    }
  }

  // Whether the extent holds a copy of such memory that was made out of sight, as copy.deepcopy does.
  bool holds_copy(const Extent& extent) const {
    const uint64_t probe_value = pieces_.empty() ? 0 : record::probe(extent);
    for (const auto& [first, piece] : pieces_) {
      if (piece.bytes == extent.bytes && piece.probe == probe_value) return true;
    }
    return false;
  }

  // An operation wrote some elements of the extent, nobody knows which.
  void partly_written(const Extent& extent) {
    for (auto it = first_touching(extent);
         it != pieces_.end() && it->first < extent.first + extent.bytes; ++it) {
      it->second.probe = record::probe({it->first, it->second.bytes});
    }
  }

 private:
  static constexpr size_t kMost = 4096;
  using Pieces = std::map<const unsigned char*, Piece>;

  Pieces::iterator first_touching(const Extent& extent) {
    auto it = pieces_.upper_bound(extent.first);
    if (it == pieces_.begin()) return it;
    auto before = std::prev(it);
    return before->first + before->second.bytes > extent.first ? before : it;
  }
  void keep(const unsigned char* from, const unsigned char* to, const Extent& storage) {
    const Extent rest{from, static_cast<size_t>(to - from)};
    pieces_[from] = Piece{rest.bytes, storage, record::probe(rest)};
  }

  Pieces pieces_;
};

}  // namespace samebits::record
