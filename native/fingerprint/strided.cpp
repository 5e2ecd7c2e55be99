// The word sum of a view that need not be contiguous: its elements in row-major order, gathered
// through a buffer that stays in the first-level cache, never copied as a whole.
#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "fingerprint/fingerprint.hpp"

namespace samebits::fingerprint {
namespace {

constexpr int max_dims = 64;  // torch's and NumPy's own limit

// Dimensions of more than one element, neighbours merged where one stride spans both.
struct Layout {
  int ndim = 0;
  int64_t shape[max_dims];
  int64_t strides[max_dims];  // in bytes
};

int64_t element_count(const View& view) {
  int64_t count = 1;
  for (int32_t i = 0; i < view.ndim; ++i) count *= view.shape[i];
  return count;
}

bool is_contiguous(const View& view) {
  if (view.strides == nullptr) return true;
  int64_t expected = 1;
  for (int32_t i = view.ndim - 1; i >= 0; --i) {
    if (view.shape[i] == 1) continue;
    if (view.strides[i] != expected) return false;
    expected *= view.shape[i];
  }
  return true;
}

Layout collapse(const View& view) {
  if (view.ndim > max_dims) throw std::length_error("a view of more than 64 dimensions");
  Layout layout;
  for (int32_t i = 0; i < view.ndim; ++i) {
    if (view.shape[i] == 1) continue;
    const int64_t stride = view.strides[i] * view.itemsize;
    const int last = layout.ndim - 1;
    if (last >= 0 && layout.strides[last] == stride * view.shape[i]) {
      layout.shape[last] *= view.shape[i];
      layout.strides[last] = stride;
    } else {
      layout.shape[layout.ndim] = view.shape[i];
      layout.strides[layout.ndim++] = stride;
    }
  }
  return layout;
}

// Calls visit(pointer) for each index of the first `dims` dimensions, in row-major order.
template <class Visit>
void for_each_outer(const Layout& layout, int dims, const unsigned char* data, Visit visit) {
  int64_t index[max_dims] = {};
  for (;;) {
    visit(data);
    int d = dims - 1;
    for (; d >= 0; --d) {
      data += layout.strides[d];
      if (++index[d] < layout.shape[d]) break;
      data -= layout.strides[d] * layout.shape[d];
      index[d] = 0;
    }
    if (d < 0) return;
  }
}

// Collects bytes in order and sums them a block at a time.
class Gatherer {
 public:
  // Bytes that lie next to each other.
  void append_run(const unsigned char* bytes, size_t nbytes) {
    while (nbytes != 0) {
      if (filled_ == 0 && nbytes >= block_bytes) {
        // Whole blocks are summed where they are.
        const size_t whole = nbytes / block_bytes;
        sum_ += sum_words(bytes, whole * block_bytes, next_block_);
        next_block_ += whole;
        bytes += whole * block_bytes;
        nbytes -= whole * block_bytes;
      } else {
        const size_t part = std::min(nbytes, block_bytes - filled_);
        std::memcpy(block_ + filled_, bytes, part);
        bytes += part;
        nbytes -= part;
        advance(part);
      }
    }
  }

  // `count` elements of N bytes, `stride` bytes apart.
  template <size_t N>
  void append_strided(const unsigned char* bytes, int64_t count, int64_t stride) {
    while (count != 0) {
      const int64_t part = std::min<int64_t>(count, (block_bytes - filled_) / N);
      unsigned char* out = block_ + filled_;
      for (int64_t i = 0; i < part; ++i) std::memcpy(out + i * N, bytes + i * stride, N);
      bytes += part * stride;
      count -= part;
      advance(part * N);
    }
  }

  uint64_t finish() const { return sum_ + sum_words(block_, filled_, next_block_); }

 private:
  void advance(size_t nbytes) {
    filled_ += nbytes;
    if (filled_ < block_bytes) return;
    sum_ += sum_words(block_, block_bytes, next_block_++);
    filled_ = 0;
  }

