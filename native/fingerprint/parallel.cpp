// The word sum on several threads: those of the OpenMP runtime that torch has loaded.
//
// Threads of our own would compete with torch's, which spin for a while after each of its
// operations; the same workers, still spinning, take our work up at once. The runtime is found in
// the process and called through GOMP_parallel, the entry that compilers emit for "#pragma omp
// parallel": libgomp and LLVM's and Intel's runtimes all provide it. Nothing is linked or loaded.
#include <algorithm>
#include <atomic>

#include "fingerprint/fingerprint.hpp"

#ifdef __linux__
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

#include <cstring>
#endif

namespace samebits::fingerprint {
namespace {

using GompParallel = void (*)(void (*function)(void*), void* data, unsigned threads,
                              unsigned flags);

#ifdef __linux__

std::atomic<GompParallel> found{nullptr};
// After fork() the child has no workers, but the runtime it inherited believes that it has.
std::atomic<bool> forked{false};

struct Search {
  const char* path = nullptr;
  bool beside_torch = false;
};

// Another package may bring a runtime of its own (scikit-learn does): torch's comes first.
int consider_library(struct dl_phdr_info* info, size_t, void* out) {
  const char* path = info->dlpi_name;
  const char* slash = std::strrchr(path, '/');
  const char* name = slash != nullptr ? slash + 1 : path;
  const bool openmp = std::strncmp(name, "libgomp", 7) == 0 ||
                      std::strncmp(name, "libomp", 6) == 0 ||
                      std::strncmp(name, "libiomp", 7) == 0;
  if (!openmp) return 0;
  auto& search = *static_cast<Search*>(out);
  const bool beside_torch = std::strstr(path, "/torch") != nullptr;
  if (search.path == nullptr || (beside_torch && !search.beside_torch)) {
    search = {path, beside_torch};
  }
  return 0;
}

GompParallel openmp_runtime() {
  if (forked.load(std::memory_order_relaxed)) return nullptr;
  GompParallel entry = found.load(std::memory_order_acquire);
  if (entry != nullptr) return entry;
  // Looked for until it is there: torch may be imported after us.
  Search search;
  dl_iterate_phdr(consider_library, &search);
  if (search.path == nullptr) return nullptr;
  void* library = dlopen(search.path, RTLD_NOLOAD | RTLD_NOW);
  if (library == nullptr) return nullptr;
  entry = reinterpret_cast<GompParallel>(dlsym(library, "GOMP_parallel"));
  if (entry == nullptr) {
    dlclose(library);
    return nullptr;
  }
  // The handle is kept: the entry must outlive every call.
  static const int registered =
      pthread_atfork(nullptr, nullptr, [] { forked.store(true, std::memory_order_relaxed); });
  if (registered != 0) return nullptr;
  found.store(entry, std::memory_order_release);
  return entry;
}

#else

GompParallel openmp_runtime() { return nullptr; }

#endif

// Large enough that taking one costs nothing, small enough that the last one is soon done.
constexpr size_t tile_bytes = 16 * block_bytes;

struct Work {
  const unsigned char* data;
  size_t nbytes;
  std::atomic<size_t> next_tile{0};
  std::atomic<uint64_t> sum{0};
};

// However many threads the runtime gives us, one included: tiles are taken, not assigned.
void sum_tiles(void* argument) {
  auto& work = *static_cast<Work*>(argument);
  uint64_t sum = 0;
  for (;;) {
    const size_t begin = work.next_tile.fetch_add(1, std::memory_order_relaxed) * tile_bytes;
    if (begin >= work.nbytes) break;
    sum += sum_words(work.data + begin, std::min(tile_bytes, work.nbytes - begin),
                     begin / block_bytes);
  }
  work.sum.fetch_add(sum, std::memory_order_relaxed);
}

}  // namespace

uint64_t sum_words_parallel(const void* data, size_t nbytes, int threads) {
  if (threads < 2 || nbytes < parallel_minimum) return sum_words(data, nbytes, 0);
  const GompParallel parallel = openmp_runtime();
  if (parallel == nullptr) return sum_words(data, nbytes, 0);
  Work work{static_cast<const unsigned char*>(data), nbytes};
  parallel(sum_tiles, &work, static_cast<unsigned>(threads), 0);
  return work.sum.load(std::memory_order_relaxed);
}

}  // namespace samebits::fingerprint
