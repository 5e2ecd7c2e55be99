"""Deterministic algorithms: torch's switches, set before the script's first use of torch."""

from __future__ import annotations

import importlib
from typing import Any, ClassVar

from samebits.core.interposition import Hook
from samebits.training.control.determinism import deterministic


class DeterministicAlgorithmsHook(Hook):
    """Sets what `samebits.deterministic("warn")` sets, except the filling of memory."""

    name: ClassVar[str] = "deterministic-algorithms"

    def put_in_place(self) -> None:
        """Set the switches once torch is imported."""
        self._switches: deterministic | None = None
        self.when_imported("torch", self._set)

    def remove(self) -> None:
        """Put the switches back."""
        super().remove()
        if self._switches is not None:
            self._switches.restore()
            memory: Any = importlib.import_module("torch.utils.deterministic")
            memory.fill_uninitialized_memory = self._fills

    def _set(self) -> None:
        memory: Any = importlib.import_module("torch.utils.deterministic")
        self._switches = deterministic("warn", keep=["fill-uninitialized-memory"])
        # Whether memory was read before it was written is a question of its own. (A property of
        # the module: there is no entry in its namespace that could be replaced.)
        self._fills = memory.fill_uninitialized_memory
        memory.fill_uninitialized_memory = False
        self.acted += len(self._switches.report.set)
