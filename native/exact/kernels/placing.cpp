// Sums of what indices send to a place (docs/arithmetic.md, "Places"): of rows, and of single values.
//
// A place's contributions are summed like any sequence, in the order of a stable sort by place. Lanes
// that nothing comes to hold +0 and are skipped; that +0 is added once at the end, for a sum of
// nothing but -0.
#include "exact/placing.hpp"

#include "exact/kernels/builds.hpp"
#include "exact/kernels/parted_values.hpp"
#include "exact/kernels/planes_together.hpp"
#include "exact/kernels/row_sums.hpp"
#include "exact/pool.hpp"

namespace samebits::exact::SAMEBITS_EXACT_BUILD {
namespace {

constexpr long kTask = 16384;

// Sorted rows lie anywhere: so many rows before their turn they are asked for.
constexpr long kAhead = 8;

template <class T>
SAMEBITS_INLINE void ask_for(const T* row, long columns) {
  for (long j = 0; j < columns && j < 8 * kLine<T>; j += kLine<T>) __builtin_prefetch(row + j);
}

// Columns [0, columns) of the sum of n rows: to[j] = to[j] + it. row(k) is where row k begins.
template <class T, class Row>
bool add_sum_of_rows(long n, Row row, long columns, T* to) {
  using V = vec<T>;
  constexpr long count = VectorOf<T>::count;
  for (long j = 0; j < columns; j += count) {
    const int here = static_cast<int>(smaller(columns - j, count));
    const auto at = [&](long k) {
      const T* values = row(k) + j;
      return here == count ? load<V>(values) : load_first<V>(values, here);
    };
    V sum;
    if (!sum_of_rows<T>(n, at, &sum)) return false;
    if (here == count) {
      store(to + j, canonical(load<V>(to + j) + sum));
    } else {
      store_first(to + j, canonical(load_first<V>(to + j, here) + sum), here);
    }
  }
  return true;
}

// The same for N rows, as few as most places get: which they are is told once, and not for each vector of columns.
template <class T, int N>
SAMEBITS_INLINE void add_few_rows(const T* const* rows, long columns, T* to) {
  using V = vec<T>;
  constexpr long count = VectorOf<T>::count;
  const T* own[N];
  for (int k = 0; k < N; ++k) own[k] = rows[k];
  long j = 0;
  for (; j + count <= columns; j += count) {
    const V sum = tree_of<V, N>([&](long k) { return load<V>(own[k] + j); }) + V{};
    store(to + j, canonical(load<V>(to + j) + sum));
  }
  if (j == columns) return;
  const int left = static_cast<int>(columns - j);
  const V sum = tree_of<V, N>([&](long k) { return load_first<V>(own[k] + j, left); }) + V{};
  store_first(to + j, canonical(load_first<V>(to + j, left) + sum), left);
}

// So many rows of a place at most are added that way.
constexpr long kFew = 4;

template <class T>
SAMEBITS_INLINE void add_few_rows(long n, const T* const* rows, long columns, T* to) {
  switch (n) {
    case 1: return add_few_rows<T, 1>(rows, columns, to);
    case 2: return add_few_rows<T, 2>(rows, columns, to);
    case 3: return add_few_rows<T, 3>(rows, columns, to);
    default: return add_few_rows<T, kFew>(rows, columns, to);
  }
}

// Contributions by place for the length of a call.
template <class I>
struct Sorted : ByPlace<I> {
  Sorted() = default;
  Sorted(const Sorted&) = delete;
  Sorted& operator=(const Sorted&) = delete;
  ~Sorted() { forget<I>(this); }
};

// Whether all threads had the memory that they needed.
class AllGood {
 public:
  void failed() { __atomic_store_n(&good_, false, __ATOMIC_RELAXED); }
  Placed placed() const { return good_ ? Placed::kDone : Placed::kNoMemory; }

