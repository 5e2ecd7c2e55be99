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
        self._is_full = False
        self._goes_on: PipedMessages | None = None

    def note(self, event: int, channel: int, digest: int, row: int | None = None) -> None:
        """Keep a message; once there were too many, none any more, so that none is left out.

        Args:
            event: A position in `schema.PIPE_EVENTS`.
            channel: The end of a pipe or socket that it went through.
            digest: Of what it holds.
            row: Operations recorded before it; by default those until now.
        """
        if self._goes_on is not None:
            self._goes_on.note(event, channel, digest, row)
            return
        self._is_full = self._is_full or len(self._noted) >= _MOST
        if not self._is_full:
            self._noted.append((self.row() if row is None else row, event, channel, digest))

    @property
    def is_filled(self) -> bool:
        """Whether there is a message that was not taken."""
        return bool(self._noted)

    def go_on_as(self, other: PipedMessages) -> None:
        """Hand everything, and all that is still to come, to another one."""
        self._goes_on = other
        other._noted[:0] = self._take()
        other._is_full = other._is_full or self._is_full

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
