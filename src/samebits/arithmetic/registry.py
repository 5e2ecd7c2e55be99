"""The one table of how operations are resolved; each file in `operations/` enters its own rows.

A row names an operation that makes a new tensor, and the function that computes it. The function
takes the operation and then the operation's own arguments, whose shapes and meaning are torch's;
the file's docstring says what holds for all of its rows. The forms that write to a tensor are
found by torch's schemas (`samebits.arithmetic.forms`): they have rows of their own only where they
are computed in another way.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

import torch

from samebits.arithmetic.shortcuts import Shortcut

Handler = Callable[..., Any]
F = TypeVar("F", bound=Handler)

KERNEL, DECOMPOSITION = "kernel", "decomposition"

Dtypes = frozenset[torch.dtype]

WHOLE: Dtypes = frozenset(
    getattr(torch, name)
    for name in (
        "bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64",
    )
)  # fmt: skip
HALVES: Dtypes = frozenset({torch.float16, torch.bfloat16})
FLOATS: Dtypes = frozenset({torch.float16, torch.bfloat16, torch.float32, torch.float64})
COMPLEX: Dtypes = frozenset({torch.complex64, torch.complex128})
REAL: Dtypes = WHOLE | FLOATS
"""What an operation may be given, and make, unless its row says otherwise."""


@dataclass(frozen=True)
class ExactOperation:
    """How an operation is computed inside `exact()`.

    Attributes:
        function: Called with the operation and its own arguments.
        how: KERNEL or DECOMPOSITION, for `coverage`.
        binds: Whether the function is called once for each overload, with it and the argument of
            its schema to which it writes (or None), and returns what is called with the arguments.
        writes: Whether the function itself writes to a tensor that is given for the result. It
            takes that tensor, or None, after the operation.
        under_mode: Whether the operations that the function calls are to be exact themselves.
        shortcut: How the dispatcher computes it when its arguments are plain.
        first: Called before the function, with the operation's own arguments and the mode off, by
            the overload that the row names; where it returns None the function is called.
        dtypes: Dtypes of tensors that it may be given, and that may be asked for by `dtype`; the
            gate refuses all others before the function is called (`samebits.arithmetic.gate`).
    """

    function: Handler
    how: str
    binds: bool = False
    writes: bool = False
    under_mode: bool = False
    shortcut: Shortcut | None = None
    first: Handler | None = None
    dtypes: Dtypes = REAL


ENTRIES: dict[str, ExactOperation] = {}
SAFE: dict[str, Dtypes] = {}
"""Names whose results are exact as torch computes them, and the dtypes for which that holds."""


def kernel(
    *names: str,
    binds: bool = False,
    writes: bool = False,
    shortcut: Shortcut | None = None,
    dtypes: Dtypes = REAL,
) -> Callable[[F], F]:
    """Enter a function as what computes these operations, by native kernels.

    Args:
        names: Overloads as torch prints them, without a trailing ".default".
        binds: As for `ExactOperation`.
        writes: As for `ExactOperation`.
        shortcut: As for `ExactOperation`.
        dtypes: As for `ExactOperation`.
    """
    options: dict[str, Any] = {"binds": binds, "writes": writes, "shortcut": shortcut}
    return _entering(names, KERNEL, dtypes=dtypes, **options)


def decomposition(
    *names: str,
    writes: bool = False,
    under_mode: bool = False,
    first: Handler | None = None,
    dtypes: Dtypes = REAL,
) -> Callable[[F], F]:
    """Enter a function that computes these operations by others in the table.

    Args:
        names: As for `kernel`.
        writes: As for `ExactOperation`.
        under_mode: Run the function with the mode on, so that torch's functions in it are exact
            and those that are not covered are refused.
        first: As for `ExactOperation`.
        dtypes: As for `ExactOperation`.
    """
    options: dict[str, Any] = {"writes": writes, "under_mode": under_mode, "first": first}
    return _entering(names, DECOMPOSITION, dtypes=dtypes, **options)


def _entering(names: tuple[str, ...], how: str, **options: Any) -> Callable[[F], F]:
    def enter(function: F) -> F:
        for name in names:
            if name in ENTRIES or name in SAFE:
                raise AssertionError(f"{name} is in the table twice")
            ENTRIES[name] = ExactOperation(function, how, **options)
        return function

    return enter


COMPLEX_ENTRIES: dict[str, ExactOperation] = {}
"""What computes an operation where complex numbers are among its arguments."""


def complex_kernel(*names: str) -> Callable[[F], F]:
    """Enter a function as what computes these operations where complex numbers are among them.

    Args:
        names: As for `kernel`. For real numbers they have rows of their own, if any.
    """

    def enter(function: F) -> F:
        for name in names:
            if name in COMPLEX_ENTRIES or name in SAFE:
                raise AssertionError(f"{name} is in the table twice")
            COMPLEX_ENTRIES[name] = ExactOperation(function, KERNEL, dtypes=REAL | COMPLEX)
        return function

    return enter


def safe(names: Iterable[str], *, dtypes: Dtypes = REAL) -> None:
    """Enter operations whose results are exact as torch computes them.

    Args:
        names: As for `kernel`.
        dtypes: The dtypes for which that holds.
    """
    for name in names:
        if name in ENTRIES or name in SAFE:
            raise AssertionError(f"{name} is in the table twice")
        SAFE[name] = dtypes


def safe_too(names: Iterable[str], dtypes: Dtypes) -> None:
    """Say that operations which are entered as safe are so for further dtypes."""
    for name in names:
        SAFE[name] |= dtypes


_WHOLE_NUMBERS: set[str] = set()


def whole_numbers(packets: Iterable[str]) -> None:
    """Enter operations, with all of their overloads, that torch computes exactly of whole numbers.

    Args:
        packets: Names without overloads: "aten.gcd".
    """
    _WHOLE_NUMBERS.update(packets)


def known_of_whole_numbers(operation: Any) -> bool:
    """Whether torch's own result may be taken where an operation touches whole numbers alone.

    It may for further overloads of what the table knows: those that write to a tensor, or take a
    number in a tensor's place.
    """
    packet = ".".join(name_of(operation).split(".")[:2])
    if packet in _WHOLE_NUMBERS:  # of Python's operators: __rshift__
        return True
    packet = packet.removesuffix("_")
    return packet in _WHOLE_NUMBERS or packet in _packets()


@functools.cache
def _packets() -> frozenset[str]:
    names = (*ENTRIES, *SAFE)
    return frozenset(".".join(name.split(".")[:2]).removesuffix("_") for name in names)


@functools.cache
def name_of(operation: Any) -> str:
    """An overload's name in the table: "aten.add.Tensor", "aten.relu"."""
    return str(operation).removesuffix(".default")


def is_among(names: frozenset[str], name: str) -> bool:
    """Whether an overload is among names, by its own or by that of its operation."""
    return name in names or name.rpartition(".")[0] in names
