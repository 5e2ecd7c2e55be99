"""Random numbers: Philox4x32-10 under a key that the generator gives out a call.

The key of a call is a 64-bit draw from torch's own generator, which is integer arithmetic and the
same everywhere. So seeds, states, explicit generators, forks and loader workers are torch's, and
each element depends on the key and its place alone (docs/arithmetic.md, "Random numbers").

Tensors of parameters broadcast against each other, and results have the shape to which they do.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from samebits.arithmetic import _exact
from samebits.arithmetic.kernels import FLOATING, converted, elementwise
from samebits.arithmetic.operations.arguments import broadcast_shape, demand, require_plain
from samebits.arithmetic.refusal import not_exact
from samebits.arithmetic.registry import decomposition, kernel, name_of

Generator = torch.Generator | None


def next_key(op: Any, generator: Generator) -> int:
    """The key of the next random call: 64 bits from a generator, the default one unless given.

    Raises:
        RuntimeError: The generator is not of the CPU.
    """
    if generator is not None and generator.device.type != "cpu":
        raise RuntimeError(
            f"{name_of(op)}: expected a generator of the cpu, not of {generator.device}"
        )
    drawn = torch.empty((), dtype=torch.int64, device="cpu").random_(
        -(2**63), None, generator=generator
    )
    return int(drawn.item()) & (2**64 - 1)


def _demand_floating(op: Any, x: torch.Tensor) -> None:
    require_plain(op, [x])  # before a key is drawn: what is refused moves no generator
    demand(x.is_floating_point() or x.is_complex(), op, f"{x.dtype} cannot hold such numbers")


def _fill(op: Any, target: torch.Tensor, fill: Any) -> torch.Tensor:
    """Let `fill` write float32 values for each element, and put them into the target."""
    require_plain(op, [target])
    direct = target.dtype == torch.float32 and target.is_contiguous()
    values = target if direct else torch.empty(target.shape, dtype=torch.float32, device="cpu")
    if values.numel():
        fill(values)
    if not direct:
        target.copy_(converted(values, target.dtype) if target.dtype in FLOATING else values)
    return target


@kernel("aten.uniform_")
def uniform_(
    op: Any, x: Any, low: float = 0, high: float = 1, *, generator: Generator = None
) -> Any:
    """Low + u (high − low), u of 24 bits."""
    _demand_floating(op, x)
    demand(low <= high, op, f"from must not exceed to, but {low} > {high}")
    if x.is_floating_point():
        demand(high - low <= torch.finfo(x.dtype).max, op, "to - from exceeds the dtype's range")
    key = next_key(op, generator)
    return _fill(op, x, lambda values: _exact.random_uniform(values, key, low, high))


@kernel("aten.normal_")
def normal_(
    op: Any, x: Any, mean: float = 0, std: float = 1, *, generator: Generator = None
) -> Any:
    """Mean + std z, z in pairs by Box and Muller."""
    _demand_floating(op, x)
    demand(std >= 0, op, f"std must not be negative, but is {std}")
    key = next_key(op, generator)
    return _fill(op, x, lambda values: _exact.random_normal(values, key, mean, std))


@kernel("aten.normal.Tensor_float", "aten.normal.float_Tensor", "aten.normal.Tensor_Tensor")
def normal(op: Any, mean: Any, std: Any = 1.0, *, generator: Generator = None) -> Any:
    """Normal numbers with a mean and a deviation for each element."""
    tensors = [t for t in (mean, std) if isinstance(t, torch.Tensor)]
    require_plain(op, tensors)
    for tensor in tensors:
        _demand_floating(op, tensor)
    smallest = torch.as_tensor(std).min() if torch.as_tensor(std).numel() else torch.zeros(())
    demand(bool(smallest >= 0), op, "std must not be negative")
    shape = broadcast_shape(*tensors)
    z = torch.empty(shape, dtype=torch.float32, device="cpu")
    _exact.random_normal(z, next_key(op, generator), 0.0, 1.0)
    z = converted(z, tensors[0].dtype)
    scaled = (
        elementwise("mul", z, std)
        if isinstance(std, torch.Tensor)
        else elementwise("mul_scalar", z, scalars=(std,))
    )
    return (
        elementwise("add", scaled, mean)
        if isinstance(mean, torch.Tensor)
        else elementwise("add_scalar", scaled, scalars=(mean,))
    )


@kernel("aten.exponential_")
def exponential_(op: Any, x: Any, rate: float = 1, *, generator: Generator = None) -> Any:
    """−log(u) / rate."""
    _demand_floating(op, x)
    demand(rate > 0, op, f"the rate must be positive, but is {rate}")
    key = next_key(op, generator)
    return _fill(op, x, lambda values: _exact.random_exponential(values, key, rate))


def _threshold(op: Any, p: float) -> int:
    demand(0 <= p <= 1, op, f"a probability lies between 0 and 1, not {p}")
    return round(p * 2**32)


@kernel("aten.bernoulli_.float")
def bernoulli_(op: Any, x: Any, p: float = 0.5, *, generator: Generator = None) -> Any:
    """1 where the word is below p 2³², else 0."""
    threshold = _threshold(op, p)
    key = next_key(op, generator)
    if x.dtype == torch.float32 or x.dtype in FLOATING:
        return _fill(op, x, lambda values: _exact.random_bernoulli(values, key, threshold))
    values = torch.empty(x.shape, dtype=torch.float32, device="cpu")
    _exact.random_bernoulli(values, key, threshold)
    return x.copy_(values)


@kernel("aten.bernoulli.p")
def bernoulli_p(op: Any, x: Any, p: float = 0.5, *, generator: Generator = None) -> Any:
    """`bernoulli_` into a new tensor like x."""
    return bernoulli_(op, torch.empty_like(x), p, generator=generator)


@kernel("aten.bernoulli")
def bernoulli(op: Any, p: Any, *, generator: Generator = None) -> Any:
    """1 where a uniform number is below p, for each element's own p."""
    return bernoulli_tensor_(op, torch.empty_like(p), p, generator=generator)


