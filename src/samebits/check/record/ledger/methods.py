"""Hooks on methods of classes, put in place once the modules of these are imported."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from samebits.check.record.function_hooks import CALL, hook_function
from samebits.check.record.ledger.watching import Watching
from samebits.core import _native
from samebits.core.on_import import when_imported

Called = Callable[[str, tuple[Any, ...], Any], None]
"""Told what was called ("Queue.put"), what it was given, and its result."""


def watch_methods(
    watching: Watching,
    recorder: _native.Recorder,
    methods: Mapping[tuple[str, str], Sequence[str]],
    called: Called,
) -> None:
    """Hear of each call of some methods that returns.

    Args:
        watching: The ledger's watches.
        recorder: The process's recorder.
        methods: Module and class → its methods; what is not there is left out.
        called: Called on the thread that calls them, with the line that does on the stack.
    """

    def listen(module: str, owner: str) -> None:
        kind: Any = getattr(sys.modules[module], owner, None)
        for name in methods[module, owner]:
            if kind is not None and name in vars(kind):
                told = functools.partial(_tell, called, f"{owner.strip('_')}.{name}")
                watching.undo_with(hook_function(recorder, kind, name, CALL, told))

    for module, owner in methods:
        when_imported(module, functools.partial(listen, module, owner))


def _tell(
    called: Called, method: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any
) -> None:
    called(method, (*args[1:], *kwargs.values()), result)
