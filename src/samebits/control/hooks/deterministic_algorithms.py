"""Deterministic algorithms: torch's switches, set before the script's first use of torch."""

from __future__ import annotations

from typing import ClassVar

from samebits.control.determinism import deterministic
from samebits.control.interposition import Hook


class DeterministicAlgorithms(Hook):
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

    def _set(self) -> None:
        import torch.utils.deterministic as memory

        self._switches = deterministic("warn", keep=["fill-uninitialized-memory"])
        # Whether memory was read before it was written is a question of its own.
        self.put(memory, "fill_uninitialized_memory", False)
        self.acted += len(self._switches.report.set)