@kernel("aten.bernoulli_.Tensor")
def bernoulli_tensor_(op: Any, x: Any, p: Any, *, generator: Generator = None) -> Any:
    """`bernoulli` in place."""
    require_plain(op, [x, p])
    demand(bool(((p >= 0) & (p <= 1)).all()), op, "probabilities lie between 0 and 1")
    u = torch.empty(x.shape, dtype=torch.float32, device="cpu")
    if u.numel():
        _exact.random_uniform(u, next_key(op, generator), 0.0, 1.0)
    return x.copy_(u < p)


@kernel("aten.native_dropout")
def native_dropout(op: Any, x: Any, p: float, train: Any) -> Any:
    """X mask / (1 − p), and the mask."""
    if not train or p == 0:
        return x.clone(), torch.ones_like(x, dtype=torch.bool)
    mask = torch.empty(x.shape, dtype=torch.float32, device="cpu")
    threshold = _threshold(op, 1 - p)
    if mask.numel():
        _exact.random_bernoulli(mask, next_key(op, None), threshold)
    kept = converted(mask, torch.float64) if x.dtype == torch.float64 else mask
    scale = elementwise("div_scalar", kept, scalars=(1 - p,)) if p < 1 else kept
    return elementwise("mul", x, converted(scale, x.dtype)), mask != 0


def _words(op: Any, count: int, generator: Generator) -> torch.Tensor:
    """64-bit words: two of the stream's, the first one the low half."""
    words = torch.empty(2 * count, dtype=torch.int32, device="cpu")
    if count:
        _exact.random_words(words, next_key(op, generator))
    return words.view(torch.int64)


def _whole(op: Any, shape: Any, low: int, high: int, generator: Generator) -> torch.Tensor:
    """Low + the word modulo (high − low)."""
    demand(low < high, op, f"from must be below to, but {low} >= {high}")
    words = _words(op, math.prod(shape), generator)
    span = high - low
    if span >= 2**64:
        return words.view(shape)
    if span > 2**62:
        raise not_exact(name_of(op), f"a range of {span} numbers is too wide")
    # The upper 63 bits, so that the remainder is that of a number which is not negative.
    return (((words >> 1) & (2**63 - 1)) % span + low).view(shape)


@kernel("aten.randint", "aten.randint.generator")
def randint(op: Any, high: int, size: Any, *, generator: Generator = None, **options: Any) -> Any:
    """Whole numbers from 0."""
    return _whole(op, size, 0, high, generator).to(options.get("dtype") or torch.int64)


@kernel("aten.randint.low", "aten.randint.low_generator")
def randint_low(
    op: Any, low: int, high: int, size: Any, *, generator: Generator = None, **options: Any
) -> Any:
    """Whole numbers between two."""
    return _whole(op, size, low, high, generator).to(options.get("dtype") or torch.int64)


@kernel("aten.randint_like")
def randint_like(op: Any, x: Any, high: int, **options: Any) -> Any:
    """Whole numbers from 0, in a shape like x's."""
    return _whole(op, x.shape, 0, high, None).to(options.get("dtype") or x.dtype)


