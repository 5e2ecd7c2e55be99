// Adding and writing to places that indices name, in the order of the indices.
#pragma once

#include <cstddef>
#include <cstdint>

namespace samebits::exact {

// target[index[i]][j] += rows[i][j], for i in order. False, and nothing changed, when an index is not
// below `count`.
template <class T>
bool add_rows(T* target, long count, const int64_t* index, const T* rows, long n, long columns, int threads);

// target[p][index[p][i]] += values[p][i], for i in order, in every plane p.
template <class T>
bool add_planes(T* target, long planes, long size, const int64_t* index, const T* values, long n, int threads);

// target[index[i]] = rows[i], for i in order; rows of `bytes` bytes.
bool put_rows(char* target, long count, const int64_t* index, const char* rows, long n, size_t bytes);

}  // namespace samebits::exact
