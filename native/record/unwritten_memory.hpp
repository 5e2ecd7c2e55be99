// Memory that was handed out but not written: torch.empty, a fresh storage, a kernel's working space.
// Its bytes are whatever the allocator left there, and mean nothing until something writes them.
//
// What operations write is told (`written`). What is written behind torch's back (by NumPy, another
// process, an extension) shows in the bytes: each piece remembers what it held when it was handed out,
// and what is no longer so was written. A piece counts only while its allocation lives: another one at
// the same address, from whomever, is another memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "record/known_memory.hpp"

namespace samebits::record {

// Memory that somebody owns.
class Allocation {
 public:
  virtual ~Allocation() = default;
  // Where it lies now; empty once it was freed.
  virtual Extent extent() const = 0;
};

// What memory held when it was handed out: its bytes, or of a large one a sample of each block.
class Snapshot {
 public:
  explicit Snapshot(const Extent& extent) : extent_(extent) {
    if (extent.bytes <= kMostCopied) {
      bytes_.assign(extent.first, extent.first + extent.bytes);
      return;
    }
    block_ = ((extent.bytes + kBlocks - 1) / kBlocks + 63) / 64 * 64;
    for (size_t at = 0; at < extent.bytes; at += block_) samples_.push_back(probe(block(at)));
  }

  // Calls gap(extent) for what is still as it was in [from, to), which must lie in living memory. Where
  // some of it was written unseen, what holds zeros or lies in gaps of a few bytes counts as written,
  // too: a zero is written over a zero often, and a number over one that is equal in part. Where it is
  // known that only a part was written (`exact`) it does not.
  template <typename Each>
  void each_unchanged(const unsigned char* from, const unsigned char* to, bool exact, const Each& gap) const {
    const size_t first = static_cast<size_t>(from - extent_.first);
    const size_t last = static_cast<size_t>(to - extent_.first);
    if (unchanged(first, last)) {
      gap(Extent{from, last - first});
      return;
    }
    const size_t unit = block_ != 0 ? block_ : kUnit;
    size_t begin = first;
    bool is_open = false;
    const auto close = [&](size_t end) {
      const Extent rest{extent_.first + begin, end - begin};
      if (is_open && (exact || (rest.bytes >= kShortestGap && !is_zero(rest)))) gap(rest);
      is_open = false;
    };
    for (size_t at = first; at < last;) {
      const size_t next = std::min(last, (at / unit + 1) * unit);
      if (unchanged(at, next)) {
        if (!is_open) begin = at;
        is_open = true;
      } else {
        close(at);
      }
      at = next;
    }
    close(last);
  }

 private:
  static constexpr size_t kMostCopied = 1 << 20;
  static constexpr size_t kBlocks = 1 << 13;
  static constexpr size_t kUnit = 4;
  static constexpr size_t kShortestGap = 64;

  Extent block(size_t at) const { return {extent_.first + at, std::min(block_, extent_.bytes - at)}; }

  bool unchanged(size_t from, size_t to) const {
    if (block_ == 0) return std::memcmp(extent_.first + from, bytes_.data() + from, to - from) == 0;
    for (size_t at = from / block_ * block_; at < to; at += block_) {
      // Of a block that is only partly in question the rest may have been written: it tells nothing.
      const bool whole = at >= from && at + block(at).bytes <= to;
      if (whole && probe(block(at)) != samples_[at / block_]) return false;
    }
    return true;
  }

  static bool is_zero(const Extent& extent) {
    for (size_t i = 0; i < extent.bytes; ++i) {
      if (extent.first[i] != 0) return false;
    }
    return true;
  }

  Extent extent_;
  size_t block_ = 0;  // 0: every byte is kept
  std::vector<unsigned char> bytes_;
  std::vector<uint64_t> samples_;
};

class UnwrittenMemory {
 public:
  // The extent was handed out, or holds a copy of such memory.
  void add(const Extent& extent, std::shared_ptr<const Allocation> allocation) {
    if (extent.bytes == 0) return;
    forget(extent);
    if (pieces_.size() >= room_) drop_freed();
    if (pieces_.size() >= kMost) return;
    pieces_[extent.first] = {extent.bytes, std::move(allocation), std::make_shared<Snapshot>(extent)};
  }

  // Something wrote all of the extent: what is left of each piece lies beside it.
  void written(const Extent& extent) {
    if (pieces_.empty() || extent.bytes == 0) return;
    const unsigned char* end = extent.first + extent.bytes;
    for (auto it = first_touching(extent); it != pieces_.end() && it->first < end;) {
      const unsigned char* from = it->first;
      const Piece piece = std::move(it->second);
      it = pieces_.erase(it);
      const unsigned char* to = from + piece.bytes;
      if (from < extent.first) keep(from, extent.first, piece);
      if (end < to) keep(end, to, piece);
    }
  }

  // A new allocation here: whatever stood at these addresses before is gone.
  void forget(const Extent& extent) {
    if (pieces_.empty() || extent.bytes == 0) return;
    auto it = first_touching(extent);
    while (it != pieces_.end() && it->first < extent.first + extent.bytes) it = pieces_.erase(it);
  }

