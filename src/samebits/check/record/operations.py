"""What the recorder must know of an operation, read once from its schema and the catalog."""

from __future__ import annotations

from typing import Any

from samebits.check.trace.schema import Flag
from samebits.core.catalog import memory

CREATES_UNWRITTEN = 1 << 0
OVERWRITES = 1 << 1
WRITES_PART = 1 << 2
IS_SOURCE = 1 << 3
NOT_RECORDED = 1 << 4
COPIES = 1 << 5
MAKES_SEED = 1 << 6
RESIZES = 1 << 7
ATTACHES = 1 << 8
RECEIVES = 1 << 9
SHARES_ARGUMENT = 1 << 10
SHARES_RESULT = 1 << 11
WAITS = 1 << 12
"""Traits: bits shared with native/python/recorder.hpp."""

_SEED_MAKING = frozenset({"random_", "_local_scalar_dense"})
"""How a loader makes the seed from which its workers' are derived."""

Description = tuple[int, str, Any, int, int, int, tuple[int, ...], tuple[str, ...]]


def operation_name(op: Any) -> str:
    """The operation's name as traces show it: "aten.add.Tensor", "aten.relu", a module's class."""
    if isinstance(op, type):
        return f"{op.__module__}.{op.__qualname__}".removeprefix("__main__.")
    return str(op).removesuffix(".default")


class Operations:
    """Numbers operations in the order in which they are first seen, and describes them."""

    def __init__(self) -> None:
        self._fresh: list[str] = []
        self._codes: dict[str, int] = {}
        self.notes: list[str] = []

    def describe(self, op: Any) -> Description:
        """Describe an operation for the native recorder; one that defies description by name alone.

        Args:
            op: A `torch._ops.OpOverload`, a higher-order operation, or a module's class.

        Returns:
            (code, name, what to call, row flags, traits, bit mask of scratch outputs, positions
            of arguments that are written, names of keyword arguments that are written).
        """
        name = operation_name(op)
        code = self._codes.get(name)
        if code is None:
            code = self._codes[name] = len(self._codes)
            self._fresh.append(name)
        try:
            return self._described(op, name, code)
        except Exception as error:
            # A custom operation may be strange in ways that nobody thought of; it still has to run.
            self.notes.append(f"{name} is recorded by its outputs alone: {error!r}")
            return code, name, op, 0, 0, 0, (), ()

    def _described(self, op: Any, name: str, code: int) -> Description:
        import torch

        if not isinstance(op, torch._ops.OpOverload):
            return code, name, op, 0, 0, 0, (), ()
        namespace, _, plain = op._schema.name.rpartition("::")
        if namespace == "profiler":
            # Markers for torch's profiler: they compute nothing.
            return code, name, op, 0, NOT_RECORDED, 0, (), ()
        flags = Flag(0)
        if torch.Tag.nondeterministic_seeded in op.tags:
            flags |= Flag.RANDOM
        positions, names = _written(op._schema)
        if positions or names:
            flags |= Flag.INPLACE
        elif op.is_view or plain in memory.ALIASES:
            flags |= Flag.VIEW
        traits = 0
        if plain in memory.CREATES_UNWRITTEN:
            traits |= CREATES_UNWRITTEN
        if plain in memory.OVERWRITES or (names and not positions):
            traits |= OVERWRITES  # an `out=` argument is written without being read
        if plain in memory.WRITES_PART:
            traits |= WRITES_PART
        if plain in memory.COPIES:
            traits |= COPIES
        if plain in memory.SOURCES:
            traits |= IS_SOURCE
        if plain in memory.RESIZES:
            traits |= RESIZES
        if plain in memory.ATTACHES:
            traits |= ATTACHES
        if namespace in memory.COMMUNICATION and plain not in memory.RECEIVES_NOTHING:
            traits |= RECEIVES
            if plain in memory.FILLED_BY_OTHERS:
                traits |= OVERWRITES
            if namespace == "c10d" and plain in memory.SAME_ARGUMENT:
                traits |= SHARES_ARGUMENT
            if namespace == "_c10d_functional" and plain in memory.SAME_RESULT:
                traits |= SHARES_RESULT
        if namespace in memory.COMMUNICATION and plain in memory.WAITS:
            traits |= WAITS
        if plain in _SEED_MAKING:
            traits |= MAKES_SEED
        scratch = sum(1 << position for position in memory.SCRATCH_OUTPUTS.get(plain, ()))
        # The overload's own callable: the Python wrapper around it only passes arguments on.
        call = op._op if type(op) is torch._ops.OpOverload else op
        return code, name, call, int(flags), traits, scratch, positions, names

    def take_fresh(self) -> list[str]:
        """Names that were numbered since the last call, in the order of their numbers."""
        fresh, self._fresh = self._fresh, []
        return fresh


def _written(schema: Any) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Positions and keyword names of the arguments that the schema says are written."""
    positions: list[int] = []
    names: list[str] = []
    place = 0
    for argument in schema.arguments:
        written = argument.alias_info is not None and argument.alias_info.is_write
        if argument.kwarg_only:
            if written:
                names.append(argument.name)
        else:
            if written:
                positions.append(place)
            place += 1
    return tuple(positions), tuple(names)
