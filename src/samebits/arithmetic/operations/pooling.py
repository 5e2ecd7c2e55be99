"""Pooling: sums over windows, and of gradients into places (docs/arithmetic.md, "Places").

Inputs and results are [N, C, *places] or [C, *places]; derivatives have the shape of the input.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import torch

from samebits.arithmetic import _exact
from samebits.arithmetic.forms import exact
from samebits.arithmetic.kernels import converted, elementwise, plain, widened
from samebits.arithmetic.operations.arguments import require_plain
from samebits.arithmetic.operations.neighbours import BLOCK, boxes
from samebits.arithmetic.operations.reductions import sum_over
from samebits.arithmetic.registry import kernel, name_of

_Ends = tuple[torch.Tensor, torch.Tensor]
"""First places along an axis, and the places after the last ones."""


def planes(x: torch.Tensor, axes: int) -> torch.Tensor:
    """[P, …] for [N, C, …] or [C, …], whose last `axes` axes are places."""
    return plain(x).reshape(-1, *x.shape[x.ndim - axes :])


def add_to_places(
    grad: torch.Tensor, index: torch.Tensor, sizes: Sequence[int], skipped: int | None = None
) -> torch.Tensor:
    """Zeros [P, places] to each of which the sum of what the index sends there is added.

    Args:
        grad: [P, M], float32 or float64.
        index: [P, M], or [1, M] for all planes, int64.
        sizes: How many places there are along each axis.
        skipped: A number of no place, for what is left out; the index has one plane then.
    """
    result = torch.empty((grad.shape[0], math.prod(sizes)), dtype=grad.dtype)
    if not grad.numel():
        return result.zero_()
    options: dict[str, Any] = {} if skipped is None else {"skipped": skipped}
    _exact.add_planes(result, index.contiguous(), grad.contiguous(), fresh=True, **options)
    return result


@kernel(
    "aten.max_pool2d_with_indices",
    "aten.max_pool3d_with_indices",
    "aten.adaptive_max_pool2d",
    "aten.adaptive_max_pool3d",
)
def max_pool(op: Any, x: Any, *rest: Any) -> Any:
    """The largest of each window and its place, the first one of equal ones; NaN before all."""
    found, places = op(widened(x) if x.is_floating_point() else x, *rest)
    return converted(found, x.dtype) if x.is_floating_point() else found, places


@kernel(
    "aten.max_pool2d_with_indices_backward",
    "aten.max_pool3d_with_indices_backward",
    "aten.adaptive_max_pool2d_backward",
    "aten.adaptive_max_pool3d_backward",
)
def max_pool_backward(op: Any, grad: Any, x: Any, *rest: Any) -> Any:
    """Each gradient goes to the place that was the largest of its window."""
    require_plain(op, [grad, x])
    axes = 2 if "2d" in str(op) else 3
    index = rest[-1]
    flat = planes(grad, axes)
    places = index.reshape(flat.shape[0], -1)
    result = add_to_places(flat.reshape(places.shape), places, x.shape[x.ndim - axes :])
    return converted(result.view(x.shape), x.dtype)


def _numbers(values: Any, axes: int, default: Sequence[int]) -> list[int]:
    if not values:
        return list(default)
    return list(values) * axes if len(values) == 1 else list(values)


class _Windows:
    """Where the windows of an average pooling lie, along each axis.

    Attributes:
        begin: First place of each window, which may lie before the input.
        out: Number of windows.
    """

    def __init__(
        self, sizes: Sequence[int], kernel: Any, stride: Any, padding: Any, ceil: bool
    ) -> None:
        axes = len(sizes)
        self.sizes = list(sizes)
        self.kernel = _numbers(kernel, axes, ())
        self.stride = _numbers(stride, axes, self.kernel)
        self.padding = _numbers(padding, axes, [0] * axes)
        if min(self.kernel) < 1 or min(self.stride) < 1:
            raise RuntimeError(f"window {self.kernel} and stride {self.stride} must be 1 or more")
        if any(2 * p > k or p < 0 for p, k in zip(self.padding, self.kernel, strict=True)):
            raise RuntimeError(f"padding {self.padding} must be 0 to half of window {self.kernel}")
        self.out = []
        for a in range(axes):
            room = sizes[a] + 2 * self.padding[a] - self.kernel[a]
            steps = -(-room // self.stride[a]) if ceil else room // self.stride[a]
            # A window must begin within the input or the padding before it.
            if ceil and steps * self.stride[a] >= sizes[a] + self.padding[a]:
                steps -= 1
            self.out.append(steps + 1)

    def divisors(self, include_padding: bool, override: int | None) -> torch.Tensor:
        """How many places each window counts, as float64."""
        if override == 0:
            raise RuntimeError("divisor must be not zero")
        if override is not None:
            return torch.full(self.out, float(override), dtype=torch.float64)
        total = torch.ones(self.out, dtype=torch.int64)
        for a, n in enumerate(self.out):
            begin = torch.arange(n) * self.stride[a] - self.padding[a]
            end = begin + self.kernel[a]
            if include_padding:
                length = end.clamp(max=self.sizes[a] + self.padding[a]) - begin
            else:
                length = end.clamp(max=self.sizes[a]) - begin.clamp(min=0)
            shape = [1] * len(self.out)
            shape[a] = n
            total = total * length.view(shape)
        return total.to(torch.float64)

    def ends(self, axis: int) -> tuple[torch.Tensor, torch.Tensor]:
        """The first place of each window along an axis, and the one after its last."""
        begin = torch.arange(self.out[axis]) * self.stride[axis] - self.padding[axis]
        return begin, begin + self.kernel[axis]

    def padded(self) -> list[int]:
        """Zeros to add before and after each axis so that every window fits, last axis first."""
        amounts = []
        for a in reversed(range(len(self.out))):
            reach = (self.out[a] - 1) * self.stride[a] + self.kernel[a]
            after = max(0, reach - self.sizes[a] - self.padding[a])
            amounts += [self.padding[a], after]
        return amounts


def _average(x: torch.Tensor, axes: int, windows: _Windows, divisors: torch.Tensor) -> torch.Tensor:
    if axes == 2 and math.prod(windows.kernel) <= BLOCK:
        return boxes(planes(x, axes), windows.ends(0), windows.ends(1), divisors)
    values = torch.nn.functional.pad(planes(x, axes), windows.padded())
    for a in range(axes):
        values = values.unfold(1 + a, windows.kernel[a], windows.stride[a])
    values = values[(slice(None), *(slice(0, n) for n in windows.out))]
    total = sum_over(values, range(1 + axes, 1 + 2 * axes))
    return elementwise("div", total, converted(divisors, total.dtype))


def _axes(op: Any) -> int:
    return 3 if "3d" in str(op) else (1 if "1d" in str(op) else 2)


@kernel("aten.avg_pool2d", "aten.avg_pool3d")
def avg_pool(
    op: Any, x: Any, kernel_size: Any, stride: Any = (), padding: Any = 0, ceil_mode: bool = False,
    count_include_pad: bool = True, divisor_override: int | None = None,
) -> Any:  # fmt: skip
    """The sum over each window, zeros beyond the input included, divided by its count."""
    require_plain(op, [x])
    axes = _axes(op)
    padding = [padding] if isinstance(padding, int) else padding
    windows = _Windows(x.shape[x.ndim - axes :], kernel_size, stride, padding, ceil_mode)
    divisors = windows.divisors(count_include_pad, divisor_override)
    result = _average(x, axes, windows, divisors)
    return converted(result.view(*x.shape[: x.ndim - axes], *windows.out), x.dtype)


@kernel("aten.avg_pool2d_backward", "aten.avg_pool3d_backward")
def avg_pool_backward(
    op: Any, grad: Any, x: Any, kernel_size: Any, stride: Any, padding: Any, ceil_mode: bool,
    count_include_pad: bool, divisor_override: int | None,
) -> Any:  # fmt: skip
    """Each gradient, divided by its window's count, goes to every place of the window."""
    require_plain(op, [grad, x])
    if grad.numel() == 0:
        return torch.zeros_like(x)
    axes = _axes(op)
    windows = _Windows(x.shape[x.ndim - axes :], kernel_size, stride, padding, ceil_mode)
    flat = planes(grad, axes)
    divisors = windows.divisors(count_include_pad, divisor_override)
    shares = elementwise("div", flat, converted(divisors, flat.dtype))
    if axes == 2:
        readers = [_readers(*windows.ends(a), windows.sizes[a]) for a in range(axes)]
        if _fit(readers):
            return converted(boxes(shares, readers[0], readers[1], None).view(x.shape), x.dtype)
    # Places of a padded plane by number; those in the padding are -1.
    places = torch.arange(math.prod(windows.sizes)).view(1, *windows.sizes)
    places = torch.nn.functional.pad(places, windows.padded(), value=-1)
    for a in range(axes):
        places = places.unfold(1 + a, windows.kernel[a], windows.stride[a])
    windowed: tuple[int | slice, ...] = (0, *(slice(0, n) for n in windows.out))
    places = places[windowed].reshape(-1)
    spread = shares.reshape(flat.shape[0], -1, 1)
    spread = spread.expand(-1, -1, math.prod(windows.kernel)).reshape(flat.shape[0], -1)
    result = add_to_places(spread, places.view(1, -1), windows.sizes, skipped=-1)
    return converted(result.view(x.shape), x.dtype)


