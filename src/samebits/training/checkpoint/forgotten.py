"""What the program holds and would lose, beside generators and trainers: averages, iterators."""

from __future__ import annotations

import itertools
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from types import GeneratorType
from typing import Any

import torch
from torch import nn
from torch.utils.data import dataloader

from samebits.training.checkpoint.belongings import Belonging, belongings, is_own_class, is_own_file

_ITERATORS: tuple[type, ...] = (
    *(one for one in vars(itertools).values() if isinstance(one, type)),
    *map(type, (iter([]), iter(()), iter({}), iter(set()), iter(range(0)), iter({}.items()))),
    enumerate,
    filter,
    map,
    zip,
    reversed,
    dataloader._BaseDataLoaderIter,
)
_PLACE = "keep its place in a dict that is given, and go there after restore"
_IN_DICT = "keep it in a dict, and give that by a name"
_NAMED = "give it by a name"


def forgotten(known: Callable[[Any], bool], modules: Iterable[nn.Module]) -> Iterator[str]:
    """A sentence for each thing with a state of its own that no checkpoint would hold.

    Args:
        known: Whether a checkpoint holds an object, or another search answers for it.
        modules: All live modules, whose weights averages are recognised by.
    """
    weights = _Weights(modules)

    def closed(obj: Any) -> bool:
        return known(obj) and not isinstance(obj, nn.Module)

    for one in belongings(closed):
        if known(one.object):
            if isinstance(one.object, nn.Module):
                yield from _attributes(one, weights)
            continue
        found = _kind(one.object, weights)
        if found is not None:
            what, advice = found
            yield f"{what}{one.where} is not in the checkpoint: {advice}"
        if isinstance(one.object, nn.Module):
            yield from _attributes(one, weights)


def places(known: Callable[[Any], bool], wanted: set[int]) -> dict[int, str]:
    """Where the program holds certain objects, by their identity."""
    return {id(one.object): one.where for one in belongings(known) if id(one.object) in wanted}


def _kind(value: Any, weights: _Weights) -> tuple[str, str] | None:
    """What an object is, and what to do about it; None for what keeps no state."""
    kind = type(value)
    if isinstance(value, torch.quasirandom.SobolEngine):
        return kind.__name__, "keep num_generated in a dict that is given, and fast_forward there"
    numpy: Any = sys.modules.get("numpy.random")
    if numpy is not None and isinstance(value, numpy.SeedSequence):
        advice = "keep n_children_spawned in a dict that is given, or take samebits' streams"
        return "numpy.random.SeedSequence", advice
    if isinstance(value, GeneratorType):
        if is_own_file(value.gi_code.co_filename):
            return f"an iterator ({value.gi_code.co_name})", _PLACE
        return None
    if isinstance(value, _ITERATORS):
        return f"an iterator ({kind.__name__.lstrip('_')})", _PLACE
    if isinstance(value, deque):
        return "a deque", _IN_DICT
    if isinstance(value, (dict, list, tuple)):
        if weights.are_copied_by(value):
            named = type(value) is dict
            article = "an" if kind.__name__[0] in "AEIOaeio" else "a"
            return f"{article} {kind.__name__} of weights", _NAMED if named else _IN_DICT
        return None
    if isinstance(value, nn.Module) or _has_other_owner(kind):
        return None
    if all(callable(getattr(kind, name, None)) for name in ("state_dict", "load_state_dict")):
        return kind.__name__, _NAMED
    return None


def _has_other_owner(kind: type) -> bool:
    """Whether the search through all objects names it, or it belongs to a library's inside."""
    return kind.__module__.startswith(("torch.", "samebits.")) or issubclass(
        kind,
        (
            torch.optim.Optimizer,
            torch.optim.lr_scheduler.LRScheduler,
            torch.amp.GradScaler,
            torch.utils.data.DataLoader,
        ),
    )


def _attributes(one: Belonging, weights: _Weights) -> Iterator[str]:
    """Tensors that a module of the program's own keeps beside its parameters and buffers."""
    module = one.object
    if not is_own_class(type(module)):
        return
    for name, value in vars(module).items():
        if isinstance(value, torch.Tensor) and not weights.hold(value):
            advice = "make it a buffer (register_buffer)"
            yield f"a tensor{one.part(value, f'.{name}').where} is not in the checkpoint: {advice}"


class _Weights:
    """The weights of all modules, to recognise copies and averages of them."""

    def __init__(self, modules: Iterable[nn.Module]) -> None:
        self._places: set[int] = set()
        self._named: list[dict[str, tuple[int, ...]]] = []
        self._listed: set[tuple[tuple[int, ...], ...]] = set()
        for module in modules:
            tensors = {**dict(module.named_parameters()), **dict(module.named_buffers())}
            if not tensors:
                continue
            for tensor in tensors.values():
                self._places.add(_place(tensor))
                if isinstance(tensor, nn.Parameter) and tensor.grad is not None:
                    self._places.add(_place(tensor.grad))
            self._named.append({name: _shape(tensor) for name, tensor in tensors.items()})
            parameters = list(module.parameters())
            for chosen in (
                parameters,
                [p for p in parameters if p.requires_grad],
                tensors.values(),
            ):
                if chosen:
                    self._listed.add(tuple(map(_shape, chosen)))

    def hold(self, tensor: torch.Tensor) -> bool:
        """Whether a tensor is a weight, a buffer or a gradient itself."""
        return _place(tensor) in self._places

    def are_copied_by(self, value: Any) -> bool:
        """Whether a container holds tensors of the shapes that a module's weights have."""
        values = list(value.values()) if isinstance(value, dict) else list(value)
        if not values or not all(map(_is_array, values)):
            return False
        if any(isinstance(one, torch.Tensor) and self.hold(one) for one in values):
            return False
        shapes = [_shape(one) for one in values]
        if isinstance(value, dict):
            pairs = list(zip(value, shapes, strict=True))
            return any(all(known.get(k) == shape for k, shape in pairs) for known in self._named)
        return tuple(shapes) in self._listed


def _is_array(value: Any) -> bool:
    numpy: Any = sys.modules.get("numpy")
    return isinstance(value, torch.Tensor) or (
        numpy is not None and isinstance(value, numpy.ndarray)
    )


def _shape(value: Any) -> tuple[int, ...]:
    return tuple(value.shape)


def _place(tensor: torch.Tensor) -> int:
    """The address of its memory; of what has none, one of its own."""
    try:
        return tensor.data_ptr() or id(tensor)
    except RuntimeError:  # a tensor without memory
        return id(tensor)
