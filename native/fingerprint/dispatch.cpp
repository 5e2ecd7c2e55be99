// Which build of the word sum runs here: decided by what the processor has, once.
#include <cstring>

#include "fingerprint/kernels.hpp"

namespace samebits::fingerprint {
namespace {

struct Build {
  const char* name;
  SumWords sum_words;
  bool (*runs_here)();
};

#ifdef SAMEBITS_X86_KERNELS
// The compiler's own check also asks whether the operating system saves the wide registers.
bool has_avx512() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512f") != 0;
}
bool has_avx2() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") != 0;
}
#endif

// Best first.
constexpr Build builds[] = {
#ifdef SAMEBITS_X86_KERNELS
    {"avx512", sum_words_avx512, has_avx512},
    {"avx2", sum_words_avx2, has_avx2},
#endif
#ifdef __aarch64__
    // What the compiler makes of the plain loop is NEON already.
    {"neon", sum_words_plain, [] { return true; }},
#endif
    {"plain", sum_words_plain, [] { return true; }},
};

const Build* best() {
  for (const Build& build : builds) {
    if (build.runs_here()) return &build;
  }
  return nullptr;  // not reached: the plain build runs everywhere
}

// Two names may stand for one function, so that the function does not say which was chosen.
const Build* chosen = best();

}  // namespace

SumWords detail::active = chosen->sum_words;

const char* isa() { return chosen->name; }

bool set_isa(const char* name) {
  for (const Build& build : builds) {
    if (std::strcmp(build.name, name) == 0 && build.runs_here()) {
      chosen = &build;
      detail::active = build.sum_words;
      return true;
    }
  }
  return false;
}

}  // namespace samebits::fingerprint
