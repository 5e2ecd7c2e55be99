// Sampling where a grid says, as Python calls it.
#include "exact/passes.hpp"
#include "python/exact/arguments.hpp"
#include "python/exact/kernel_calls.hpp"

namespace samebits::python::exact_arithmetic {
namespace {

// x [N, C, H, W], grid [N, h, w, 2]
template <class T>
void fill(exact::Grid<T>& g, const View& x, const View& grid, int padding, bool align) {
  if (padding < 0 || padding > 2) refuse("padding");
  g.x = static_cast<const T*>(x.data);
  g.grid = static_cast<const T*>(grid.data);
  g.images = x.shape[0];
  g.channels = x.shape[1];
  g.height = x.shape[2];
  g.width = x.shape[3];
  g.points = grid.shape[1] * grid.shape[2];
  g.padding = static_cast<exact::GridPadding>(padding);
  g.align = align;
}

void check(const View& x, const View& grid) {
  if (x.ndim != 4 || grid.ndim != 4 || x.dtype != grid.dtype || !x.contiguous() || !grid.contiguous()) refuse("x and grid");
  if (x.shape[0] != grid.shape[0] || grid.shape[3] != 2 || x.numel() == 0 || grid.numel() == 0) refuse("shapes");
  if (x.shape[1] > 1L << 30) refuse("channels");
}

// out [N, C, h, w]
void grid_sample(nb::handle out, nb::handle x_tensor, nb::handle grid_tensor, int padding, bool align) {
  const View x = need(x_tensor, "x");
  const View grid = need(grid_tensor, "grid");
  check(x, grid);
  bool done = true;
  by_type(x.dtype, [&](auto kind) {
    using T = decltype(kind);
    exact::GridSample<T> g{};
    fill(g, x, grid, padding, align);
    const int64_t size = static_cast<int64_t>(g.images) * g.channels * g.points;
    g.out = data_or_null<T>(out, x.dtype, size, "out");
    if (g.out == nullptr) refuse("out");
    work(static_cast<double>(x.numel() + 4 * size), [&](int threads) {
      if constexpr (sizeof(T) == 4) done = exact::passes().grid_sample_f32(g, threads);
      else done = exact::passes().grid_sample_f64(g, threads);
    });
  });
  if (!done) no_memory();
}

// grad [N, C, h, w], grad_x as x or none, grad_grid as grid
void grid_sample_backward(nb::handle grad_x, nb::handle grad_grid, nb::handle grad, nb::handle x_tensor,
                          nb::handle grid_tensor, int padding, bool align) {
  const View x = need(x_tensor, "x");
  const View grid = need(grid_tensor, "grid");
  check(x, grid);
  bool done = true;
  by_type(x.dtype, [&](auto kind) {
    using T = decltype(kind);
    exact::GridSampleBackward<T> g{};
    fill(g, x, grid, padding, align);
    const int64_t size = static_cast<int64_t>(g.images) * g.channels * g.points;
    g.grad = data_or_null<T>(grad, x.dtype, size, "grad");
    g.grad_x = data_or_null<T>(grad_x, x.dtype, x.numel(), "grad_x");
    g.grad_grid = data_or_null<T>(grad_grid, x.dtype, grid.numel(), "grad_grid");
    if (g.grad == nullptr || g.grad_grid == nullptr) refuse("gradients");
    work(static_cast<double>(2 * x.numel() + 8 * size), [&](int threads) {
      if constexpr (sizeof(T) == 4) done = exact::passes().grid_sample_backward_f32(g, threads);
      else done = exact::passes().grid_sample_backward_f64(g, threads);
    });
  });
  if (!done) no_memory();
}

}  // namespace

void add_sampling_calls(nb::module_& module) {
  module.def("grid_sample", grid_sample, nb::arg("out"), nb::arg("x"), nb::arg("grid"), nb::arg("padding"),
             nb::arg("align"), "The values between the places of images where a grid says.");
  module.def("grid_sample_backward", grid_sample_backward, nb::arg("grad_x").none(), nb::arg("grad_grid"),
             nb::arg("grad"), nb::arg("x"), nb::arg("grid"), nb::arg("padding"), nb::arg("align"),
             "Its derivatives.");
}

}  // namespace samebits::python::exact_arithmetic
