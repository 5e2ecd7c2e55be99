"""Threads: the number that torch uses stays as it was given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from samebits.core.interposition import Hook
from samebits.core.interposition.hook import Function
from samebits.core.setting import Setting


class ThreadsHook(Hook):
    """Gives torch a number of threads, and keeps the script from choosing another.

    Settings:
        count: The number.
    """

    name: ClassVar[str] = "threads"
    defaults: ClassVar[Mapping[str, Setting]] = {"count": 1}

    def put_in_place(self) -> None:
        """Set the number once torch is imported."""
        self.when_imported("torch", self._torch_imported)

    def _torch_imported(self) -> None:
        import torch

        torch.set_num_threads(self.settings["count"])
        self.replace(torch, "set_num_threads", self._set_num_threads)

    def _set_num_threads(self, original: Function) -> Function:
        def set_num_threads(count: Any, /) -> None:
            self.acted += 1
            original(self.settings["count"] if isinstance(count, int) else count)

        return set_num_threads