  alignas(64) unsigned char block_[block_bytes];
  size_t filled_ = 0;
  uint64_t next_block_ = 0;
  uint64_t sum_ = 0;
};

// Row after row of the innermost dimension.
template <size_t N>
uint64_t sum_rows(const Layout& layout, const unsigned char* data) {
  Gatherer gatherer;
  const int inner = layout.ndim - 1;
  const int64_t count = layout.shape[inner];
  const int64_t stride = layout.strides[inner];
  for_each_outer(layout, inner, data, [&](const unsigned char* row) {
    if (stride == int64_t{N}) {
      gatherer.append_run(row, static_cast<size_t>(count) * N);
    } else {
      gatherer.template append_strided<N>(row, count, stride);
    }
  });
  return gatherer.finish();
}

// The last two dimensions lie in memory the other way round (transposes, channels-last). Walking
// along a row would read a cache line for each element; so a line's worth of rows, a strip, is
// copied together, in tiles of a line by a line.
constexpr size_t line_bytes = 64;
constexpr size_t strip_bytes = size_t{256} << 10;

template <size_t N>
bool is_transposed(const Layout& layout) {
  const int last = layout.ndim - 1;
  return last >= 1 && layout.strides[last - 1] == int64_t{N} && layout.shape[last - 1] >= 4 &&
         static_cast<uint64_t>(layout.shape[last]) <= strip_bytes / line_bytes;
}

// A tile of `height` by `columns` elements, at most a line each way, to rows `width` elements apart.
// By way of a small buffer, since rows a power of two apart would push each other out of the cache.
template <size_t N>
inline void transpose_tile(const unsigned char* source, int64_t column_stride, int64_t height,
                           int64_t columns, unsigned char* out, int64_t width) {
  constexpr int64_t side = line_bytes / N;
  alignas(64) unsigned char tile[side * line_bytes];
  for (int64_t c = 0; c < columns; ++c) {
    const unsigned char* column = source + c * column_stride;
    for (int64_t r = 0; r < height; ++r) std::memcpy(tile + (r * side + c) * N, column + r * N, N);
  }
  for (int64_t r = 0; r < height; ++r) {
    std::memcpy(out + r * width * N, tile + r * line_bytes, static_cast<size_t>(columns) * N);
  }
}

template <size_t N>
uint64_t sum_transposed(const Layout& layout, const unsigned char* data) {
  constexpr int64_t side = line_bytes / N;
  const int64_t height = layout.shape[layout.ndim - 2];
  const int64_t width = layout.shape[layout.ndim - 1];
  const int64_t column_stride = layout.strides[layout.ndim - 1];
  const std::unique_ptr<unsigned char[]> strip(
      new unsigned char[static_cast<size_t>(std::min(side, height) * width) * N]);
  Gatherer gatherer;
  for_each_outer(layout, layout.ndim - 2, data, [&](const unsigned char* matrix) {
    for (int64_t r = 0; r < height; r += side) {
      const int64_t rows_here = std::min(side, height - r);
      for (int64_t c = 0; c < width; c += side) {
        const unsigned char* source = matrix + r * int64_t{N} + c * column_stride;
        unsigned char* out = strip.get() + c * N;
        const int64_t columns_here = std::min(side, width - c);
        if (rows_here == side && columns_here == side) {
          // Constant sizes: the loops unroll and no copy is a call.
          transpose_tile<N>(source, column_stride, side, side, out, width);
        } else {
          transpose_tile<N>(source, column_stride, rows_here, columns_here, out, width);
        }
      }
      gatherer.append_run(strip.get(), static_cast<size_t>(rows_here * width) * N);
    }
  });
  return gatherer.finish();
}

template <size_t N>
uint64_t sum_layout(const Layout& layout, const unsigned char* data) {
  return is_transposed<N>(layout) ? sum_transposed<N>(layout, data) : sum_rows<N>(layout, data);
}

}  // namespace

uint64_t sum_view(const View& view, int threads) {
  const int64_t count = element_count(view);
  if (count == 0) return 0;
  const auto* data = static_cast<const unsigned char*>(view.data);
  if (is_contiguous(view)) {
    const size_t nbytes = static_cast<size_t>(count) * view.itemsize;
    if (threads > 1 && nbytes >= parallel_minimum) {
      return sum_words_parallel(data, nbytes, threads);
    }
    return sum_words(data, nbytes, 0);
  }
  const Layout layout = collapse(view);
  switch (view.itemsize) {
    case 1: return sum_layout<1>(layout, data);
    case 2: return sum_layout<2>(layout, data);
    case 4: return sum_layout<4>(layout, data);
    case 8: return sum_layout<8>(layout, data);
    case 16: return sum_layout<16>(layout, data);
    default: throw std::invalid_argument("an itemsize other than 1, 2, 4, 8 or 16");
  }
}

}  // namespace samebits::fingerprint
