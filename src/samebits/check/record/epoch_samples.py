"""Which samples a rank reads in an epoch, in whatever order: one sum for each pass of a loader."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from samebits.check.record.batch_samples import added
from samebits.check.record.least_digests import LeastDigests
from samebits.check.record.shares import share_of

_MOST_EPOCHS = 16
_MOST_SKETCHES = 4
_MOST_BATCHES = 1_000
"""Later batches are not looked at: what ranks share shows in the first epochs."""


class EpochSamples:
    """Adds up the samples of each pass through a loader, for the first few."""

    def __init__(self) -> None:
        self._epochs: list[dict[str, Any]] = []
        self._of_iterator: WeakKeyDictionary[Any, dict[str, Any]] = WeakKeyDictionary()
        self._left = _MOST_BATCHES

    def received(
        self,
        iterator: Any,
        read: Callable[[], tuple[int, int] | None],
        steps: int,
        place: Callable[[], list[Any]],
        digests: Callable[[], Sequence[int] | None] = lambda: None,
    ) -> None:
        """A loader's iterator has given a batch.

        Args:
            iterator: The iterator; one that persists begins each epoch anew.
            read: Gives the batch's samples, as `samples_of` does; asked where they count.
            steps: How many optimizer steps were made by now.
            place: Gives file and line that asked for the batch; asked where an epoch begins.
            digests: Gives a digest of each of the samples; asked in the first epochs.
        """
        epoch = self._of_iterator.get(iterator)
        begins = getattr(iterator, "_num_yielded", 0) <= 1
        if epoch is None or begins:
            epoch = None
            if begins and self._left > 0 and len(self._epochs) < _MOST_EPOCHS:
                epoch = {"place": place(), "steps": [steps, steps], "samples": (0, 0)}
                if len(self._epochs) < _MOST_SKETCHES:
                    epoch |= {"least": LeastDigests(), "share": share_of(iterator)}
                self._of_iterator[iterator] = epoch
                self._epochs.append(epoch)
        if epoch is None:
            return
        self._left -= 1
        epoch["samples"] = added(epoch["samples"], read()) if self._left >= 0 else None
        epoch["steps"][1] = steps
        if "least" in epoch and epoch["samples"] is not None:
            epoch["least"].add(digests() or ())

    def to_json(self) -> list[dict[str, Any]]:
        """The epochs whose samples are known, as the manifest keeps them."""
        return [_to_json(epoch) for epoch in self._epochs if epoch["samples"] is not None]


def _to_json(epoch: dict[str, Any]) -> dict[str, Any]:
    count, digest = epoch["samples"]
    kept = {**epoch, "samples": [count, f"{digest:016x}"]}
    if "least" in kept:
        kept["least"] = kept["least"].to_json()
    return kept
