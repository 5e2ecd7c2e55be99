"""Hears of what a script saves: by `torch.save`, and by safetensors' writers."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from typing import Any

from samebits.check.record.function_hooks import CALL, hook_function
from samebits.check.record.working_folder import absolute
from samebits.core import _native
from samebits.core.on_import import when_imported


class SaveHooks:
    """Tells one listener of each save into a file that has a name.

    What is saved into a buffer in memory is seen where that is written.

    Args:
        native: The process's recorder, which makes the hooks.
        listener: Called with the content and the file's absolute path, once it is saved.

    Attributes:
        listener: The same; a forked process, in which the hooks are in place, puts its own there.
    """

    def __init__(self, native: _native.Recorder, listener: Callable[[Any, str], None]) -> None:
        self.listener = listener
        self._native = native

    def install(self) -> None:
        """Put the hooks in place: torch's now, safetensors' when it is imported."""
        self._hook("torch", "save", ("obj", "f"))
        for module in ("safetensors.torch", "safetensors.numpy"):
            what = "tensors" if module == "safetensors.torch" else "tensor_dict"
            when_imported(
                module, functools.partial(self._hook, module, "save_file", (what, "filename"))
            )

    def _hook(self, module: str, name: str, names: tuple[str, str]) -> None:
        owner: Any = sys.modules[module]

        def saved(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
            content, target = (
                args[place] if len(args) > place else kwargs.get(keyword)
                for place, keyword in enumerate(names)
            )
            if not isinstance(target, str | os.PathLike):
                target = getattr(target, "name", None)
            if isinstance(target, str | os.PathLike):
                self.listener(content, absolute(os.fspath(target)))

        hook_function(self._native, owner, name, CALL, saved)
