"""What torch makes of its own functions: the operations that it calls, forward and backward.

The operations are defined in docs/arithmetic.md. Which of them a layer, a loss, a derivative or an
optimizer consists of is torch's, and is recorded here for functions of each kind.
"""

from __future__ import annotations

import math
import string
from collections.abc import Callable
from typing import Any

import torch
from tests.arithmetic.operator_database.outcome import digest
from torch.nn import functional as F  # noqa: N812
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

import samebits

Program = Callable[[], Any]


def numbers(*shape: int, above: float = 0.0) -> torch.Tensor:
    """Multiples of ⅛ from −¾ to ⅞ that differ from place to place, shifted; a leaf."""
    count = torch.arange(math.prod(shape), dtype=torch.int64)
    values = (count * 5 % 14 - 6).to(torch.float32) / 8 + above
    return values.reshape(shape).requires_grad_()


class Recorder(TorchDispatchMode):
    """Writes a line for each operation, with a name for each tensor.

    Attributes:
        lines: Such as "2 = mul.Tensor(a, 1)".
    """

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._names: dict[Any, str] = {}
        self._held: list[torch.Tensor] = []  # memory that is given back gets another's address
        self._count = 0

    def name(self, tensor: torch.Tensor, name: str | None = None) -> str:
        """Call a tensor by a name from now on; by the next number unless given."""
        if name is None:
            self._count += 1
            name = str(self._count)
        self._held.append(tensor)
        self._names[_place(tensor)] = name
        return name

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        words = [self._word(one) for one in args]
        words += [
            f"{name}={self._word(one)}"
            for name, one in (kwargs or {}).items()
            if name not in ("layout", "device", "pin_memory") and one is not None
        ]
        result = func(*args, **(kwargs or {}))
        found = [one for one in tree_leaves(result) if isinstance(one, torch.Tensor)]
        if func is not torch.ops.aten.detach.default:
            names = f"{', '.join(map(self.name, found))} = " if found else ""
            name = str(func).removeprefix("aten.").removesuffix(".default")
            self.lines.append(f"{names}{name}({', '.join(words)})")
        return result

    def _word(self, one: Any) -> str:
        if isinstance(one, torch.Tensor):
            return self._names.get(_place(one)) or f"new{list(one.shape)}"
        if isinstance(one, (list, tuple)):
            return f"[{', '.join(map(self._word, one))}]"
        return str(one).removeprefix("torch.")


def _place(tensor: torch.Tensor) -> Any:
    memory = tensor.untyped_storage().data_ptr() or id(tensor)
    return memory, tensor.storage_offset(), tuple(tensor.shape), tensor.stride(), tensor.dtype


def recorded(function: Callable[..., Any], *given: torch.Tensor) -> list[str]:
    """The operations of a function and its derivative, and a name for all their bits.

    Args:
        function: What is called; its results are tensors.
        given: What it is called with: a, b, c … Slopes of its results are s0, s1 …
    """
    torch.default_generator.manual_seed(0)
    record = Recorder()
    for tensor, name in zip(given, string.ascii_lowercase, strict=False):
        record.name(tensor, name)
    if isinstance(function, torch.nn.Module):
        for place, parameter in enumerate(function.parameters()):
            record.name(parameter, f"p{place}")
    with samebits.exact(), record:
        result = function(*given)
    lines = [f"  {line}" for line in record.lines]
    ends = [one for one in tree_leaves(result) if one.requires_grad]
    gradients: Any = ()
    if ends:
        slopes = [numbers(*one.shape).detach() for one in ends]
        for place, slope in enumerate(slopes):
            record.name(slope, f"s{place}")
        record.lines.clear()
        wanted = [one for one in given if one.requires_grad]
        with samebits.exact(), record:
            gradients = torch.autograd.grad(ends, wanted, slopes, allow_unused=True)
        lines += ["  derivative", *(f"  {line}" for line in record.lines)]
    return [*lines, f"  bits {digest((result, gradients)).rpartition(':')[2]}"]


def of_module(module: torch.nn.Module) -> torch.nn.Module:
    """A module whose parameters p0, p1 … have the values of `numbers`, and are not derived for."""
    for parameter in module.parameters():
        parameter.data = numbers(*parameter.shape).detach()
    return module


def step_of(kind: str, **options: Any) -> Callable[..., Any]:
    """Two steps of an optimizer for a parameter a with gradients b and c."""

    def steps(parameter: torch.Tensor, *gradients: torch.Tensor) -> torch.Tensor:
        own = parameter.detach().clone()
        optimizer = getattr(torch.optim, kind)([own], **{"foreach": False, **options})
        for gradient in gradients:
            own.grad = gradient.detach().clone()
            optimizer.step()
        return own

    return steps


OF_ONE_NUMBER = """
abs exp exp2 expm1 sin cos tan tanh sigmoid erf square neg relu sinh cosh asinh sinc
logsigmoid_ softsign_ tanhshrink_ selu_ relu6_ gelu_ silu_ softplus_ hardswish_ mish_
"""
"""Functions of torch, and with _ of torch.nn.functional."""


