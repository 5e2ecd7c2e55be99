// The word sum of a view that need not be contiguous: its elements in row-major order, gathered
// through a buffer that stays in the first-level cache, never copied as a whole.
#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "fingerprint/fingerprint.hpp"

namespace samebits::fingerprint {
namespace {

constexpr int max_dims = 64;         // torch's and NumPy's own limit
constexpr size_t block_bytes = 4096;  // a multiple of every itemsize and of the word

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
    if (nbytes >= direct_minimum) {
      // Long enough to be summed where it is, once the words before it are complete.
      const size_t fill = std::min((8 - filled_ % 8) % 8, nbytes);
      copy(bytes, fill);
      flush();
      const size_t whole = (nbytes - fill) / 8 * 8;
      sum_ += sum_words(bytes + fill, whole, next_word_);
      next_word_ += whole / 8;
      bytes += fill + whole;
      nbytes -= fill + whole;
    }
    while (nbytes != 0) {
      const size_t part = std::min(nbytes, block_bytes - filled_);
      copy(bytes, part);
      bytes += part;
      nbytes -= part;
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
      filled_ += part * N;
      if (filled_ == block_bytes) flush();
    }
  }

  uint64_t finish() {
    flush();
    return sum_;
  }

 private:
  static constexpr size_t direct_minimum = 512;

  void copy(const unsigned char* bytes, size_t nbytes) {
    std::memcpy(block_ + filled_, bytes, nbytes);
    filled_ += nbytes;
    if (filled_ == block_bytes) flush();
  }

  // Only the last flush of all may end inside a word.
  void flush() {
    if (filled_ == 0) return;
    sum_ += sum_words(block_, filled_, next_word_);
    next_word_ += filled_ / 8;
    filled_ = 0;
  }

  alignas(64) unsigned char block_[block_bytes];
  size_t filled_ = 0;
  uint64_t next_word_ = 0;
  uint64_t sum_ = 0;
};

template <size_t N>
uint64_t sum_gathered(const Layout& layout, const unsigned char* data) {
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
// along a row would touch a cache line an element; here a line's worth of rows is gathered together.
// Rows must be whole words, since each is summed in pieces at its own word numbers.
template <size_t N>
uint64_t sum_transposed(const Layout& layout, const unsigned char* data) {
  constexpr int64_t tile_rows = 64 / N;
  constexpr int64_t tile_columns = block_bytes / 64;
  alignas(64) unsigned char tile[block_bytes];
  const int64_t rows = layout.shape[layout.ndim - 2];
  const int64_t columns = layout.shape[layout.ndim - 1];
  const int64_t column_stride = layout.strides[layout.ndim - 1];
  const uint64_t words_a_row = static_cast<uint64_t>(columns) * N / 8;
  uint64_t first_word = 0;
  uint64_t sum = 0;
  for_each_outer(layout, layout.ndim - 2, data, [&](const unsigned char* matrix) {
    for (int64_t r = 0; r < rows; r += tile_rows) {
      const int64_t height = std::min(tile_rows, rows - r);
      for (int64_t c = 0; c < columns; c += tile_columns) {
        const int64_t width = std::min(tile_columns, columns - c);
        for (int64_t j = 0; j < width; ++j) {
          const unsigned char* column = matrix + r * int64_t{N} + (c + j) * column_stride;
          unsigned char* out = tile + j * N;
          for (int64_t i = 0; i < height; ++i) {
            std::memcpy(out + i * tile_columns * N, column + i * N, N);
          }
        }
        for (int64_t i = 0; i < height; ++i) {
          sum += sum_words(tile + i * tile_columns * N, static_cast<size_t>(width) * N,
                           first_word + (r + i) * words_a_row + c * N / 8);
        }
      }
    }
    first_word += rows * words_a_row;
  });
  return sum;
}

template <size_t N>
uint64_t sum_layout(const Layout& layout, const unsigned char* data) {
  const int last = layout.ndim - 1;
  const bool transposed = last >= 1 && layout.strides[last - 1] == int64_t{N} &&
                          layout.shape[last] * N % 8 == 0;
  return transposed ? sum_transposed<N>(layout, data) : sum_gathered<N>(layout, data);
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
