// Turns: tasks of one call of run_tasks that do something in the order of their numbers.
#pragma once

#include <atomic>

namespace samebits::exact {

// Whoever waits must have been handed out after those whose turns come first, as Order::kByNumber does:
// then they are running, and none waits for ever.
class Turns {
 public:
  void wait_for(long number);
  void pass() { now_.fetch_add(1, std::memory_order_release); }

 private:
  std::atomic<long> now_{0};
};

}  // namespace samebits::exact
