// glibc's allocator, told to keep what is freed.
#pragma once

#include <cstdlib>
#include <cstring>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace samebits::record {

// Keeps freed memory for the next tensor. By default glibc returns the top of its heap to the system
// after each step, and the next one waits for as many fresh pages; what a recorder allocates in
// between shifts the heap so that this happens more often than in the script alone. 32 MiB is as far
// as glibc's own threshold for blocks outside the heap may grow; half a GiB holds what a step of a
// middle-sized training frees. Whoever has set one of them by a variable is left alone. Returns whether anything was set.
inline bool keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kLargestInHeap = 32 << 20;
  constexpr int kKept = 512 << 20;
  for (const char* name : {"MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TOP_PAD_"}) {
    if (std::getenv(name) != nullptr) return false;
  }
  const char* tunables = std::getenv("GLIBC_TUNABLES");
  if (tunables != nullptr) {
    for (const char* name : {"malloc.trim_threshold", "malloc.mmap_threshold", "malloc.top_pad"}) {
      if (std::strstr(tunables, name) != nullptr) return false;
    }
  }
  return mallopt(M_MMAP_THRESHOLD, kLargestInHeap) == 1 && mallopt(M_TRIM_THRESHOLD, kKept) == 1;
#else
  return false;
#endif
}

}  // namespace samebits::record
