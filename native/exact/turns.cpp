#include "exact/turns.hpp"

#include <thread>

namespace samebits::exact {

void Turns::wait_for(long number) {
  // Tasks are of about one size, so that a turn comes soon, unless there are more threads than cores.
  constexpr int kLooks = 1000;
  int looks = 0;
  while (now_.load(std::memory_order_acquire) != number) {
    if (looks < kLooks) {
      ++looks;
    } else {
      std::this_thread::yield();
    }
  }
}

}  // namespace samebits::exact
