// Threads that take numbered tasks, none of whose results may depend on who takes which.
#pragma once

namespace samebits::exact {

// Calls task(context, number) for every number below `tasks`, on at most `threads` threads, the
// calling one included; returns when all are done. Every thread computes with subnormals kept and
// rounding to nearest, whatever its state was, and has its state back afterwards. A call from within
// a task, or while another thread has the pool, runs on the calling thread alone.
void run_tasks(long tasks, int threads, void (*task)(void* context, long number), void* context);

template <class Function>
void parallel(long tasks, int threads, Function function) {
  run_tasks(
      tasks, threads,
      [](void* context, long number) { (*static_cast<Function*>(context))(number); }, &function);
}

// Threads that the pool holds now, the callers not counted.
int pool_size();

}  // namespace samebits::exact
