#include <cstdlib>

#include "exact/kernels/builds.hpp"

namespace samebits::exact {
namespace {

struct Memory {
  void* data = nullptr;
  size_t bytes = 0;
  ~Memory() { std::free(data); }
};
thread_local Memory t_memory;

}  // namespace

void* scratch(size_t bytes) {
  if (bytes > t_memory.bytes) {
    std::free(t_memory.data);
    t_memory = {};
    const size_t rounded = (bytes + 4095) / 4096 * 4096;
    t_memory.data = std::aligned_alloc(4096, rounded);
    if (t_memory.data != nullptr) t_memory.bytes = rounded;
  }
  return t_memory.data;
}

void* shared_scratch(size_t bytes) { return std::malloc(bytes); }
void free_shared_scratch(void* memory) { std::free(memory); }

}  // namespace samebits::exact