  bool touches(const Extent& extent) {
    if (pieces_.empty() || extent.bytes == 0) return false;
    auto it = first_touching(extent);
    return it != pieces_.end() && it->first < extent.first + extent.bytes;
  }

  // Drops what was freed, and of the extent's own bytes what is not as it was handed out. Returns
  // touches(extent) after that.
  bool still_touches(const Extent& extent) {
    if (!touches(extent)) return false;
    const unsigned char* end = extent.first + extent.bytes;
    std::vector<std::pair<Extent, Piece>> found;
    for (auto it = first_touching(extent); it != pieces_.end() && it->first < end;) {
      if (!lives(it->first, it->second)) {
        it = pieces_.erase(it);
        continue;
      }
      found.emplace_back(Extent{it->first, it->second.bytes}, it->second);
      ++it;
    }
    for (const auto& [place, piece] : found) {
      const unsigned char* from = std::max(place.first, extent.first);
      const unsigned char* to = std::min(place.first + place.bytes, end);
      std::vector<Extent> gaps;
      piece.snapshot->each_unchanged(from, to, false, [&](const Extent& gap) { gaps.push_back(gap); });
      if (gaps.size() == 1 && gaps[0].bytes == static_cast<size_t>(to - from)) continue;
      written({from, static_cast<size_t>(to - from)});
      for (const Extent& gap : gaps) keep(gap.first, gap.first + gap.bytes, piece);
    }
    return touches(extent);
  }

  // An operation wrote some elements of the extent: those that hold something else now, as far as that
  // can be told.
  void partly_written(const Extent& extent) {
    if (!touches(extent)) return;
    std::vector<std::pair<Extent, Piece>> found;
    for (auto it = first_touching(extent); it != pieces_.end() && it->first < extent.first + extent.bytes; ++it) {
      found.emplace_back(Extent{it->first, it->second.bytes}, it->second);
    }
    for (const auto& [place, piece] : found) {
      pieces_.erase(place.first);
      if (!lives(place.first, piece)) continue;
      std::vector<Extent> gaps;
      piece.snapshot->each_unchanged(place.first, place.first + place.bytes, true,
                                     [&](const Extent& gap) { gaps.push_back(gap); });
      if (gaps.size() > kMostGaps) {
        add(place, piece.allocation);
      } else {
        for (const Extent& gap : gaps) keep(gap.first, gap.first + gap.bytes, piece);
      }
    }
  }

  // Calls each(extent) for the unwritten parts of the extent, in order.
  template <typename Each>
  void each_in(const Extent& extent, const Each& each) {
    if (!touches(extent)) return;
    const unsigned char* end = extent.first + extent.bytes;
    for (auto it = first_touching(extent); it != pieces_.end() && it->first < end; ++it) {
      const unsigned char* from = std::max(it->first, extent.first);
      const unsigned char* to = std::min(it->first + it->second.bytes, end);
      each(Extent{from, static_cast<size_t>(to - from)});
    }
  }

  // An allocation grew, and may lie elsewhere now: what was in it came along, what was added is unwritten.
  void moved(const Extent& before, const Extent& after, const std::shared_ptr<const Allocation>& allocation) {
    std::vector<Extent> still;
    const size_t kept = std::min(before.bytes, after.bytes);
    each_in({before.first, kept}, [&](const Extent& part) {
      still.push_back({after.first + (part.first - before.first), part.bytes});
    });
    forget(before);
    forget(after);
    if (after.bytes > kept) still.push_back({after.first + kept, after.bytes - kept});
    for (const Extent& part : still) add(part, allocation);
  }

  // Whether a few more pieces would still be kept.
  bool has_room(size_t pieces) const { return pieces_.size() + pieces < kMost; }
  void clear() { pieces_.clear(); }

 private:
  struct Piece {
    size_t bytes = 0;
    std::shared_ptr<const Allocation> allocation;
    std::shared_ptr<const Snapshot> snapshot;  // of this piece, or of a larger one that it is left of
  };
  using Pieces = std::map<const unsigned char*, Piece>;
  static constexpr size_t kMost = 1 << 16;
  static constexpr size_t kFirstRoom = 1 << 10;
  static constexpr size_t kMostGaps = 64;

  static bool lives(const unsigned char* first, const Piece& piece) {
    const Extent now = piece.allocation->extent();
    return now.first <= first && first + piece.bytes <= now.first + now.bytes;
  }

  // Looks for freed allocations among many pieces, and then not before there are twice as many.
  void drop_freed() {
    for (auto it = pieces_.begin(); it != pieces_.end();) {
      it = lives(it->first, it->second) ? std::next(it) : pieces_.erase(it);
    }
    room_ = std::max(kFirstRoom, 2 * pieces_.size());
  }

  Pieces::iterator first_touching(const Extent& extent) {
    auto it = pieces_.upper_bound(extent.first);
    if (it == pieces_.begin()) return it;
    auto before = std::prev(it);
    return before->first + before->second.bytes > extent.first ? before : it;
  }
  void keep(const unsigned char* from, const unsigned char* to, const Piece& piece) {
    pieces_[from] = {static_cast<size_t>(to - from), piece.allocation, piece.snapshot};
  }

  Pieces pieces_;
  size_t room_ = kFirstRoom;
};

}  // namespace samebits::record
