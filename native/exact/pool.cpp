// Tasks go to the threads of torch's OpenMP runtime, or, where there is none, to those of a pool: one
// a process, made when first needed, grown when more threads are asked for.
//
// After an operation workers of the pool watch for the next one for a few microseconds before they sleep:
// a model's operations follow each other closely, and waking a thread costs as much as a small one.
// A child of fork() has no threads but its own; it forgets the pool, and makes another.
#include "exact/pool.hpp"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#if !defined(_WIN32)
#include <pthread.h>
#endif

#include "exact/float_state.hpp"
#include "openmp/runtime.hpp"

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
  int stretches = 1;  // into which the tasks are cut
  bool open = false;  // until the caller finds no task left
};

// Who takes which task of a job.
class Claims {
 public:
  void begin(const Job& job) {
    while (static_cast<int>(stretches_.size()) < job.stretches) stretches_.emplace_back();
    for (int i = 0; i < job.stretches; ++i) {
      stretches_[i].next.store(job.tasks * i / job.stretches, std::memory_order_relaxed);
      stretches_[i].end = job.tasks * (i + 1) / job.stretches;
    }
  }
  // The tasks of one's own stretch, then those that others have not come to.
  void take(const Job& job, int own) {
    const PlainFloatState state;
    for (int i = 0; i < job.stretches; ++i) {
      Stretch& stretch = stretches_[(own + i) % job.stretches];
      for (;;) {
        const long number = stretch.next.fetch_add(1, std::memory_order_relaxed);
        if (number >= stretch.end) break;
        job.task(job.context, number);
      }
    }
  }

 private:
  struct alignas(64) Stretch {
    std::atomic<long> next{0};
    long end = 0;
  };
  std::deque<Stretch> stretches_;
};

class Pool {
 public:
  void run(const Job& job) {
    grow(job.helpers);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      job_ = job;
      claims_.begin(job);
      round_.fetch_add(1, std::memory_order_release);
    }
    if (asleep_.load() > 0) wake_.notify_all();
    claims_.take(job, 0);
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
      claims_.take(job, number + 1);
      running_.fetch_sub(1, std::memory_order_release);
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::thread> threads_;
  Job job_;
  alignas(64) std::atomic<unsigned> round_{0};
  std::atomic<int> asleep_{0};
  Claims claims_;
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

void watch_for_forks() {
#if !defined(_WIN32)
  static const int registered = pthread_atfork(nullptr, nullptr, forget_pool);
  (void)registered;
#endif
}

Pool& pool() {
  Pool* current = g_pool.load(std::memory_order_acquire);
  if (current == nullptr) {
    current = new Pool;
    g_pool.store(current, std::memory_order_release);
  }
  return *current;
}

struct Team {
  const openmp::Runtime* runtime;
  Job job;
  Claims claims;
};

void run_team(const openmp::Runtime* runtime, const Job& job, int threads) {
  static Team& team = *new Team{};  // one job at a time
  team.runtime = runtime;
  team.job = job;
  team.claims.begin(job);
  runtime->parallel(
      [](void* data) {
        Team& shared = *static_cast<Team*>(data);
        const int own = shared.runtime->thread_num();
        if (own <= shared.job.helpers) shared.claims.take(shared.job, own);
      },
      &team, static_cast<unsigned>(threads), 0);
}

}  // namespace

void run_tasks(long tasks, int threads, void (*task)(void*, long), void* context, Order order) {
  // A team keeps the size that torch gives it: one that shrinks loses its threads.
  const int team_size = threads;
  if (tasks < threads) threads = static_cast<int>(tasks);
  if (threads > 1 && !t_inside && !g_busy.exchange(true, std::memory_order_acquire)) {
    struct Inside {
      Inside() { t_inside = true; }
      ~Inside() {
        t_inside = false;
        g_busy.store(false, std::memory_order_release);
      }
    } inside;
    watch_for_forks();
    const Job job{task, context, tasks, threads - 1, order == Order::kApart ? threads : 1, true};
    if (const openmp::Runtime* runtime = openmp::runtime()) {
      run_team(runtime, job, team_size);
    } else {
      pool().run(job);
    }
    return;
  }
  const PlainFloatState state;
  for (long number = 0; number < tasks; ++number) task(context, number);
}

}  // namespace samebits::exact
