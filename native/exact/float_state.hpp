// The processor's floating-point state: rounding to nearest, subnormals kept, for a scope.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace samebits::exact {

class PlainFloatState {
 public:
#if defined(__x86_64__)
  PlainFloatState() : saved_(_mm_getcsr()) {
    // 0x1F80: every exception masked, round to nearest, no flushing. 0x3F: sticky exception flags.
    if ((saved_ & ~0x3Fu) != 0x1F80u) _mm_setcsr(0x1F80u);
  }
  ~PlainFloatState() {
    if ((saved_ & ~0x3Fu) != 0x1F80u) _mm_setcsr(saved_);
  }

 private:
  unsigned saved_;
#elif defined(__aarch64__)
  PlainFloatState() {
    asm volatile("mrs %0, fpcr" : "=r"(saved_));
    if (saved_ != 0) asm volatile("msr fpcr, %0" ::"r"(uint64_t{0}));
  }
  ~PlainFloatState() {
    if (saved_ != 0) asm volatile("msr fpcr, %0" ::"r"(saved_));
  }

 private:
  uint64_t saved_;
#else
 public:
  PlainFloatState() {}
#endif
 public:
  PlainFloatState(const PlainFloatState&) = delete;
  PlainFloatState& operator=(const PlainFloatState&) = delete;
};

}  // namespace samebits::exact