def functions() -> dict[str, tuple[Any, ...]]:
    """What is recorded: a function and what it is given, by its name."""
    x, y, z = numbers(2, 3), numbers(2, 3, above=0.25), numbers(2, 3, above=1)
    row, rows = numbers(3), numbers(2, 4, 3)
    classes = torch.tensor([2, 0])
    found: dict[str, tuple[Any, ...]] = {}
    for name in OF_ONE_NUMBER.split():
        function = getattr(F, name[:-1]) if name.endswith("_") else getattr(torch, name)
        found[name.removesuffix("_")] = (function, x)
    for name in ("log", "log2", "log10", "log1p", "sqrt", "rsqrt", "reciprocal", "acosh"):
        found[name] = (getattr(torch, name), numbers(2, 3, above=2))
    for name in ("add", "sub", "mul", "maximum", "minimum", "fmod", "remainder", "logaddexp"):
        found[name] = (getattr(torch, name), x, row)
    for name in ("div", "pow", "hypot", "xlogy"):
        found[name] = (getattr(torch, name), z, numbers(3, above=2))
    for name in ("sum", "mean", "prod", "var", "std", "amax", "amin", "logsumexp"):
        found[f"{name} of rows"] = (_with(getattr(torch, name), 1), x)
    for name in ("cumsum", "cumprod", "logcumsumexp", "softmax", "log_softmax"):
        found[name] = (_with(getattr(torch, name), 1), y)
    found |= {
        "pow, scalar": (lambda a: a.pow(3), x),
        "pow, fraction": (lambda a: a.pow(0.3), z),
        "clamp": (lambda a: a.clamp(-0.25, 0.5), x),
        "where": (lambda a, b: torch.where(a > b, a, b), x, y),
        "lerp": (lambda a, b: torch.lerp(a, b, 0.25), x, y),
        "addcdiv": (
            lambda a, b, c: torch.addcdiv(a, b, c, value=0.5),
            x,
            y,
            numbers(2, 3, above=2),
        ),
        "max, all": (torch.max, x),
        "max of rows": (lambda a: torch.max(a, 1)[0], x),
        "median of rows": (lambda a: torch.median(a, 1)[0], x),
        "sort": (lambda a: torch.sort(a, stable=True)[0], x),
        "norm, 1": (lambda a: torch.linalg.vector_norm(a, 1, 1), x),
        "norm, 2": (lambda a: torch.linalg.vector_norm(a, 2, 1), x),
        "norm, 3": (lambda a: torch.linalg.vector_norm(a, 3, 1), y),
        "norm, infinity": (lambda a: torch.linalg.vector_norm(a, math.inf, 1), x),
        "trace": (torch.trace, x),
        "outer": (torch.outer, row, numbers(2)),
        "cross": (torch.linalg.cross, x, y),
        "gather": (lambda a: a.gather(1, torch.tensor([[0, 0], [2, 1]])), x),
        "index": (lambda a: a[torch.tensor([1, 0, 1])], x),
        "index_add": (lambda a, b: a.index_add(0, torch.tensor([1, 1]), b), x, y),
        "scatter_add": (
            lambda a, b: a.scatter_add(1, torch.tensor([[0, 0, 1], [2, 0, 2]]), b),
            x,
            y,
        ),
        "masked_fill": (lambda a: a.masked_fill(a > 0, 2.0), x),
        "cat": (lambda a, b: torch.cat([a, b]), x, y),
        "matmul": (torch.matmul, x, numbers(3, 2)),
        "matmul, batched": (torch.matmul, rows, numbers(2, 3, 2)),
        "matmul, vector": (torch.matmul, rows, row),
        "baddbmm": (torch.baddbmm, numbers(2, 4, 2), rows, numbers(2, 3, 2)),
        "linear": (F.linear, x, numbers(4, 3), numbers(4)),
        "linear, sequences": (F.linear, rows, numbers(4, 3), numbers(4)),
        "linear, no bias": (F.linear, rows, numbers(4, 3)),
        "einsum": (lambda a, b: torch.einsum("bij,bkj->bik", a, b), rows, numbers(2, 2, 3)),
        "bilinear": (F.bilinear, x, numbers(2, 2), numbers(3, 3, 2)),
        "conv1d": (F.conv1d, numbers(1, 2, 5), numbers(2, 2, 3), numbers(2)),
        "conv2d": (F.conv2d, numbers(1, 2, 4, 4), numbers(2, 2, 3, 3), numbers(2)),
        "conv_transpose2d": (F.conv_transpose2d, numbers(1, 2, 2, 2), numbers(2, 2, 3, 3)),
        "rms_norm": (lambda a, w: F.rms_norm(a, (3,), w), x, row),
        "layer_norm": (lambda a, w, b: F.layer_norm(a, (3,), w, b), x, row, numbers(3, above=1)),
        "instance_norm": (F.instance_norm, numbers(1, 2, 4)),
        "normalize": (F.normalize, x),
        "cosine_similarity": (F.cosine_similarity, x, y),
        "pairwise_distance": (F.pairwise_distance, x, y),
        "local_response_norm": (_with(F.local_response_norm, 2), numbers(1, 3, 4)),
        "lp_pool1d": (lambda a: F.lp_pool1d(a, 3, 2), numbers(1, 1, 4, above=1)),
        "dropout": (F.dropout, x),
        "alpha_dropout": (F.alpha_dropout, x),
        "scaled_dot_product_attention": (F.scaled_dot_product_attention, rows, rows, rows),
        "embedding": (lambda a: F.embedding(torch.tensor([1, 0, 1]), a), x),
        "cross_entropy": (lambda a: F.cross_entropy(a, classes), x),
        "cross_entropy, smoothed": (lambda a: F.cross_entropy(a, classes, label_smoothing=0.1), x),
        "cross_entropy, probabilities": (
            F.cross_entropy,
            x,
            torch.tensor([[0.5, 0.25, 0.25], [0.125, 0.5, 0.375]]),
        ),
        "mse_loss": (F.mse_loss, x, y),
        "l1_loss": (F.l1_loss, x, y),
        "smooth_l1_loss": (F.smooth_l1_loss, x, y),
        "huber_loss": (F.huber_loss, x, y),
        "binary_cross_entropy_with_logits": (F.binary_cross_entropy_with_logits, x, y.detach()),
        "kl_div": (lambda a, b: F.kl_div(a, b, reduction="batchmean"), x, z),
        "kl_div, logarithms": (lambda a, b: F.kl_div(a, b, log_target=True), x, y),
        "gaussian_nll_loss": (F.gaussian_nll_loss, x, y, numbers(2, 3, above=2)),
        "poisson_nll_loss": (F.poisson_nll_loss, x, z),
        "hinge_embedding_loss": (F.hinge_embedding_loss, x, torch.ones(2, 3)),
        "soft_margin_loss": (F.soft_margin_loss, x, torch.ones(2, 3)),
        "margin_ranking_loss": (F.margin_ranking_loss, row, numbers(3, above=1), torch.ones(3)),
        "cosine_embedding_loss": (F.cosine_embedding_loss, x, y, torch.ones(2)),
        "triplet_margin_loss": (F.triplet_margin_loss, x, y, z),
        "multilabel_soft_margin_loss": (F.multilabel_soft_margin_loss, x, torch.ones(2, 3)),
        "RNN cell": (of_module(torch.nn.RNNCell(3, 2)), x),
        "LSTM cell": (of_module(torch.nn.LSTMCell(3, 2)), x),
        "GRU cell": (of_module(torch.nn.GRUCell(3, 2)), x),
        "LSTM": (of_module(torch.nn.LSTM(3, 2)), numbers(2, 1, 3)),
        "GRU": (of_module(torch.nn.GRU(3, 2)), numbers(2, 1, 3)),
        "MultiheadAttention": (of_module(SelfAttention()), numbers(2, 1, 4)),
        "clip_grad_norm_": (_clipped, x, y),
        "SGD": (step_of("SGD", lr=0.1, momentum=0.9, weight_decay=0.01), x, y, z),
        "SGD, Nesterov": (step_of("SGD", lr=0.1, momentum=0.9, nesterov=True), x, y, z),
        "Adam": (step_of("Adam", amsgrad=True, weight_decay=0.01), x, y, z),
        "AdamW": (step_of("AdamW"), x, y, z),
        "NAdam": (step_of("NAdam"), x, y, z),
        "RAdam": (step_of("RAdam"), x, *[y] * 6),
        "Adamax": (step_of("Adamax"), x, y, z),
        "Adagrad": (step_of("Adagrad", lr_decay=0.1), x, y, z),
        "Adadelta": (step_of("Adadelta"), x, y, z),
        "RMSprop": (step_of("RMSprop", momentum=0.9, centered=True), x, y, z),
        "Rprop": (step_of("Rprop"), x, y, z),
        "ASGD": (step_of("ASGD"), x, y, z),
        "NAdam, foreach": (step_of("NAdam", foreach=True), x, y, z),
        "RAdam, foreach": (step_of("RAdam", foreach=True), x, *[y] * 6),
        "Adagrad, foreach": (step_of("Adagrad", lr_decay=0.1, foreach=True), x, y, z),
        "Adafactor": (step_of("Adafactor"), x, y, z),
    }
    return found


def _with(function: Callable[..., Any], *rest: Any) -> Callable[..., Any]:
    return lambda *given: function(*given, *rest)


class SelfAttention(torch.nn.Module):
    """Attention of a sequence to itself, with two heads."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.MultiheadAttention(4, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x, x, x, need_weights=False)[0]  # type: ignore[no-any-return]


def _clipped(x: torch.Tensor, y: torch.Tensor) -> Any:
    parameter = torch.nn.Parameter(x.detach().clone())
    parameter.grad = y.detach().clone()
    norm = torch.nn.utils.clip_grad_norm_([parameter], 0.5, foreach=False)
    return norm, parameter.grad
