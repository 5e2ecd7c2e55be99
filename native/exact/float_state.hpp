// The processor's floating-point state: rounding to nearest, subnormals kept, for a scope.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace samebits::exact {

#if defined(__x86_64__)
// 0x1F80: every exception masked, round to nearest, no flushing.
constexpr uint64_t kPlainState = 0x1F80u;
inline uint64_t float_state() { return _mm_getcsr() & ~0x3Fu; }  // 0x3F: sticky exception flags
inline void set_float_state(uint64_t state) { _mm_setcsr(static_cast<unsigned>(state)); }
#elif defined(__aarch64__)
constexpr uint64_t kPlainState = 0;
inline uint64_t float_state() {
  uint64_t state;
  asm volatile("mrs %0, fpcr" : "=r"(state));
  return state;
}
inline void set_float_state(uint64_t state) { asm volatile("msr fpcr, %0" ::"r"(state)); }
#else
constexpr uint64_t kPlainState = 0;
inline uint64_t float_state() { return kPlainState; }
inline void set_float_state(uint64_t) {}
#endif

class PlainFloatState {
 public:
  PlainFloatState() : saved_(float_state()) {
    if (saved_ != kPlainState) set_float_state(kPlainState);
  }
  ~PlainFloatState() {
    if (saved_ != kPlainState) set_float_state(saved_);
  }
  PlainFloatState(const PlainFloatState&) = delete;
  PlainFloatState& operator=(const PlainFloatState&) = delete;

 private:
  uint64_t saved_;
};

}  // namespace samebits::exact
