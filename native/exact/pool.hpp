// Threads that take numbered tasks, none of whose results may depend on who takes which.
#pragma once

namespace samebits::exact {

enum class Order {
  kByNumber,  // tasks are handed out by their numbers: who waits for a lower one waits for somebody at work
  kApart,     // each thread has a stretch of numbers of its own, and helps with others' when it is through:
              // for loops through memory, where neighbours are best left to one processor
};

// Calls task(context, number) for every number below `tasks`, on at most `threads` threads, the
// calling one included; returns when all are done. Every thread computes with subnormals kept and
// rounding to nearest, whatever its state was, and has its state back afterwards. A call from within
// a task, or while another thread has the pool, runs on the calling thread alone.
void run_tasks(long tasks, int threads, void (*task)(void* context, long number), void* context,
               Order order = Order::kByNumber);

template <class Function>
void parallel(long tasks, int threads, Function function, Order order = Order::kByNumber) {
  run_tasks(
      tasks, threads,
      [](void* context, long number) { (*static_cast<Function*>(context))(number); }, &function, order);
}
// Tasks whose neighbours work on memory next to theirs.
template <class Function>
void parallel_apart(long tasks, int threads, Function function) {
  parallel(tasks, threads, function, Order::kApart);
}

}  // namespace samebits::exact
