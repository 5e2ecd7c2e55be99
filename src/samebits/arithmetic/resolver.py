"""One operation to what becomes of it: safe, a kernel, a decomposition, or a refusal."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode, _pop_mode, _push_mode

import samebits.arithmetic.operations.all  # noqa: F401  fills the table
from samebits.arithmetic import registry, rounded_numbers
from samebits.arithmetic.compiling import keep_from_compiler
from samebits.arithmetic.forms import computed_by
from samebits.arithmetic.gate import (
    arrives_in_parts,
    dtypes_of,
    is_composed,
    is_view,
    mask_of,
    refused,
    written_arguments,
)
from samebits.arithmetic.kernels import is_float
from samebits.arithmetic.refusal import not_exact
from samebits.arithmetic.shortcuts import Shortcut

SAFE, KERNEL, DECOMPOSITION, MISSING, ALLOWED = (
    "safe", registry.KERNEL, registry.DECOMPOSITION, "missing", "allowed"
)  # fmt: skip
"""How an operation is resolved, as `coverage` says it."""


class Resolver:
    """Finds an operation's handler, once; what is not in the table is looked at more closely.

    Args:
        allow: Names of operations to let through as torch computes them.
        mode: Returns the mode under which decompositions run.
        allowed_used: Called with the name of each allowed operation that is met.
    """

    def __init__(
        self,
        allow: frozenset[str],
        mode: Callable[[], TorchDispatchMode],
        allowed_used: Callable[[str], None],
    ) -> None:
        keep_from_compiler(self.resolve)
        self._allow = allow
        self._mode = mode
        self._allowed_used = allowed_used

    def resolve(
        self, op: Any
    ) -> tuple[Any, Shortcut | None, int | None, tuple[int, ...], tuple[str, ...]]:
        """What becomes of an operation.

        Returns:
            What the dispatcher calls for it (None: itself), its shortcut, the dtypes that it may
            be given, as bits (None where nobody looks at them), and the places and names of the
            arguments to which it writes.

        Raises:
            NotExactError: It may touch floating-point numbers and is not covered, as far as its
                name and schema say.
        """
        handler, shortcut = self._found(op)
        keep_from_compiler(handler)
        how = self.how(op)
        mask = mask_of(dtypes_of(op)) | (rounded_numbers.BIT if how == SAFE else 0)
        return handler, shortcut, None if how == ALLOWED else mask, *written_arguments(op)

    def _found(self, op: Any) -> tuple[Any, Shortcut | None]:
        how = self.how(op)
        name = registry.name_of(op)
        if how == ALLOWED:
            self._allowed_used(name)
            parts = isinstance(op, torch._ops.OpOverload) and arrives_in_parts(op)
            return functools.partial(self._decompose, op) if parts else None, None
        if how == SAFE:
            return _torchs_own(op), None
        found = computed_by(op)
        if found is not None:
            handler = found.handler
            if found.under_mode:
                handler = functools.partial(self._under_mode, handler)
            if found.first is not None:
                handler = functools.partial(_first, found.first, handler)
            return handler, found.shortcut
        if how == DECOMPOSITION:
            return functools.partial(self._decompose, op), None
        if not isinstance(op, torch._ops.OpOverload):
            raise not_exact(
                f"the higher-order operator {name}",
                "it runs code that the block does not see",
                way_out="Write it in Python, whose operations are covered one by one.",
            )
        return functools.partial(_whole_numbers_only, op), None

    def how(self, op: Any) -> str:
        """How an operation is resolved: one of the words above."""
        name = registry.name_of(op)
        if registry.is_among(self._allow, name):
            return ALLOWED
        if name in registry.SAFE or is_view(op):
            return SAFE
        found = computed_by(op)
        if found is not None:
            return found.how
        if is_composed(op):
            return DECOMPOSITION
        return MISSING

    def _under_mode(self, handler: Any, *args: Any, **kwargs: Any) -> Any:
        # What entering a mode does beside was done when the block began, and takes longer.
        _push_mode(self._mode())
        try:
            return handler(*args, **kwargs)
        finally:
            _pop_mode()

    def _decompose(self, op: Any, *args: Any, **kwargs: Any) -> Any:
        # Not op.decompose: for some operations torch has other compositions in Python, which are
        # computed in another way than its own that run where autograd is on.
        return self._under_mode(op._op_dk, _COMPOSITION, *args, **kwargs)


def _first(quick: Any, otherwise: Any, *args: Any, **kwargs: Any) -> Any:
    found = quick(*args, **kwargs)
    return otherwise(*args, **kwargs) if found is None else found


_COMPOSITION = torch._C.DispatchKey.CompositeImplicitAutograd


def _torchs_own(op: Any) -> Any:
    """The C function behind an operation: a fifth faster than the Python method that calls it."""
    if op is _EXPAND:
        return _expand
    plain = type(op) is torch._ops.OpOverload
    return getattr(op, "_op", None) if plain else None


_EXPAND = torch.ops.aten.expand.default


def _expand(x: Any, *args: Any, **kwargs: Any) -> torch.Tensor:
    # Zeros without memory and a number add up to the number, expanded; torch hands it over bare.
    if isinstance(x, float):
        x = torch.tensor(x, dtype=torch.float64)
    elif not isinstance(x, torch.Tensor):
        x = torch.tensor(x)
    return _EXPAND._op(x, *args, **kwargs)  # type: ignore[no-any-return]


def _whole_numbers_only(op: Any, *args: Any, **kwargs: Any) -> Any:
    """Run an operation that the table knows of whole numbers, if it touches nothing else.

    Raises:
        NotExactError: It is given floating-point numbers, makes them, or draws at random.
    """
    name = registry.name_of(op)
    seeded = torch.Tag.nondeterministic_seeded in getattr(op, "tags", ())
    unknown = seeded or not registry.known_of_whole_numbers(op)
    if unknown or any(is_float(leaf) for leaf in _leaves((args, kwargs))):
        raise not_exact(name, "it is not covered yet")
    result = op(*args, **kwargs)
    made = _leaves(result)
    if any(is_float(leaf) for leaf in made):
        raise not_exact(name, "it is not covered yet")
    why = refused(made, registry.WHOLE)
    if why is not None:
        raise not_exact(name, why)
    return result


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in _leaves(item)]
    if isinstance(value, dict):
        return _leaves(list(value.values()))
    return [value]
