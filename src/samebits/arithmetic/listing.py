"""What is known of operations without running any: whether covered, for which dtypes, by what.

It is read off the table and torch's schemas. What an operation refuses for its values (a number
that does not fit) or for a combination of arguments shows only when it runs.
"""

from __future__ import annotations

import difflib
import fnmatch
import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import torch

import samebits.arithmetic.operations.all  # noqa: F401  fills the table
from samebits.arithmetic import registry
from samebits.arithmetic.forms import complex_by, computed_by, functional_form
from samebits.arithmetic.gate import dtypes_of, is_composed, is_view
from samebits.arithmetic.operations.formulas import is_formula
from samebits.errors import UsageError

SAFE, KERNEL, DECOMPOSITION, FORMULA, COMPOSED, MISSING = (
    "safe", "kernel", "decomposition", "formula", "composed", "missing"
)  # fmt: skip
"""By what an operation is computed."""

MEANING = {
    SAFE: "torch's own result is exact: it moves, compares or counts",
    KERNEL: "by native kernels",
    DECOMPOSITION: "by other operations of the table",
    FORMULA: "by a formula in torch's functions, each of which is exact",
    COMPOSED: "torch itself composes it of others, and is covered as far as they are",
    MISSING: "refused",
}

_NOT_YET = "not covered yet, unless all numbers in it are whole"

_MAX_LENGTH = 200
_MAX_SUGGESTIONS = 5
_PREFIX = re.compile(
    r"^(torch\.ops\.)?(aten\.|aten::)|^(torch\.)?(nn\.)?(functional\.|f\.)|^(torch\.)?(nn\.init\.|nn\.)|"
    r"^(torch\.)?tensor\.|^torch\.",
    re.IGNORECASE,
)
_IN_WORDS = {  # functions that are called otherwise than their operations
    "cross_entropy": ("cross_entropy_loss",),
    "linear": ("linear", "addmm"),
    "batch_norm": ("batch_norm", "native_batch_norm"),
    "binary_cross_entropy_with_logits": ("binary_cross_entropy_with_logits",),
    "conv1d": ("conv1d", "convolution"),
    "conv2d": ("conv2d", "convolution"),
    "conv3d": ("conv3d", "convolution"),
    "interpolate": ("upsample_*", "_upsample_*"),
    "softmin": ("softmax", "_softmax"),
    "matmul": ("matmul", "mm", "bmm"),
    "clip": ("clamp",),
}


@dataclass(frozen=True)
class Listed:
    """What is known of one overload.

    Attributes:
        operation: Its name, such as "aten.add.Tensor".
        how: By what it is computed, one of the words of `MEANING`.
        dtypes: Names of the dtypes for which it is defined, the narrower first; empty where it is
            missing, and where those of its parts decide.
        why: Why it is refused; empty where it is not.
        core: Whether it belongs to Core ATen.
    """

    operation: str
    how: str
    dtypes: tuple[str, ...]
    why: str
    core: bool

    @property
    def covered(self) -> bool:
        """Whether `exact()` computes it for floating-point numbers, as far as the table says."""
        return self.how != MISSING


def listed(op: Any) -> Listed:
    """What is known of an overload.

    Args:
        op: An operation of torch's, `torch.ops.aten.add.Tensor` for instance.
    """
    how, why = _how(op)
    dtypes: registry.Dtypes = frozenset() if how in (MISSING, COMPOSED) else dtypes_of(op)
    if complex_by(op) is not None:
        dtypes = registry.COMPLEX | (dtypes if computed_by(op) is not None else frozenset())
    names = tuple(name for name in _ORDER if getattr(torch, name) in dtypes)
    return Listed(registry.name_of(op), how, names, why, torch.Tag.core in op.tags)