@kernel("aten.randint_like.low_dtype")
def randint_like_low(op: Any, x: Any, low: int, high: int, **options: Any) -> Any:
    """Whole numbers between two, in a shape like x's."""
    return _whole(op, x.shape, low, high, None).to(options.get("dtype") or x.dtype)


_FLOAT_BITS = {torch.float16: 11, torch.bfloat16: 8, torch.float32: 24, torch.float64: 53}


@kernel("aten.random_", "aten.random_.to", "aten.random_.from")
def random_(op: Any, x: Any, *bounds: Any, generator: Generator = None) -> Any:
    """Whole numbers over the range of the dtype, or between bounds."""
    if len(bounds) == 2 and bounds[1] is not None:
        low, high = bounds
    elif len(bounds) == 1:
        low, high = 0, bounds[0]
    else:
        low = bounds[0] if bounds else 0
        if x.dtype == torch.bool:
            high = 2
        elif x.dtype in _FLOAT_BITS:
            high = 2 ** _FLOAT_BITS[x.dtype] + 1
        else:
            high = torch.iinfo(x.dtype).max + 1
    if x.dtype == torch.int64 and high - low > 2**62:
        words = _words(op, x.numel(), generator).view(x.shape)
        if low == 0:
            return x.copy_((words >> 1) & (2**63 - 1))
        if high - low < 2**64:
            raise not_exact(name_of(op), f"a range of {high - low} numbers is too wide")
        return x.copy_(words)
    return x.copy_(_whole(op, x.shape, low, high, generator))


@kernel("aten.randperm", "aten.randperm.generator")
def randperm(op: Any, n: int, *, generator: Generator = None, **options: Any) -> Any:
    """The order that sorts n random words; equal ones keep theirs."""
    demand(n >= 0, op, f"n must not be negative, but is {n}")
    words = _words(op, n, generator)
    order = torch.empty_like(words)
    _exact.order_of_words(order, words)
    return order.to(options.get("dtype") or torch.int64)


@kernel("aten.rand", "aten.rand.generator")
def rand(op: Any, size: Any, *, generator: Generator = None, **options: Any) -> Any:
    """Uniform numbers between 0 and 1."""
    return uniform_(op, _made(size, options), generator=generator)


@kernel("aten.randn", "aten.randn.generator")
def randn(op: Any, size: Any, *, generator: Generator = None, **options: Any) -> Any:
    """Normal numbers."""
    return normal_(op, _made(size, options), generator=generator)


def _made(size: Any, options: dict[str, Any]) -> torch.Tensor:
    known = {k: v for k, v in options.items() if k in ("dtype", "layout", "device", "pin_memory")}
    return torch.empty(size, **known)


@kernel("aten.rand_like")
def rand_like(op: Any, x: Any, **options: Any) -> Any:
    """Uniform numbers in a tensor like x."""
    return uniform_(op, torch.empty_like(x, **options))


@kernel("aten.randn_like")
def randn_like(op: Any, x: Any, **options: Any) -> Any:
    """Normal numbers in a tensor like x."""
    return normal_(op, torch.empty_like(x, **options))


@decomposition("aten.multinomial")
def multinomial(
    op: Any, p: Any, samples: int, replacement: bool = False, *, generator: Generator = None
) -> Any:
    """The largest p / e for exponential e; with replacement each draw anew."""
    require_plain(op, [p])
    demand(p.is_floating_point() and p.ndim in (1, 2), op, "one or two axes of probabilities")
    flat = p.unsqueeze(0) if p.ndim == 1 else p
    enough = replacement or samples <= flat.shape[-1]
    demand(samples > 0 and enough, op, f"cannot draw {samples} from {flat.shape[-1]}")
    demand(
        not bool((~(flat >= 0) | torch.isinf(flat)).any()), op, "probabilities are finite, and >= 0"
    )
    demand(not bool((flat == 0).all(-1).any()), op, "a row has no positive probability")
    draws = samples if replacement else 1
    shape = (flat.shape[0], draws, flat.shape[1])
    e = torch.empty(shape, dtype=torch.float32, device="cpu")
    _exact.random_exponential(e, next_key(op, generator), 1.0)
    scores = elementwise("div", converted(flat, torch.float32).unsqueeze(1), e)
    if replacement:
        chosen = scores.argmax(-1)
    else:
        chosen = torch.sort(scores.squeeze(1), dim=-1, descending=True, stable=True).indices[
            :, :samples
        ]
    return chosen.squeeze(0) if p.ndim == 1 else chosen