 private:
  bool good_ = true;
};

template <class T, class I>
Placed add_rows(const AddRows<T>& a, int threads) {
  Sorted<I> sorted;
  const Sorting sorting = sort_by_place<I>(a.index, a.n, a.count, a.skipped, &sorted);
  if (sorting == Sorting::kOutOfRange) return Placed::kOutOfRange;
  if (sorting == Sorting::kNoMemory) return Placed::kNoMemory;
  if (sorted.count == 0) return Placed::kDone;
  const I* begins = sorted.begins;
  const I* order = sorted.order;
  const long kept = static_cast<long>(begins[sorted.count]);
  // A task is a stretch of contributions; where one place has most of them, threads share the columns.
  const bool uneven = sorted.longest * 2 * threads > kept;
  const long strip = uneven && kept * a.columns >= kTask ? (a.columns + threads - 1) / threads : a.columns;
  const long strips = (a.columns + strip - 1) / strip;
  const long stretch = kTask / (strip + 1) + 1;
  AllGood all_good;
  parallel_apart((kept + stretch - 1) / stretch * strips, threads, [&](long task) {
    const long j = task % strips * strip;
    const long columns = smaller(strip, a.columns - j);
    const long first = task / strips * stretch;
    // The places whose contributions begin in this stretch.
    long low = 0;
    for (long high = sorted.count; low < high;) {
      const long middle = (low + high) / 2;
      if (static_cast<long>(begins[middle]) < first) low = middle + 1;
      else high = middle;
    }
    for (long s = low; s < sorted.count && static_cast<long>(begins[s]) < first + stretch; ++s) {
      const long begin = static_cast<long>(begins[s]);
      const long end = static_cast<long>(begins[s + 1]);
      if (order != nullptr) {
        for (long k = begin + kAhead; k < smaller(end + kAhead, kept); ++k) ask_for(a.rows + order[k] * a.row_step + j, columns);
      }
      const auto row = [&](long k) {
        const long number = order == nullptr ? begin + k : static_cast<long>(order[begin + k]);
        return a.rows + number * a.row_step + j;
      };
      T* to = a.target + static_cast<long>(sorted.places[s]) * a.columns + j;
      if (end - begin <= kFew) {
        const T* few[kFew];
        for (long k = 0; k < end - begin; ++k) few[k] = row(k);
        add_few_rows(end - begin, few, columns, to);
        continue;
      }
      if (!add_sum_of_rows<T>(end - begin, row, columns, to)) all_good.failed();
    }
  });
  return all_good.placed();
}

template <class T, class I>
Placed add_own(const AddPlanes<T>& a, int threads) {
  if (!all_below(a.index, a.planes * a.n, a.size / a.inner)) return Placed::kOutOfRange;
  const long a_task = kTask / (a.n + 1) + 1;
  const Way way = way_for(a.n, a.size);
  AllGood all_good;
  parallel_apart((a.planes + a_task - 1) / a_task, threads, [&](long task) {
    char* memory = static_cast<char*>(scratch(room_for<T, I>(way, a.n, a.size)));
    if (memory == nullptr) {
      all_good.failed();
      return;
    }
    for (long p = task * a_task; p < smaller((task + 1) * a_task, a.planes); ++p) {
      add_plane<T, I>({a.index + p * a.n, a.values + p * a.n, a.n, a.inner, a.target + p * a.size, a.size, a.fresh}, way, memory);
    }
  });
  return all_good.placed();
}

// A part of a plane, with so many slots a place. Not in this thread's scratch memory, in which the parts may lie.
// False where there is no memory.
template <class T, class I, int L, class Part>
bool add_part(const Part& part) {
  char* room = static_cast<char*>(shared_scratch(room_for_slots<T, I>(L, part.n, part.size)));
  if (room == nullptr) return false;
  add_by_slots<T, I, L>(part, Pieces(room));
  free_shared_scratch(room);
  return true;
}

// One plane, part by part.
template <class T, class I>
Placed add_parted(const AddPlanes<T>& a, int threads) {
  char* memory = static_cast<char*>(scratch(Parts<T>::room(a.n, a.size, threads)));
  if (memory == nullptr) return Placed::kNoMemory;
  const Plane<T> plane{a.index, a.values, a.n, 1, a.target, a.size, a.fresh};
  Parts<T> parts(plane, threads, memory);
  bool inside = true;
  parallel(threads, threads, [&](long stretch) {
    if (!parts.move(static_cast<int>(stretch))) __atomic_store_n(&inside, false, __ATOMIC_RELAXED);
  });
  if (!inside) return Placed::kOutOfRange;
  AllGood all_good;
  parallel_apart(parts.count(), threads, [&](long number) {
    const auto part = parts.part(number);
    const bool good = a.n <= 5 * a.size ? add_part<T, I, 8>(part) : add_part<T, I, 16>(part);
    if (!good) all_good.failed();
  });
  return all_good.placed();
}

// Planes that all have the same indices: they are sorted once.
template <class T, class I>
Placed add_shared(const AddPlanes<T>& a, int threads) {
  Sorted<I> sorted;
  const Sorting sorting = sort_by_place<I>(a.index, a.n, a.size, a.skipped, &sorted);
  if (sorting == Sorting::kOutOfRange) return Placed::kOutOfRange;
  if (sorting == Sorting::kNoMemory) return Placed::kNoMemory;
  if (are_together(a, threads)) return add_together<T, I>(a, sorted, threads);
  const I* begins = sorted.begins;
  const I* order = sorted.order;
  // A task is a number of planes, or of places of one.
  const long a_plane = a.n + a.size;
  const long cuts = a.planes >= 4 * threads ? 1 : (a_plane + kTask - 1) / kTask;
  const long a_cut = (sorted.count + cuts - 1) / cuts;
  const long a_task = cuts > 1 ? 1 : kTask / (a_plane + 1) + 1;
  AllGood all_good;
  if (a.fresh && cuts > 1) __builtin_memset(a.target, 0, static_cast<size_t>(a.planes * a.size) * sizeof(T));
  const long tasks = cuts > 1 ? a.planes * cuts : (a.planes + a_task - 1) / a_task;
  parallel_apart(tasks, threads, [&](long task) {
    T* moved = static_cast<T*>(scratch(static_cast<size_t>(sorted.longest + sorted.longest / kBlock + 1) * sizeof(T)));
    if (moved == nullptr) {
      all_good.failed();
      return;
    }
    const long first = cuts > 1 ? task / cuts : task * a_task;
    const long last = cuts > 1 ? first + 1 : smaller(first + a_task, a.planes);
    const long from = cuts > 1 ? task % cuts * a_cut : 0;
    const long until = cuts > 1 ? smaller(from + a_cut, sorted.count) : sorted.count;
    for (long p = first; p < last; ++p) {
      const T* values = a.values + p * a.n;
      T* to = a.target + p * a.size;
      if (a.fresh && cuts == 1) __builtin_memset(to, 0, static_cast<size_t>(a.size) * sizeof(T));
      for (long s = from; s < until; ++s) {
        const long begin = static_cast<long>(begins[s]);
        const long n = static_cast<long>(begins[s + 1]) - begin;
        const T* own = values + begin;
        if (order != nullptr) {
          for (long k = 0; k < n; ++k) moved[k] = values[order[begin + k]];
          own = moved;
        }
        T& place = to[sorted.places[s]];
        place = canonical_value(place + sum_of_values(own, n, moved + sorted.longest));
      }
    }
  });
  return all_good.placed();
}

constexpr long kSmallest = 1L << 31;  // numbers of fewer things than this fit 32 bits

template <class T>
Placed rows(const AddRows<T>& a, int threads) {
  const bool few = a.n < kSmallest && a.count < kSmallest;
  return few ? add_rows<T, uint32_t>(a, threads) : add_rows<T, uint64_t>(a, threads);
}

template <class T>
Placed planes(const AddPlanes<T>& a, int threads) {
  const bool few = a.n < kSmallest && a.size < kSmallest;
  // One plane is sorted by all threads; and where few places of many are named, no pass over all of them is made.
  const bool alone = a.planes == 1 && a.inner == 1 && !a.fresh;
  if (a.planes == 1 && a.inner == 1 && !a.shared && is_parted<T>(a.n, a.size, threads)) {
    return add_parted<T, uint32_t>(a, threads);
  }
  const bool together = threads > 1 && a.n >= kTask && way_for(a.n, a.size) == Way::kSorted;
  if (a.shared || (alone && (together || a.n * 32 < a.size))) {
    return few ? add_shared<T, uint32_t>(a, threads) : add_shared<T, uint64_t>(a, threads);
  }
  return few ? add_own<T, uint32_t>(a, threads) : add_own<T, uint64_t>(a, threads);
}

}  // namespace

Placed add_rows_f32(const AddRows<float>& a, int threads) { return rows(a, threads); }
Placed add_rows_f64(const AddRows<double>& a, int threads) { return rows(a, threads); }
Placed add_planes_f32(const AddPlanes<float>& a, int threads) { return planes(a, threads); }
Placed add_planes_f64(const AddPlanes<double>& a, int threads) { return planes(a, threads); }

}  // namespace samebits::exact::SAMEBITS_EXACT_BUILD
