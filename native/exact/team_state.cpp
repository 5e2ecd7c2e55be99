#include "exact/team_state.hpp"

#include <algorithm>
#include <cstdlib>

#if defined(__linux__)
#include <dirent.h>
#endif

#include "exact/float_state.hpp"
#include "openmp/runtime.hpp"

namespace samebits::exact {
namespace {

struct Visit {
  const openmp::Runtime* runtime;
  std::vector<uint64_t>* had;          // where each thread's state goes, or null
  const std::vector<uint64_t>* wanted;  // null for the plain state
};

void visit(const Visit& one, size_t number) {
  if (one.had != nullptr && number < one.had->size()) (*one.had)[number] = float_state();
  uint64_t wanted = kPlainState;
  if (one.wanted != nullptr) wanted = (*one.wanted)[number < one.wanted->size() ? number : 0];
  if (float_state() != wanted) set_float_state(wanted);
}

// The numbers of this process's threads; none where nobody can say.
std::vector<long> threads_of_process() {
  std::vector<long> numbers;
#if defined(__linux__)
  DIR* folder = opendir("/proc/self/task");
  if (folder == nullptr) return numbers;
  while (const dirent* entry = readdir(folder)) {
    if (entry->d_name[0] != '.') numbers.push_back(std::strtol(entry->d_name, nullptr, 10));
  }
  closedir(folder);
  std::sort(numbers.begin(), numbers.end());
#endif
  return numbers;
}

// The calling thread last: threads that the runtime has to make begin with its state.
void visit_all(std::vector<uint64_t>* had, const std::vector<uint64_t>* wanted) {
  Visit one{openmp::runtime(), had, wanted};
  const int threads = one.runtime == nullptr ? 1 : one.runtime->max_threads();
  if (had != nullptr) had->assign(threads < 1 ? 1 : static_cast<size_t>(threads), kPlainState);
  if (threads > 1) {
    one.runtime->parallel(
        [](void* data) {
          const Visit& shared = *static_cast<const Visit*>(data);
          const int number = shared.runtime->thread_num();
          if (number > 0) visit(shared, static_cast<size_t>(number));
        },
        &one, static_cast<unsigned>(threads), 0);
  }
  visit(one, 0);
}

// The threads that the process had when this caller's team were plain, and how many that team had.
thread_local std::vector<long> plain_threads;
thread_local int plain_width = 0;

int width() {
  const openmp::Runtime* runtime = openmp::runtime();
  return runtime == nullptr ? 1 : runtime->max_threads();
}

bool all_plain(const std::vector<uint64_t>& states) {
  return std::all_of(states.begin(), states.end(), [](uint64_t state) { return state == kPlainState; });
}

}  // namespace

// Waking a team takes as long as many small operations, so that it is spared where the process has the
// threads that it had when all of this caller's team were plain: only a thread itself changes its state.
// A team that has grown since may have others of them, which the runtime kept for it. It is spared as well where there is one thread: a runtime that has made none must not make them for
// this, since the child of a fork() cannot use those of its parent.
std::vector<uint64_t> make_team_plain() {
  const std::vector<long> now = threads_of_process();
  const int wide = width();
  std::vector<uint64_t> had(1, float_state());
  if (now.size() == 1 || (!now.empty() && now == plain_threads && wide <= plain_width)) {
    if (had[0] != kPlainState) set_float_state(kPlainState);
    plain_width = wide;  // of one thread others are born with its state
    return had;
  }
  visit_all(&had, nullptr);
  plain_width = wide;
  plain_threads = all_plain(had) ? threads_of_process() : std::vector<long>();
  return had;
}

void keep_team_plain() {
  if (float_state() != kPlainState || width() != plain_width) make_team_plain();
}

void restore_team(const std::vector<uint64_t>& states) {
  if (states.empty() || all_plain(states)) return;  // threads that were born since are plain as well
  visit_all(nullptr, &states);
  plain_threads.clear();
  plain_width = 0;
}

}  // namespace samebits::exact
