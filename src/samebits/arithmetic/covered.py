"""`samebits.exact.coverage`: every operation that a model uses, and how each is resolved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from samebits.arithmetic import registry
from samebits.arithmetic.forms import computed_by
from samebits.arithmetic.gate import look_closer
from samebits.arithmetic.other_tensors import are_others, dispatch_others
from samebits.arithmetic.resolver import DECOMPOSITION, MISSING, SAFE, Resolver
from samebits.arithmetic.settings import ExactSettings
from samebits.errors import NotExactError
from samebits.training.control import isolated_rng


@dataclass(frozen=True)
class Covered:
    """One operation of a model.

    Attributes:
        operation: Its name, such as "aten.addmm".
        how: "safe" (torch's own answer is exact), "kernel", "decomposition" or "missing".
        calls: How often it was called.
        why: Why `exact()` refuses it, where it is missing.
    """

    operation: str
    how: str
    calls: int
    why: str = ""


class Coverage:
    """The operations of a model in the order in which they were first called.

    Attributes:
        operations: One `Covered` each.
        complete: Whether nothing is missing.
    """

    def __init__(self, operations: tuple[Covered, ...]) -> None:
        self.operations = operations

    @property
    def complete(self) -> bool:
        """Whether the model runs inside `exact()` without being stopped."""
        return not self.missing

    @property
    def missing(self) -> tuple[str, ...]:
        """Names of the operations that `exact()` refuses."""
        return tuple(entry.operation for entry in self.operations if entry.how == MISSING)

    def __iter__(self) -> Iterator[Covered]:
        return iter(self.operations)

    def __str__(self) -> str:
        width = max((len(entry.operation) for entry in self.operations), default=0)
        lines = (
            f"{entry.operation:{width}}  {entry.how:13}  {entry.calls}  {entry.why}"
            for entry in self.operations
        )
        return "\n".join(line.rstrip() for line in lines)


def coverage(model: Any, *inputs: Any, backward: bool = True, **named: Any) -> Coverage:
    """What `samebits.exact.coverage` does; its arguments are explained there."""
    watch = _Watch()
    state = _kept_state(model)
    try:
        with isolated_rng(), ExactSettings(), watch:
            result = model(*inputs, **named)
            sources = [t for t in _tensors(result) if t.requires_grad]
            if backward and sources:
                wanted = [p for p in _parameters(model, inputs, named) if p.requires_grad]
                total = torch.stack([t.sum() for t in sources]).sum()
                torch.autograd.grad(total, wanted, allow_unused=True)
    finally:
        _restore(state)
    return Coverage(tuple(watch.found()))


class _Watch(TorchDispatchMode):
    """Counts operations; of those that torch composes of others the parts count."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._resolver = Resolver(frozenset(), lambda: self, lambda name: None)
        self._found: dict[str, Covered] = {}
        self._in_parts = False  # of an operation that counts as a whole

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if are_others(types):
            return dispatch_others(func, types, args, kwargs)
        name = registry.name_of(func)
        how = self._resolver.how(func)
        compute = self._computing(func)
        if self._in_parts or (how == DECOMPOSITION and computed_by(func) is None):
            return compute(*args, **kwargs)  # of the latter the parts come here, and count
        why = ""
        self._in_parts = True
        try:
            result = compute(*args, **kwargs)
        except NotExactError as error:
            how, why = MISSING, error.why
            result = func(*args, **kwargs)
        else:
            how = SAFE if how == MISSING else how  # whole numbers only
        finally:
            self._in_parts = False
        before = self._found.get(name)
        now = Covered(name, how, 1, why)
        if before is not None:
            # Refused once is missing: its other calls may have had other arguments.
            worst = before if before.how == MISSING else now
            now = replace(worst, calls=before.calls + 1)
        self._found[name] = now
        return result

    def _computing(self, func: Any) -> Any:
        """What an exact block calls for an operation, after its gate."""

        def compute(*args: Any, **kwargs: Any) -> Any:
            handler, *_ = self._resolver.resolve(func)
            looked = look_closer(func, args, kwargs)
            if looked is not None and len(looked) == 2:
                args, kwargs = looked
            elif looked is not None:
                return looked[0]
            return (handler or func)(*args, **kwargs)

        return compute

    def found(self) -> Iterator[Covered]:
        yield from self._found.values()


def _tensors(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        return [t for item in value.values() for t in _tensors(item)]
    if isinstance(value, (list, tuple)):
        return [t for item in value for t in _tensors(item)]
    return []


def _parameters(model: Any, inputs: Any, named: Any) -> list[torch.Tensor]:
    own = list(model.parameters()) if isinstance(model, torch.nn.Module) else []
    return own + _tensors((inputs, named))


def _kept_state(model: Any) -> list[tuple[torch.Tensor, torch.Tensor]]:
    buffers = list(model.buffers()) if isinstance(model, torch.nn.Module) else []
    return [(buffer, buffer.detach().clone()) for buffer in buffers]


def _restore(state: list[tuple[torch.Tensor, torch.Tensor]]) -> None:
    with torch.no_grad():
        for buffer, value in state:
            buffer.copy_(value)
