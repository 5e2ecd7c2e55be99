"""How many collectives this process has begun in the group of all ranks."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from samebits.check.record.function_hooks import CALL, hook_function
from samebits.core import _native
from samebits.core.on_import import when_imported

_C10D = "torch.distributed.distributed_c10d"
_DDP = "torch.nn.parallel.distributed"


def collectives_begun() -> int | None:
    """Their number, those of `DistributedDataParallel` included; None outside of a group.

    The number is the one that torch gives to the latest, for its own messages. That it can be asked
    for is not documented: where it cannot, none is told.
    """
    distributed: Any = sys.modules.get(_C10D)
    try:
        group = distributed.GroupMember.WORLD
        return None if group is None else int(group._get_sequence_number_for_group())
    except Exception:
        return None


def hear_of_collectives(
    native: _native.Recorder,
    count: Callable[[int], None],
    forwarded: Callable[[bool], None],
) -> None:
    """Tell how many were begun each time that one was waited for, or a model was called.

    A process that hangs says nothing any more: what it has told by then is known.

    Args:
        native: The process's recorder.
        count: Told the number of collectives.
        forwarded: Told after each forward pass of `DistributedDataParallel` whether its backward
            pass all-reduces the gradients.
    """

    def begun() -> None:
        number = collectives_begun()
        if number is not None:
            count(number)

    def waited(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        begun()

    def called(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        torch: Any = sys.modules["torch"]
        synchronised = getattr(args[0], "require_backward_grad_sync", False)
        forwarded(bool(synchronised) and torch.is_grad_enabled())
        begun()

    def hook(module: str, owner: str, name: str, after: Any) -> None:
        found = getattr(sys.modules[module], owner, None)
        if found is not None and name in vars(found):
            hook_function(native, found, name, CALL, after)

    for module, owner, name, after in (
        (_C10D, "Work", "wait", waited),
        (_DDP, "DistributedDataParallel", "forward", called),
    ):
        when_imported(module, functools.partial(hook, module, owner, name, after))