def _readers(
    begin: torch.Tensor, end: torch.Tensor, size: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """For each place of an axis the first window over it, and the one after the last.

    Windows begin and end in ascending order.
    """
    places = torch.arange(size)
    first = torch.searchsorted(end.contiguous(), places, right=True)
    return first, torch.searchsorted(begin.contiguous(), places, right=True)


def _fit(readers: Sequence[_Ends]) -> bool:
    """Whether no place is read more often than the kernel for boxes takes."""
    most = [int((end - begin).max()) if end.numel() else 0 for begin, end in readers]
    return math.prod(most) <= BLOCK and min(most, default=0) >= 0


def _cells(size: int, out: int) -> list[tuple[int, int]]:
    """First and last place of each cell of adaptive pooling along an axis."""
    return [(i * size // out, -(-(i + 1) * size // out)) for i in range(out)]


def _cell_ends(size: int, out: int) -> _Ends:
    """The same as tensors: the first place of each cell, and the one after its last."""
    ends = torch.tensor(_cells(size, out), dtype=torch.int64).view(-1, 2)
    return ends[:, 0], ends[:, 1]


def _areas(cells: Sequence[_Ends]) -> torch.Tensor:
    """How many places each cell of an image has, as float64."""
    down, across = (end - begin for begin, end in cells)
    return (down[:, None] * across).double()


def _boxes(sizes: Sequence[int], out: Sequence[int]) -> Iterator[tuple[Any, Any, int]]:
    """For each cell its place in the result, its places in the input and their number."""
    axes = [_cells(size, count) for size, count in zip(sizes, out, strict=True)]
    for place in itertools.product(*(range(count) for count in out)):
        bounds = [axis[i] for axis, i in zip(axes, place, strict=True)]
        cell = tuple(slice(low, high) for low, high in bounds)
        yield place, cell, math.prod(high - low for low, high in bounds)


@kernel("aten._adaptive_avg_pool2d", "aten._adaptive_avg_pool3d")
def adaptive_avg_pool(op: Any, x: Any, output_size: Any) -> Any:
    """The mean of each cell."""
    require_plain(op, [x])
    axes = _axes(op)
    flat = planes(x, axes)
    cells = [_cell_ends(*pair) for pair in zip(flat.shape[1:], output_size, strict=True)]
    if axes == 2 and _fit(cells):
        result = boxes(flat, cells[0], cells[1], _areas(cells))
        return converted(result.view(*x.shape[: x.ndim - axes], *output_size), x.dtype)
    result = torch.empty((flat.shape[0], *output_size), dtype=flat.dtype)
    for place, cell, count in _boxes(flat.shape[1:], output_size):
        total = sum_over(flat[(slice(None), *cell)], range(1, 1 + axes))
        result[(slice(None), *place)] = elementwise("div_scalar", total, scalars=(count,))
    return converted(result.view(*x.shape[: x.ndim - axes], *output_size), x.dtype)


@kernel("aten._adaptive_avg_pool2d_backward", "aten._adaptive_avg_pool3d_backward")
def adaptive_avg_pool_backward(op: Any, grad: Any, x: Any) -> Any:
    """Each gradient, divided by its cell's area, goes to every place of the cell."""
    require_plain(op, [grad, x])
    axes = _axes(op)
    flat = planes(grad, axes)
    sizes = x.shape[x.ndim - axes :]
    if axes == 2:
        own = [_cell_ends(*pair) for pair in zip(sizes, flat.shape[1:], strict=True)]
        readers = [_readers(*ends, size) for ends, size in zip(own, sizes, strict=True)]
        if _fit(readers):
            given = elementwise("div", flat, converted(_areas(own), flat.dtype))
            return converted(boxes(given, readers[0], readers[1], None).view(x.shape), x.dtype)
    numbers = torch.arange(math.prod(sizes)).view(sizes)
    places, cells, counts = [], [], []
    for number, (_, cell, count) in enumerate(_boxes(sizes, flat.shape[1:])):
        places.append(numbers[cell].reshape(-1))
        cells.append(torch.full((count,), number))
        counts.append(count)
    shares = elementwise("div", flat.flatten(1), torch.tensor(counts, dtype=flat.dtype))
    spread = shares.index_select(1, torch.cat(cells))
    result = add_to_places(spread, torch.cat(places).view(1, -1), sizes)
    return converted(result.view(x.shape), x.dtype)


@kernel(
    *(
        f"aten.{kind}{axes}d_backward"
        for kind in ("upsample_nearest", "_upsample_nearest_exact")
        for axes in "123"
    )
)
def upsample_nearest_backward(
    op: Any, grad: Any, output_size: Any, input_size: Any, *scales: Any
) -> Any:
    """Each gradient goes to the place that was copied."""
    require_plain(op, [grad])
    sizes = list(input_size[2:])
    flat = planes(grad, len(sizes))
    places = torch.arange(math.prod(sizes), dtype=torch.float64).view(1, 1, *sizes)
    forward = getattr(torch.ops.aten, name_of(op).removeprefix("aten.").removesuffix("_backward"))
    source = exact(forward)(places, list(output_size), *scales).to(torch.int64)
    result = add_to_places(flat.reshape(flat.shape[0], -1), source.view(1, -1), sizes)
    return converted(result.view(list(input_size)), grad.dtype)
