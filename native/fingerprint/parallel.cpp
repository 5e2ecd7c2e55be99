// The word sum on several threads: those of the OpenMP runtime that torch has loaded.
#include <algorithm>
#include <atomic>

#include "fingerprint/fingerprint.hpp"
#include "openmp/runtime.hpp"

namespace samebits::fingerprint {
namespace {

struct Work {
  const unsigned char* data;
  size_t nbytes;
  const openmp::Runtime* runtime;
  std::atomic<uint64_t> sum{0};
};

// Each thread sums the share that torch's own element-wise operations give to it (one run of
// neighbours a thread, in the order of their numbers): what it wrote is still in its core's cache.
// The team may be smaller than asked for, down to one, so that its size is the runtime's to tell.
void sum_share(void* argument) {
  auto& work = *static_cast<Work*>(argument);
  const auto team = static_cast<size_t>(work.runtime->num_threads());
  const size_t blocks = (work.nbytes + block_bytes - 1) / block_bytes;
  const size_t share = (blocks + team - 1) / team * block_bytes;
  const size_t begin = static_cast<size_t>(work.runtime->thread_num()) * share;
  if (begin >= work.nbytes) return;
  const uint64_t sum = sum_words(work.data + begin, std::min(share, work.nbytes - begin),
                                 begin / block_bytes);
  work.sum.fetch_add(sum, std::memory_order_relaxed);
}

}  // namespace

uint64_t sum_words_parallel(const void* data, size_t nbytes, int threads) {
  if (threads < 2 || nbytes < parallel_minimum) return sum_words(data, nbytes, 0);
  const openmp::Runtime* runtime = openmp::runtime();
  if (runtime == nullptr) return sum_words(data, nbytes, 0);
  // No more than torch may use by now: two processes whose threads spin on the same processors wait for
  // each other.
  threads = std::min(threads, runtime->max_threads());
  if (threads < 2) return sum_words(data, nbytes, 0);
  Work work{static_cast<const unsigned char*>(data), nbytes, runtime};
  runtime->parallel(sum_share, &work, static_cast<unsigned>(threads), 0);
  return work.sum.load(std::memory_order_relaxed);
}

}  // namespace samebits::fingerprint
