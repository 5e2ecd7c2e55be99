#include "exact/builds.hpp"

#include <atomic>
#include <cstring>

namespace samebits::exact {

namespace plain {
extern const Kernels kernels;
extern const Passes passes;
}
#ifdef SAMEBITS_X86_KERNELS
namespace avx2 {
extern const Kernels kernels;
extern const Passes passes;
}
namespace avx512 {
extern const Kernels kernels;
extern const Passes passes;
}
#endif
#ifdef SAMEBITS_NEON_KERNELS
namespace neon {
extern const Kernels kernels;
extern const Passes passes;
}
#endif

namespace {

struct Build {
  const Kernels* kernels;
  const Passes* passes;
  bool (*runs_here)();
};

#ifdef SAMEBITS_X86_KERNELS
bool has_avx512() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
}
bool has_avx2() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

// Best first.
const Build builds[] = {
#ifdef SAMEBITS_X86_KERNELS
    {&avx512::kernels, &avx512::passes, has_avx512},
    {&avx2::kernels, &avx2::passes, has_avx2},
#endif
#ifdef SAMEBITS_NEON_KERNELS
    {&neon::kernels, &neon::passes, [] { return true; }},  // every AArch64 processor
#endif
    {&plain::kernels, &plain::passes, [] { return true; }},
};

const Build* best() {
  for (const Build& build : builds) {
    if (build.runs_here()) return &build;
  }
  return nullptr;  // the plain build runs everywhere
}

std::atomic<const Build*>& active() {
  static std::atomic<const Build*> chosen{best()};
  return chosen;
}

}  // namespace

const Kernels& kernels() { return *active().load(std::memory_order_relaxed)->kernels; }
const Passes& passes() { return *active().load(std::memory_order_relaxed)->passes; }

bool choose_build(const char* name) {
  for (const Build& build : builds) {
    if (std::strcmp(build.kernels->name, name) == 0 && build.runs_here()) {
      active().store(&build, std::memory_order_relaxed);
      return true;
    }
  }
  return false;
}

}  // namespace samebits::exact
