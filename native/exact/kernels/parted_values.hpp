// Single values added to the places of a plane part by part: first they are moved to the parts, each so small that the
// first-level cache holds the slots of its places. Both steps keep their order, and several threads share both: each
// moves a stretch of the values, and a part has those of the first stretch before those of the next.
#pragma once

#include "exact/kernels/single_values.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {

constexpr long kRun = 256;  // values that lie next to each other, all of one part

// Bits of a place's number within its part.
inline int part_bits(long size) {
  int bits = 9;
  while (bits < 11 && (size >> bits) >= 256) ++bits;
  return bits;
}

// Whether parts are worth it: there are enough values and places, not too many parts to write to at once, and few
// values a place. A single thread gains nothing by them as long as the second-level cache has the slots.
template <class T>
bool is_parted(long n, long size, int threads) {
  const bool large = size * 8 * static_cast<long>(sizeof(T)) > 2L << 20;
  return (large || threads > 1) && size >= 8192 && (size >> part_bits(size)) < 1024 && n >= 16384 && n <= 10 * size &&
         n * 32 >= size;
}

template <class T>
struct PartValue {
  T value;
  std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t> place;  // within the part
};

template <class T>
class Parts {
 public:
  // `memory` has the room that `room` says.
  Parts(const Plane<T>& plane, int stretches, char* memory)
      : plane_(plane), bits_(part_bits(plane.size)), count_(count_of(plane.size)), stretches_(stretches) {
    Pieces pieces(memory);
    values_ = pieces.of<PartValue<T>>(stretches * runs() * kRunStep);
    after_ = pieces.of<uint32_t>(stretches * runs());
    ends_ = pieces.of<End>(stretches * count_);
  }
  static size_t room(long n, long size, int stretches) {
    const long count = count_of(size), most = stretches * runs(n, count, stretches);
    return Pieces::size<PartValue<T>>(most * kRunStep) + Pieces::size<uint32_t>(most) +
           Pieces::size<End>(stretches * count);
  }
  long count() const { return count_; }

  // Moves the values of a stretch. False where an index is not that of a place.
  bool move(int stretch) {
    End* ends = ends_ + stretch * count_;
    auto used = static_cast<uint32_t>(stretch * runs());
    for (long p = 0; p < count_; ++p, ++used) ends[p] = {run(used), kRun, 0, used, used};
    const uint64_t size = static_cast<uint64_t>(plane_.size);
    const uint64_t within = (1U << bits_) - 1;
    const long last = plane_.n * (stretch + 1) / stretches_;
    for (long i = plane_.n * stretch / stretches_; i < last; ++i) {
      const uint64_t place = static_cast<uint64_t>(plane_.index[i]);
      if (place >= size) return false;
      End& end = ends[place >> bits_];
      *end.next++ = {plane_.values[i], static_cast<decltype(PartValue<T>::place)>(place & within)};
      if (--end.left == 0) {
        after_[end.last] = used;
        end.last = used;
        end.next = run(used++);
        end.left = kRun;
        end.full += kRun;
      }
    }
    return true;
  }

  // The values of one part, as those of a plane.
  struct Part {
    const Parts& all;
    long number;
    long n;
    T* to;
    long size;

    template <class Visit>
    SAMEBITS_INLINE void each(Visit visit) const {
      for (int stretch = 0; stretch < all.stretches_; ++stretch) {
        const End& end = all.ends_[stretch * all.count_ + number];
        uint32_t run = end.first;
        for (long left = end.count(); left > 0; left -= kRun, run = all.after_[run]) {
          const PartValue<T>* from = all.run(run);
          const long here = smaller(left, kRun);
          for (long k = 0; k < here; ++k) visit(static_cast<int64_t>(from[k].place), from[k].value);
        }
      }
    }
    void begin() const {
      if (all.plane_.fresh) __builtin_memset(to, 0, static_cast<size_t>(size) * sizeof(T));
    }
  };
  Part part(long number) const {
    const long begin = number << bits_;
    long n = 0;
    for (int stretch = 0; stretch < stretches_; ++stretch) n += ends_[stretch * count_ + number].count();
    return {*this, number, n, plane_.to + begin, smaller(plane_.size - begin, 1L << bits_)};
  }

 private:
  // Where a stretch's values for a part end.
  struct End {
    PartValue<T>* next;  // where another one goes
    uint32_t left;       // room in the last run
    uint32_t full;       // values in the other runs
    uint32_t first, last;
    long count() const { return static_cast<long>(full) + kRun - static_cast<long>(left); }
  };

  static constexpr long kRunStep = kRun + 8;  // runs do not all begin in the same sets of the cache
  static long count_of(long size) { return ((size - 1) >> part_bits(size)) + 1; }
  // Those of a stretch: as many as values fill, and one for each part that is not full.
  static long runs(long n, long count, int stretches) { return (n / stretches + 1) / kRun + count; }
  long runs() const { return runs(plane_.n, count_, stretches_); }
  PartValue<T>* run(uint32_t number) const { return values_ + static_cast<long>(number) * kRunStep; }

  const Plane<T>& plane_;
  const int bits_;
  const long count_;
  const int stretches_;
  PartValue<T>* values_;
  uint32_t* after_;  // the run that follows a full one
  End* ends_;        // by stretch and part
};

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
