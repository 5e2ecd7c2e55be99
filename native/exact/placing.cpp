#include "exact/placing.hpp"

#include <algorithm>
#include <cstring>

#include "exact/pool.hpp"

namespace samebits::exact {
namespace {

bool all_below(const int64_t* index, long n, long count) {
  bool good = true;
  for (long i = 0; i < n; ++i) good &= index[i] >= 0 && index[i] < count;
  return good;
}

template <class T>
void make_canonical(T* values, long n) {
  for (long i = 0; i < n; ++i) {
    if (values[i] != values[i]) values[i] = static_cast<T>(__builtin_nan(""));
  }
}

}  // namespace

template <class T>
bool add_rows(T* target, long count, const int64_t* index, const T* rows, long n, long columns, int threads) {
  if (!all_below(index, n, count)) return false;
  // Threads share the columns, or, where there are few, the rows of the target.
  if (columns >= 16) {
    const long strip = std::max<long>(16, (columns + threads - 1) / threads);
    parallel((columns + strip - 1) / strip, n * columns < 32768 ? 1 : threads, [&](long task) {
      const long begin = task * strip;
      const long end = std::min(begin + strip, columns);
      for (long i = 0; i < n; ++i) {
        T* to = target + index[i] * columns;
        const T* from = rows + i * columns;
        for (long j = begin; j < end; ++j) to[j] = to[j] + from[j];
        make_canonical(to + begin, end - begin);
      }
    });
    return true;
  }
  const long parts = n * columns < 65536 ? 1 : threads;
  const long a_part = (count + parts - 1) / std::max<long>(parts, 1);
  parallel(parts, threads, [&](long task) {
    const long begin = task * a_part;
    const long end = std::min(begin + a_part, count);
    for (long i = 0; i < n; ++i) {
      if (index[i] < begin || index[i] >= end) continue;
      T* to = target + index[i] * columns;
      for (long j = 0; j < columns; ++j) to[j] = to[j] + rows[i * columns + j];
      make_canonical(to, columns);
    }
  });
  return true;
}

template <class T>
bool add_planes(T* target, long planes, long size, const int64_t* index, const T* values, long n, int threads) {
  if (!all_below(index, planes * n, size)) return false;
  const long a_task = std::max<long>(1, 16384 / (n + 1));
  parallel((planes + a_task - 1) / a_task, threads, [&](long task) {
    const long end = std::min((task + 1) * a_task, planes);
    for (long p = task * a_task; p < end; ++p) {
      T* to = target + p * size;
      for (long i = 0; i < n; ++i) {
        T& place = to[index[p * n + i]];
        place = place + values[p * n + i];
      }
      make_canonical(to, size);
    }
  });
  return true;
}

bool put_rows(char* target, long count, const int64_t* index, const char* rows, long n, size_t bytes) {
  if (!all_below(index, n, count)) return false;
  for (long i = 0; i < n; ++i) std::memcpy(target + static_cast<size_t>(index[i]) * bytes, rows + static_cast<size_t>(i) * bytes, bytes);
  return true;
}

template bool add_rows(float*, long, const int64_t*, const float*, long, long, int);
template bool add_rows(double*, long, const int64_t*, const double*, long, long, int);
template bool add_planes(float*, long, long, const int64_t*, const float*, long, int);
template bool add_planes(double*, long, long, const int64_t*, const double*, long, int);

}  // namespace samebits::exact
