"""torch's deterministic algorithms."""

from __future__ import annotations

from typing import ClassVar

from samebits.training.control.pin import Pin
from samebits.training.control.surroundings import Surroundings


class DeterministicAlgorithmsPin(Pin):
    """torch uses its deterministic implementation of each operation that has one."""

    name: ClassVar[str] = "deterministic-algorithms"
    what: ClassVar[str] = "torch.use_deterministic_algorithms(True) and the switches around it"
    causes: ClassVar[tuple[str, ...]] = ("nondeterministic-op",)
    hook: ClassVar[str | None] = "deterministic-algorithms"

    def pinned(self) -> Surroundings:
        """What cuBLAS reads when it starts."""
        return Surroundings(environment={"CUBLAS_WORKSPACE_CONFIG": ":4096:8"})
