// Single values added to the places of a large plane: first they are moved to parts of it, each so small that the
// first-level cache holds the lanes of its places, and then added part by part. Both keep their order.
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

// Whether there are enough values and places for parts, not too many parts to write to at once, and few values a place.
inline bool is_parted(long n, long size) {
  return size >= 8192 && (size >> part_bits(size)) < 1024 && n >= 16384 && n <= 10 * size && n * 32 >= size;
}

template <class T>
struct PartValue {
  T value;
  std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t> place;  // within the part
};

template <class T>
class Parts {
 public:
  Parts(const Plane<T>& plane, char* memory) : plane_(plane), bits_(part_bits(plane.size)), count_(count_of(plane.size)) {
    const long most = runs(plane.n, count_);
    Pieces pieces(memory);
    values_ = pieces.of<PartValue<T>>(most * kRunStep);
    ends_ = pieces.of<PartValue<T>*>(count_);
    left_ = pieces.of<uint32_t>(count_);
    sizes_ = pieces.of<uint32_t>(count_);
    first_ = pieces.of<uint32_t>(count_);
    last_ = pieces.of<uint32_t>(count_);
    after_ = pieces.of<uint32_t>(most);
  }
  static size_t room(long n, long size) {
    const long count = count_of(size), most = runs(n, count);
    return Pieces::size<PartValue<T>>(most * kRunStep) + Pieces::size<PartValue<T>*>(count) +
           4 * Pieces::size<uint32_t>(count) + Pieces::size<uint32_t>(most);
  }
  long count() const { return count_; }

  // False where an index is not that of a place.
  bool move() {
    uint32_t used = 0;
    for (long p = 0; p < count_; ++p, ++used) {
      first_[p] = last_[p] = used;
      ends_[p] = run(used);
      left_[p] = kRun;
      sizes_[p] = 0;
    }
    const uint64_t size = static_cast<uint64_t>(plane_.size);
    const uint64_t within = (1U << bits_) - 1;
    for (long i = 0; i < plane_.n; ++i) {
      const uint64_t place = static_cast<uint64_t>(plane_.index[i]);
      if (place >= size) return false;
      const uint64_t part = place >> bits_;
      PartValue<T>* to = ends_[part];
      *to = {plane_.values[i], static_cast<decltype(PartValue<T>::place)>(place & within)};
      ends_[part] = to + 1;
      if (--left_[part] == 0) {
        after_[last_[part]] = used;
        last_[part] = used;
        ends_[part] = run(used++);
        left_[part] = kRun;
        sizes_[part] += kRun;
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
      uint32_t run = all.first_[number];
      for (long done = 0; done < n; done += kRun, run = all.after_[run]) {
        const PartValue<T>* from = all.run(run);
        const long here = smaller(n - done, kRun);
        for (long k = 0; k < here; ++k) visit(static_cast<int64_t>(from[k].place), from[k].value);
      }
    }
    void begin() const {
      if (all.plane_.fresh) __builtin_memset(to, 0, static_cast<size_t>(size) * sizeof(T));
    }
  };
  Part part(long number) const {
    const long begin = number << bits_;
    const long n = static_cast<long>(sizes_[number]) + kRun - static_cast<long>(left_[number]);
    return {*this, number, n, plane_.to + begin, smaller(plane_.size - begin, 1L << bits_)};
  }

 private:
  static constexpr long kRunStep = kRun + 8;  // runs do not all begin in the same sets of the cache
  static long count_of(long size) { return ((size - 1) >> part_bits(size)) + 1; }
  // As many as values fill, and one for each part that is not full.
  static long runs(long n, long count) { return n / kRun + count; }
  PartValue<T>* run(uint32_t number) const { return values_ + static_cast<long>(number) * kRunStep; }

  const Plane<T>& plane_;
  const int bits_;
  const long count_;
  PartValue<T>* values_;
  PartValue<T>** ends_;  // where the next value of a part goes
  uint32_t* left_;       // room in its last run
  uint32_t* sizes_;      // values in its other runs
  uint32_t* first_;
  uint32_t* last_;
  uint32_t* after_;  // the run that follows a full one
};

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
