// What the recorder's source files share: one operation under way, and how values are combined.
#pragma once

#include "fingerprint/fingerprint.hpp"
#include "python/recorder.hpp"
#include "record/mix.hpp"

namespace samebits::python {

using fingerprint::combine;
using record::chain;
using record::chain_bytes;

constexpr uint64_t kStart = 0x736D6274;           // where every combination begins
constexpr uint64_t kUnwrittenMark = 0x656D707479;  // stands for bytes that mean nothing yet
constexpr uint64_t kOpaqueMark = 0x6F7061717565;   // stands for a tensor that cannot be read
constexpr int kMaxDepth = 32;

inline uint64_t read_fingerprint(const TensorView& view, int threads) {
  return fingerprint::of(
      fingerprint::View{view.data, view.itemsize, view.ndim, view.shape, view.strides},
      view.dtype_code, threads);
}

// Whether the tensor covers its extent without gaps, so that writing it writes all of it.
inline bool fills(const TensorView& view, const record::Extent& extent) {
  return static_cast<size_t>(view.numel()) * static_cast<size_t>(view.itemsize) == extent.bytes;
}

struct Recorder::Call {
  explicit Call(const Op& op_) : op(op_) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() {
    for (auto& [is_data, object] : elsewhere) Py_DECREF(object);
  }

  const Op& op;
  uint64_t inputs = kStart;
  uint64_t args = kStart;
  uint64_t data = 0;
  uint64_t outputs = kStart;
  uint64_t shapes = kStart;
  uint32_t site = record::kNoSite;
  Phase phase = Phase::kSetup;
  uint16_t flags = 0;
  int compared = 0;  // outputs that a comparison may look at
  int scratch = 0;   // outputs that mean nothing
  std::vector<PyObject*> written;                     // borrowed: the arguments keep them alive
  std::vector<std::pair<bool, PyObject*>> elsewhere;  // owned: (is data, what on_device returned)
};

}  // namespace samebits::python
