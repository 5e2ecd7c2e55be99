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

// What is used of a runtime.
struct OpenMp {
  void (*parallel)(void (*function)(void*), void* data, unsigned threads, unsigned flags);
  int (*thread_num)();
  int (*num_threads)();
};

#ifdef __linux__

std::atomic<const OpenMp*> found{nullptr};
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

template <typename Function>
bool look_up(void* library, const char* name, Function* out) {
  *out = reinterpret_cast<Function>(dlsym(library, name));
  return *out != nullptr;
}

const OpenMp* openmp_runtime() {
  if (forked.load(std::memory_order_relaxed)) return nullptr;
  const OpenMp* runtime = found.load(std::memory_order_acquire);
  if (runtime != nullptr) return runtime;
  // Looked for until it is there: torch may be imported after us.
  Search search;
  dl_iterate_phdr(consider_library, &search);
  if (search.path == nullptr) return nullptr;
  void* library = dlopen(search.path, RTLD_NOLOAD | RTLD_NOW);
  if (library == nullptr) return nullptr;
  OpenMp entries{};
  if (!look_up(library, "GOMP_parallel", &entries.parallel) ||
      !look_up(library, "omp_get_thread_num", &entries.thread_num) ||
      !look_up(library, "omp_get_num_threads", &entries.num_threads)) {
    dlclose(library);
    return nullptr;
  }
  // The handle is kept: the entries must outlive every call.
  static const OpenMp kept = entries;
  static const int registered =
      pthread_atfork(nullptr, nullptr, [] { forked.store(true, std::memory_order_relaxed); });
  if (registered != 0) return nullptr;
  found.store(&kept, std::memory_order_release);
  return &kept;
}

#else

const OpenMp* openmp_runtime() { return nullptr; }

#endif

struct Work {
  const unsigned char* data;
  size_t nbytes;
  const OpenMp* runtime;
  std::atomic<uint64_t> sum{0};
};

// Each thread sums the share that torch's own element-wise operations give to it (one run of
// neighbours a thread, in the order of their numbers): what it wrote is still in its core's cache.
// The team may be smaller than asked for, down to one, so that its size is the runtime's to tell.
void sum_share(void* argument) {
  auto& work = *static_cast<Work*>(argument);
  const auto team = static_cast<size_t>(work.runtime->num_threads());
  const size_t blocks = (work.nbytes + block_bytes - 1) / block_bytes;
  const size_t share = (blocks + team - 1) / team * block_bytes;
  const size_t begin = static_cast<size_t>(work.runtime->thread_num()) * share;
  if (begin >= work.nbytes) return;
  const uint64_t sum = sum_words(work.data + begin, std::min(share, work.nbytes - begin),
                                 begin / block_bytes);
  work.sum.fetch_add(sum, std::memory_order_relaxed);
}

}  // namespace

uint64_t sum_words_parallel(const void* data, size_t nbytes, int threads) {
  if (threads < 2 || nbytes < parallel_minimum) return sum_words(data, nbytes, 0);
  const OpenMp* runtime = openmp_runtime();
  if (runtime == nullptr) return sum_words(data, nbytes, 0);
  Work work{static_cast<const unsigned char*>(data), nbytes, runtime};
  runtime->parallel(sum_share, &work, static_cast<unsigned>(threads), 0);
  return work.sum.load(std::memory_order_relaxed);
}

}  // namespace samebits::fingerprint
