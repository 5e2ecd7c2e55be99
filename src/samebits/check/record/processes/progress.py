"""How far this process has come, told while it runs: one that hangs or is killed says no more."""

from __future__ import annotations

import os

from samebits.check.record.processes.collectives_begun import (
    collectives_begun,
    hear_of_collectives,
)
from samebits.check.record.processes.row_counter import RowCounter
from samebits.check.record.replicas import Replicas
from samebits.core import _native


class ProcessProgress:
    """Tells of this process's rows, steps and collectives in a file of the workspace.

    Args:
        native: The process's recorder.
        replicas: Tells whether a backward pass here all-reduces gradients.
    """

    def __init__(self, native: _native.Recorder, replicas: Replicas) -> None:
        self._native = native
        self._replicas = replicas
        self._number = os.getpid()
        self._counter: RowCounter | None = None

    def listen(self) -> None:
        """Hear of the collectives from now on."""
        hear_of_collectives(self._native, self._count_collectives)

    def begin(self, workspace: str, token: str) -> int:
        """Tell from now on.

        Args:
            workspace: The run's folder for its processes.
            token: What the process is called.

        Returns:
            Where rows can be counted, see `RowCounter.address`.

        Raises:
            OSError: The file cannot be made.
        """
        if self._counter is None:
            self._counter = RowCounter(workspace, token)
            self._counter.note_reduction(self._replicas.reduces)
        return self._counter.address

    def stepped(self, step: int) -> None:
        """A step was made.

        Args:
            step: Counted from 0.
        """
        if self._counter is not None:
            self._counter.count_step(step + 1, collectives_begun())
            self._counter.note_reduction(self._replicas.reduces)

    def _count_collectives(self, begun: int) -> None:
        # A forked child has this memory too.
        if self._counter is not None and os.getpid() == self._number:
            self._counter.note_reduction(self._replicas.reduces)
            self._counter.count_collectives(begun)
