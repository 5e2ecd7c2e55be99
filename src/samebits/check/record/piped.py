"""Messages of queues and pipes that a process or thread has sent and received, until written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from samebits.check.trace.schema import PIPED_DTYPES

_MOST = 65_536
"""So many are kept between two flushes: a process that only passes things on may never flush."""


class PipedMessages:
    """What one process or thread has sent and received.

    Args:
        row: Gives the number of operations that it has recorded so far.
    """

    def __init__(self, row: Callable[[], int] = lambda: 0) -> None:
        self.row = row
        self._noted: list[tuple[int, int, int, int]] = []

    def note(self, event: int, channel: int, digest: int, row: int | None = None) -> None:
        """Keep a message.

        Args:
            event: A position in `schema.PIPE_EVENTS`.
            channel: The end of a pipe or socket that it went through.
            digest: Of what it holds.
            row: Operations recorded before it; by default those until now.
        """
        if len(self._noted) < _MOST:
            self._noted.append((self.row() if row is None else row, event, channel, digest))

    @property
    def is_filled(self) -> bool:
        """Whether there is a message that was not taken."""
        return bool(self._noted)

    def move_to(self, other: PipedMessages) -> None:
        """Hand everything to the one that goes on."""
        taken = self._take()
        room = _MOST - len(other._noted)
        other._noted[:0] = taken[:room]

    def take(self) -> dict[str, npt.NDArray[Any]]:
        """The columns of piped.arrow, shape (n,) each, of what was kept since the last call."""
        columns = zip(*self._take(), strict=True)
        return {
            name: np.array(values, dtype)
            for (name, dtype), values in zip(PIPED_DTYPES.items(), columns, strict=False)
        }

    def _take(self) -> list[tuple[int, int, int, int]]:
        # Another thread may add one at any moment.
        taken = self._noted[:]
        del self._noted[: len(taken)]
        return taken
