// The OpenMP runtime that torch has loaded.
//
// Threads of our own would compete with torch's, which spin for milliseconds after each of its
// operations; the same workers, still spinning, take our work up at once. The runtime is found in
// the process and called through GOMP_parallel, the entry that compilers emit for "#pragma omp
// parallel": libgomp and LLVM's and Intel's runtimes all provide it. Nothing is linked or loaded.
#pragma once

namespace samebits::openmp {

// What is used of a runtime.
struct Runtime {
  // Calls function(data) on so many threads, or on fewer, the calling one included; returns when all
  // are through.
  void (*parallel)(void (*function)(void*), void* data, unsigned threads, unsigned flags);
  int (*thread_num)();
  int (*num_threads)();
  // How many threads an operation of torch would use if the calling thread began it now:
  // torch.set_num_threads tells the runtime.
  int (*max_threads)();
};

// Null where there is none, and in the child of a fork(): it has no workers, but the runtime it inherited
// believes that it has.
const Runtime* runtime();

}  // namespace samebits::openmp
