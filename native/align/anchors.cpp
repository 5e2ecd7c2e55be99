#include "align/anchors.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace samebits::align {
namespace {

using Keys = std::vector<std::uint64_t>;
using Rows = std::vector<std::uint32_t>;

Keys distinct(const std::uint64_t* begin, const std::uint64_t* end) {
  Keys keys(begin, end);
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  keys.shrink_to_fit();
  return keys;
}

void keep_known(const std::uint64_t* keys, std::int64_t begin, std::int64_t end, const Keys& known,
                Keys& kept_keys, Rows& kept_rows) {
  for (std::int64_t row = begin; row < end; ++row) {
    if (std::binary_search(known.begin(), known.end(), keys[row])) {
      kept_keys.push_back(keys[row]);
      kept_rows.push_back(static_cast<std::uint32_t>(row));
    }
  }
}

// Positions of the keys that occur once, ordered by key.
Rows once(const Keys& keys) {
  Rows order(keys.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
  std::sort(order.begin(), order.end(), [&](std::uint32_t i, std::uint32_t j) {
    return keys[i] != keys[j] ? keys[i] < keys[j] : i < j;
  });
  Rows single;
  for (std::size_t i = 0; i < order.size();) {
    std::size_t next = i + 1;
    while (next < order.size() && keys[order[next]] == keys[order[i]]) ++next;
    if (next == i + 1) single.push_back(order[i]);
    i = next;
  }
  return single;
}

}  // namespace

Shared shared_rows(const std::uint64_t* a, const std::uint64_t* b, const Range& range) {
  Shared shared;
  {
    const Keys of_b = distinct(b + range.b0, b + range.b1);
    keep_known(a, range.a0, range.a1, of_b, shared.a_keys, shared.a_rows);
  }
  const Keys of_a = distinct(shared.a_keys.data(), shared.a_keys.data() + shared.a_keys.size());
  keep_known(b, range.b0, range.b1, of_a, shared.b_keys, shared.b_rows);
  return shared;
}

std::vector<Anchor> unique_anchors(const Shared& shared) {
  const Rows a_once = once(shared.a_keys), b_once = once(shared.b_keys);
  std::vector<Anchor> pairs;
  for (std::size_t i = 0, j = 0; i < a_once.size() && j < b_once.size();) {
    const std::uint64_t a_key = shared.a_keys[a_once[i]], b_key = shared.b_keys[b_once[j]];
    if (a_key == b_key) pairs.push_back({a_once[i], b_once[j]});
    i += a_key <= b_key;
    j += b_key <= a_key;
  }
  std::sort(pairs.begin(), pairs.end(), [](const Anchor& x, const Anchor& y) { return x.a < y.a; });

  // Longest ascending subsequence in b: ends[k] is the pair that ends the best chain of length k+1.
  constexpr std::uint32_t none = UINT32_MAX;
  Rows ends, previous(pairs.size(), none);
  for (std::uint32_t i = 0; i < pairs.size(); ++i) {
    const auto place = std::lower_bound(
        ends.begin(), ends.end(), pairs[i].b,
        [&](std::uint32_t end, std::uint32_t b) { return pairs[end].b < b; });
    if (place != ends.begin()) previous[i] = *(place - 1);
    if (place == ends.end()) {
      ends.push_back(i);
    } else {
      *place = i;
    }
  }
  std::vector<Anchor> chain;
  for (std::uint32_t i = ends.empty() ? none : ends.back(); i != none; i = previous[i]) {
    chain.push_back(pairs[i]);
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

}  // namespace samebits::align
