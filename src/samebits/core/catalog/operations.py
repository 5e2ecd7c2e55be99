"""Operations that do not repeat somewhere: what operations.toml says of them."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from samebits.core.catalog.tables import read_table

Mode = Literal["raises", "switches", "nothing"]

DTYPES: Final = ("floating", "inexact", "integral", "quantized")
DEVICES: Final = ("cuda", "cpu", "any")
PHASES: Final = ("forward", "backward", "any")
MODES: Final = ("raises", "switches", "nothing")


@dataclass(frozen=True, kw_only=True)
class ForwardOutput:
    """A condition on the forward operation at the same line as a backward one.

    Attributes:
        op: The forward operation.
        output: Which of its outputs, counted from 0.
        ndim: The number of dimensions that this output has when the condition holds.
    """

    op: str
    output: int
    ndim: int


@dataclass(frozen=True, kw_only=True)
class Call:
    """What a call in code has to look like to meet an entry.

    Attributes:
        argument: The argument that decides; "" when every call meets the entry.
        position: Its place, counted from 0, where it may be given without its name.
        values: What it has to be; empty when it only has to be given.
    """

    argument: str = ""
    position: int | None = None
    values: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Operation:
    """One entry of the catalog; operations.toml explains the fields.

    Attributes:
        ops: Names as traces show them, without an overload or with one.
        api: What people write that ends in this operation.
        device: "cuda", "cpu" or "any".
        phase: "forward", "backward" or "any".
        when: The condition, in words.
        mode: What `torch.use_deterministic_algorithms(True)` does.
        why: Why it does not repeat.
        instead: What to write.
        since: First version of torch that the entry speaks of, such as "2.13", or None.
        until: First version that it does not speak of any more, or None.
        dtype: One of `DTYPES`: what the first output has to be.
        ndim: Dimensions that the first output has to have.
        forward: What the forward operation has to have returned.
        unless: An environment variable under which the entry does not hold.
        visible: Whether recorded rows can tell that the condition holds.
        call: What a call in code has to look like; None where code does not tell.
        documented: What torch's documentation says of `api`; "" for nothing.
        evidence: What the entry goes by where that is something else.
    """

    ops: tuple[str, ...]
    api: tuple[str, ...]
    device: str
    phase: str
    when: str
    mode: Mode
    why: str
    instead: str
    since: str | None = None
    until: str | None = None
    dtype: str | None = None
    ndim: int | None = None
    forward: ForwardOutput | None = None
    unless: str | None = None
    visible: bool = True
    call: Call | None = None
    documented: str
    evidence: str = ""

    def __post_init__(self) -> None:
        choices = (
            (self.device, DEVICES),
            (self.phase, PHASES),
            (self.mode, MODES),
            (self.dtype, (None, *DTYPES)),
        )
        assert all(value in allowed for value, allowed in choices), self
        assert all((self.ops, self.api, self.when, self.why, self.instead)), self

    def speaks_of(self, torch: str | None) -> bool:
        """Whether the entry is about a version of torch.

        Args:
            torch: A version such as "2.13.0+cpu"; None stands for the newest.
        """
        known = None if torch is None else _version(torch)
        if known is None:
            return self.until is None
        first, end = (None if v is None else _version(v) for v in (self.since, self.until))
        return (first is None or known >= first) and (end is None or known < end)


class OperationName(NamedTuple):
    """A name as traces show it, in its parts.

    Attributes:
        operator: Namespace and operator without the mark of an in-place form: "aten.cumsum".
        overload: Such as "dim"; "" for the default one.
    """

    operator: str
    overload: str


def operation_name(name: str) -> OperationName:
    """Take a recorded name apart: "aten.index_put_" is ("aten.index_put", "")."""
    namespace, _, rest = name.partition(".")
    operator, _, overload = rest.partition(".")
    return OperationName(f"{namespace}.{operator.removesuffix('_')}", overload)


@functools.cache
def operations() -> tuple[Operation, ...]:
    """Every entry of operations.toml, in its order."""
    found = []
    for entry in read_table("operation"):
        for key in ("ops", "api"):
            entry[key] = tuple(entry[key])
        if "forward" in entry:
            entry["forward"] = ForwardOutput(**entry["forward"])
        if "call" in entry:
            entry["call"] = _call(entry["call"])
        found.append(Operation(**{"documented": entry["mode"], **entry}))
    return tuple(found)


def _call(written: str | dict[str, Any]) -> Call:
    if isinstance(written, str):
        assert written == "always", written
        return Call()
    return Call(**{**written, "values": tuple(written.get("values", ()))})


def entries_for(name: str) -> tuple[Operation, ...]:
    """The entries about an operation, whatever their conditions.

    Args:
        name: As a trace shows it: "aten.cumsum_", "aten.median.dim".
    """
    operator, overload = operation_name(name)
    return tuple(
        entry for wanted, entry in _by_operator().get(operator, ()) if wanted in ("", overload)
    )


def operators() -> frozenset[str]:
    """Namespace and operator of every operation that an entry names: "aten.cumsum"."""
    return frozenset(_by_operator())


@functools.cache
def _by_operator() -> dict[str, Sequence[tuple[str, Operation]]]:
    """Operator → (overload or "" for all of them, entry)."""
    found: dict[str, list[tuple[str, Operation]]] = {}
    for entry in operations():
        for name in entry.ops:
            operator, overload = operation_name(name)
            found.setdefault(operator, []).append((overload, entry))
    return {**found}


def _version(text: str) -> tuple[int, int] | None:
    """Major and minor number; None where there are none, as in a build without a version."""
    numbers = re.match(r"(\d{1,6})\.(\d{1,6})", text)
    return None if numbers is None else (int(numbers[1]), int(numbers[2]))
