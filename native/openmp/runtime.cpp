#include "openmp/runtime.hpp"

#ifdef __linux__
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

#include <atomic>
#include <cstring>
#endif

namespace samebits::openmp {

#ifdef __linux__
namespace {

std::atomic<const Runtime*> found{nullptr};
std::atomic<bool> forked{false};

// From the moment this is loaded: torch may have used the runtime before anybody here asks for it.
const int registered =
    pthread_atfork(nullptr, nullptr, [] { forked.store(true, std::memory_order_relaxed); });

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

}  // namespace

const Runtime* runtime() {
  if (forked.load(std::memory_order_relaxed)) return nullptr;
  const Runtime* known = found.load(std::memory_order_acquire);
  if (known != nullptr) return known;
  // Looked for until it is there: torch may be imported after us.
  Search search;
  dl_iterate_phdr(consider_library, &search);
  if (search.path == nullptr) return nullptr;
  void* library = dlopen(search.path, RTLD_NOLOAD | RTLD_NOW);
  if (library == nullptr) return nullptr;
  Runtime entries{};
  if (!look_up(library, "GOMP_parallel", &entries.parallel) ||
      !look_up(library, "omp_get_thread_num", &entries.thread_num) ||
      !look_up(library, "omp_get_num_threads", &entries.num_threads) ||
      !look_up(library, "omp_get_max_threads", &entries.max_threads)) {
    dlclose(library);
    return nullptr;
  }
  // The handle is kept: the entries must outlive every call.
  static const Runtime kept = entries;
  if (registered != 0) return nullptr;
  found.store(&kept, std::memory_order_release);
  return &kept;
}

#else

const Runtime* runtime() { return nullptr; }

#endif

}  // namespace samebits::openmp