def found(name: str) -> list[Listed]:
    """The overloads that a name means, in the order of their names.

    Args:
        name: As torch's functions, methods and operations are called: "softmax", "aten.add",
            "aten.add.Tensor", "torch.nn.functional.gelu"; or a pattern such as "*pool2d*". Of a
            plain name the derivatives and torch's own inner forms are meant as well.

    Raises:
        UsageError: There is no such operation.
    """
    overloads = [op for op in every_overload() if _meant(name, registry.name_of(op))]
    if not overloads:
        close = _close(name)
        hint = f"Did you mean {', '.join(close)}?" if close else 'Give a pattern such as "*pool*".'
        raise UsageError(f"torch has no operation {name[:_MAX_LENGTH]!r}", hint=hint)
    return [listed(op) for op in overloads]


def core_aten() -> list[Listed]:
    """Every overload that torch counts to Core ATen."""
    return [listed(op) for op in every_overload() if torch.Tag.core in op.tags]


@functools.cache
def every_overload() -> tuple[Any, ...]:
    """Every operation that torch's own library has, by name."""
    prefix = "aten::"
    names = sorted({n for n in torch._C._dispatch_get_all_op_names() if n.startswith(prefix)})
    overloads = []
    for name in names:
        packet, _, overload = name.removeprefix(prefix).partition(".")
        family = getattr(torch.ops.aten, packet, None)
        op = getattr(family, overload or "default", None)
        if isinstance(op, torch._ops.OpOverload):
            overloads.append(op)
    return tuple(overloads)


_ORDER = (
    "bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64",
    "float16", "bfloat16", "float32", "float64", "complex64", "complex128",
)  # fmt: skip


def _how(op: Any) -> tuple[str, str]:
    """By what an operation is computed, and why it is not."""
    if registry.name_of(op) in registry.SAFE or is_view(op):
        return SAFE, ""
    if computed_by(op) is not None:
        row = _row(op)
        if is_formula(row.function):
            return FORMULA, ""
        return (KERNEL if row.how == registry.KERNEL else DECOMPOSITION), ""
    if complex_by(op) is not None:
        return KERNEL, ""
    if is_composed(op):
        return COMPOSED, ""
    if torch.Tag.nondeterministic_seeded in op.tags:
        return MISSING, "not covered yet: it draws random numbers"
    return MISSING, _NOT_YET


def _row(op: Any) -> registry.ExactOperation:
    """The row of an operation that has one, or of its functional form."""
    own = registry.ENTRIES.get(registry.name_of(op))
    return own or registry.ENTRIES[registry.name_of(functional_form(op))]


def _meant(name: str, operation: str) -> bool:
    """Whether a person's name means an overload."""
    name = name.strip()[:_MAX_LENGTH]
    _, _, own = operation.partition(".")
    packet = own.partition(".")[0]
    plain = _PREFIX.sub("", name).removesuffix("()").replace("::", ".").removesuffix(".default")
    if any(sign in name for sign in "*?["):
        return any(fnmatch.fnmatchcase(text, plain) for text in (own, packet, operation))
    exact = "aten." in name or "aten::" in name
    if exact or own == plain:
        return plain in (own, packet)
    key = plain.lower().strip(".").replace(".", "_")  # torch.linalg.qr is linalg_qr
    patterns = _IN_WORDS.get(key, (key, key.removeprefix("special_")))
    inner = packet.strip("_").removeprefix("native_").partition("_backward")[0]
    known = (packet, inner, inner.removesuffix("_forward"))
    return any(fnmatch.fnmatchcase(text, pattern) for text in known for pattern in patterns)


def _close(name: str) -> list[str]:
    """Operations whose names resemble one that is not there, the closest first."""
    plain = _PREFIX.sub("", name[:_MAX_LENGTH]).lower().replace(".", "_").strip("_")
    packets = _packets(every_overload())
    close = difflib.get_close_matches(plain, packets, n=_MAX_SUGGESTIONS, cutoff=0.6)
    within = [other for other in packets if len(plain) > 3 and plain in other]
    return list(dict.fromkeys([*close, *within]))[:_MAX_SUGGESTIONS]


def _packets(overloads: Iterable[Any]) -> list[str]:
    return list(dict.fromkeys(registry.name_of(op).split(".")[1] for op in overloads))
