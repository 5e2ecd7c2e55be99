// align: two arrays of keys in, matched blocks out.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>

#include <utility>
#include <vector>

#include "align/align.hpp"
#include "python/bindings.hpp"

namespace nb = nanobind;

namespace samebits::python {
namespace {

using Keys = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Table = nb::ndarray<nb::numpy, std::int64_t, nb::ndim<2>, nb::c_contig>;

std::pair<Table, bool> align_keys(const Keys& a, const Keys& b, std::size_t max_edits) {
  samebits::align::Alignment result;
  {
    nb::gil_scoped_release release;
    result = samebits::align::align(a.data(), a.size(), b.data(), b.size(), max_edits);
  }
  // The array lives on the vector's own memory.
  static_assert(sizeof(samebits::align::Block) == 3 * sizeof(std::int64_t));
  auto* blocks = new std::vector<samebits::align::Block>(std::move(result.blocks));
  nb::capsule owner(blocks, [](void* p) noexcept {
    delete static_cast<std::vector<samebits::align::Block>*>(p);
  });
  Table table(reinterpret_cast<std::int64_t*>(blocks->data()), {blocks->size(), 3}, owner);
  return {table, result.minimal};
}

}  // namespace

void add_align(nb::module_& module) {
  module.def("align", &align_keys, nb::arg("a"), nb::arg("b"), nb::arg("max_edits"),
             "Align two uint64 arrays of keys by edit distance.\n\n"
             "Returns an int64 array of shape (blocks, 3), rows (a_start, b_start, length), and\n"
             "whether no alignment has fewer insertions and deletions.");
}

}  // namespace samebits::python
