"""Which epoch a run is in, and which one it has to go on with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from samebits.errors import UsageError


class EpochCounter:
    """Counts epochs, and sees by the loader whether the current one's data are all used.

    A loader that says which epoch it is in (`loader.epoch`, which rises when it is exhausted) tells
    a place within an epoch from the end of one. Without such a loader an epoch ends with the body
    of the loop over `run`.
    """

    def __init__(self) -> None:
        self.current = 0
        self._loader: Any = None
        self._loader_name = ""
        self._inside = False
        self._loader_began = 0

    def watch(self, name: str, target: Any) -> None:
        """Ask this component for its epoch, if it is a loader that has one; the first counts."""
        if (self._loader is None or name == "loader") and _is_loader(target):
            self._loader, self._loader_name = target, name

    def run(self, count: int) -> Iterator[int]:
        """The epochs from the current one up to `count`."""
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise UsageError(f"epochs needs a number of epochs, not {count!r}")
        return self._run(count)

    def _run(self, count: int) -> Iterator[int]:
        while self.current < count:
            self._loader_began = self._loader_epoch()
            self._inside = True
            yield self.current
            self._inside = False
            self.current += 1

    def to_resume(self) -> int:
        """The epoch that a run which is resumed from this moment has to begin with."""
        used_up = self._inside and self._loader_epoch() > self._loader_began
        return self.current + 1 if used_up else self.current

    def resume(self, epoch: int | None) -> None:
        """Go on with an epoch."""
        self.current = epoch or 0
        self._inside = False

    def _loader_epoch(self) -> int:
        return 0 if self._loader is None else int(self._loader.epoch)


def _is_loader(target: Any) -> bool:
    epoch = getattr(target, "epoch", None)
    return hasattr(target, "__iter__") and isinstance(epoch, int) and not isinstance(epoch, bool)
