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

// A sum that stands for what a tensor holds, as cheap to take as its memory allows: the bytes as
// they lie where it has all of them, its elements in order where it does not. Repeated elements
// (of an expanded dimension) count once.
inline uint64_t sum_content(const TensorView& view, const record::Extent& extent, int threads) {
  if (view.fills(extent)) return fingerprint::sum_words_parallel(extent.first, extent.bytes, threads);
  int64_t shape[kMaxDims];
  for (int i = 0; i < view.ndim; ++i) shape[i] = view.strides[i] == 0 ? 1 : view.shape[i];
  return fingerprint::sum_view(
      fingerprint::View{view.data, view.itemsize, view.ndim, shape, view.strides}, threads);
}

// The digest of an input with this content: the fingerprint, where its memory is row-major.
inline uint64_t digest_content(const TensorView& view, uint64_t sum) {
  if (!view.is_contiguous()) return combine(view.layout_hash(), sum);
  return fingerprint::finalise(sum, view.dtype_code, view.ndim, view.shape);
}

struct Recorder::Call {
  explicit Call(const Op& op_) : op(op_) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() {
    for (auto& [is_data, object] : elsewhere) Py_DECREF(object);
    Py_XDECREF(given);
  }

  // Whether what it copied holds bytes that mean nothing.
  bool copies_unwritten() const {
    return (op.traits & kCopies) != 0 && (flags & kReadsUnwritten) != 0;
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
  bool arriving = false;  // a view of what another process may still write
  std::vector<uint64_t> keys;  // of the tensors that a view was made of
  std::vector<PyObject*> written;                     // borrowed: the arguments keep them alive
  std::vector<std::pair<PyObject*, uint64_t>> under_way;  // likewise: read, with the sum, while it may be arriving
  std::vector<PyObject*> copied;                      // likewise: what a copy is made of
  size_t copies = 0;                                  // of these, made so far
  record::Extent before;                              // the storage, where the operation may resize it
  PyObject* given = nullptr;                          // owned: what was noted of the inputs, where the row is followed
  std::vector<std::pair<bool, PyObject*>> elsewhere;  // owned: (is data, what on_device returned)
};

}  // namespace samebits::python
