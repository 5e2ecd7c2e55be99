// One pool a process, made when first needed, grown when more threads are asked for.
//
// After an operation workers watch for the next one for a few microseconds before they sleep: a
// model's operations follow each other closely, and waking a thread costs as much as a small one.
// A child of fork() has none of the threads; it forgets the pool, and makes its own.
#include "exact/pool.hpp"

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#if !defined(_WIN32)
#include <pthread.h>
#endif

#include "exact/float_state.hpp"

namespace samebits::exact {
namespace {

constexpr int kSpins = 4000;

inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

struct Job {
  void (*task)(void*, long) = nullptr;
  void* context = nullptr;
  long tasks = 0;
  int helpers = 0;    // workers that may take part: those numbered below
  bool open = false;  // until the caller finds no task left
};

class Pool {
 public:
  void run(const Job& job) {
    grow(job.helpers);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      job_ = job;
      next_.store(0, std::memory_order_relaxed);
      round_.fetch_add(1, std::memory_order_release);
    }
    if (asleep_.load() > 0) wake_.notify_all();
    take(job);
    {
      // Who has not come by now is not waited for.
      const std::lock_guard<std::mutex> lock(mutex_);
      job_.open = false;
    }
    for (int spin = 0; running_.load(std::memory_order_acquire) != 0; ++spin) {
      if (spin < kSpins) {
        pause();
      } else {
        std::this_thread::yield();
      }
    }
  }
  int size() const { return static_cast<int>(threads_.size()); }

 private:
  void grow(int helpers) {
    while (size() < helpers) {
      const int number = size();
      const unsigned seen = round_.load(std::memory_order_relaxed);
      threads_.emplace_back([this, number, seen] { work(number, seen); });
      threads_.back().detach();  // they live as long as the process
    }
  }

  void take(const Job& job) {
    const PlainFloatState state;
    for (;;) {
      const long number = next_.fetch_add(1, std::memory_order_relaxed);
      if (number >= job.tasks) break;
      job.task(job.context, number);
    }
  }

  void work(int number, unsigned seen) {
    for (;;) {
      for (int spin = 0; spin < kSpins && round_.load(std::memory_order_acquire) == seen; ++spin) {
        pause();
      }
      Job job;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        if (round_.load(std::memory_order_relaxed) == seen) {
          asleep_.fetch_add(1);
          wake_.wait(lock, [&] { return round_.load(std::memory_order_relaxed) != seen; });
          asleep_.fetch_sub(1);
        }
        seen = round_.load(std::memory_order_relaxed);
        job = job_;
        if (!job.open || number >= job.helpers) continue;
        running_.fetch_add(1, std::memory_order_relaxed);
      }
      take(job);
      running_.fetch_sub(1, std::memory_order_release);
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::thread> threads_;
  Job job_;
  alignas(64) std::atomic<unsigned> round_{0};
  std::atomic<int> asleep_{0};
  alignas(64) std::atomic<long> next_{0};
  alignas(64) std::atomic<int> running_{0};
};

// Never destroyed: its threads may outlive every static object.
std::atomic<Pool*> g_pool{nullptr};
std::atomic<bool> g_busy{false};
thread_local bool t_inside = false;

void forget_pool() {
  g_pool.store(nullptr);
  g_busy.store(false);
  t_inside = false;
}

Pool& pool() {
  Pool* current = g_pool.load(std::memory_order_acquire);
  if (current == nullptr) {
    current = new Pool;
    g_pool.store(current, std::memory_order_release);
#if !defined(_WIN32)
    static const int registered = pthread_atfork(nullptr, nullptr, forget_pool);
    (void)registered;
#endif
  }
  return *current;
}

}  // namespace

void run_tasks(long tasks, int threads, void (*task)(void*, long), void* context) {
  if (tasks < threads) threads = static_cast<int>(tasks);
  if (threads > 1 && !t_inside && !g_busy.exchange(true, std::memory_order_acquire)) {
    struct Inside {
      Inside() { t_inside = true; }
      ~Inside() {
        t_inside = false;
        g_busy.store(false, std::memory_order_release);
      }
    } inside;
    const Job job{task, context, tasks, threads - 1, true};
    pool().run(job);
    return;
  }
  const PlainFloatState state;
  for (long number = 0; number < tasks; ++number) task(context, number);
}

int pool_size() {
  const Pool* current = g_pool.load(std::memory_order_acquire);
  return current == nullptr ? 0 : current->size();
}

}  // namespace samebits::exact
