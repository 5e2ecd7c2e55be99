"""The order of an epoch: one sequence of indices (or batches of them), the same for all ranks."""

from __future__ import annotations

import contextlib
import copy
import itertools
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from torch.utils.data import (
    RandomSampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)
from torch.utils.data.distributed import DistributedSampler

from samebits.training.data.generators import GlobalStates, global_generators
from samebits.training.data.held import find
from samebits.training.data.keys import derived

# These decide on their whole order when they are first asked, whatever the program does meanwhile.
_AT_ONCE = (
    RandomSampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
    DistributedSampler,
)

_AT_A_TIME = 4096  # indices that are skipped without looking up


class IndexOrder(Protocol):
    """What an epoch's indices are taken from, one after the other."""

    def take(self, count: int) -> list[Any]:
        """The next `count` indices; fewer at the end."""

    def skip(self, count: int) -> None:
        """Go past the next `count` indices."""

    def snapshot(self) -> dict[str, Any] | None:
        """What is needed to continue here without counting; `None` where counting is enough."""


def permutation(length: int, key: bytes) -> npt.NDArray[np.int64]:
    """The numbers 0 to length - 1, shuffled as `key` says.

    They are sorted by the words of NumPy's `Philox(key=key)`, a stream that NumPy promises not to
    change. So the order depends on no version of anything.

    Returns:
        int64 array of shape (length,).
    """
    words = np.random.Philox(key=np.frombuffer(key, dtype="<u8")).random_raw(length)
    order = np.argsort(words)
    ordered = words[order]
    if bool((ordered[1:] == ordered[:-1]).any()):
        # Equal words, once in 10**7 epochs of a million: only this kind says which comes first.
        order = np.argsort(words, kind="stable")
    return order.astype(np.int64, copy=False)


class ArrayOrder:
    """An order that is known as a whole.

    Args:
        indices: An array or list of indices, or a `range`.
    """

    def __init__(self, indices: npt.NDArray[np.int64] | list[Any] | range) -> None:
        self._indices = indices
        self._next = 0

    def take(self, count: int) -> list[Any]:
        """The next `count` indices, as Python integers where they come from an array."""
        part = self._indices[self._next : self._next + count]
        self._next += len(part)
        return part.tolist() if isinstance(part, np.ndarray) else list(part)

    def skip(self, count: int) -> None:
        """Go past the next `count` indices, in no time."""
        self._next = min(self._next + count, len(self._indices))

    def snapshot(self) -> None:
        """Nothing: the position is all there is to know."""


class SamplerOrder:
    """The order of a sampler that someone else wrote.

    Whatever it draws from the global generators comes from streams of the epoch's own, which are
    in place only while it runs: it may draw before the first index or before each of them.
    Generators that it holds are set at the start. For a sampler that keeps a state of its own, all
    of these are set anew before each call, so that it can be continued anywhere.

    Args:
        sampler: An iterable of indices or of batches.
        key: The epoch's key.
        resumed: What `snapshot` gave, to continue there; `None` to start from the beginning.
    """

    def __init__(self, sampler: Any, key: bytes, resumed: dict[str, Any] | None = None) -> None:
        self._sampler = sampler
        self._key = key
        self._keeps_state = keeps_state(sampler)
        self._held = find(sampler)
        self._streams: GlobalStates | None = None
        self._taken = 0
        self._ended = False
        with self._own_streams(key):
            if resumed is not None:
                self._sampler.load_state_dict(copy.deepcopy(resumed["state"]))
                self._taken, self._ended = resumed["taken"], resumed["ended"]
            # At its end a sampler may make itself ready for the next epoch.
            self._iterator = iter(()) if self._ended else iter(sampler)
            if type(sampler) in _AT_ONCE:
                self._iterator = iter(list(self._iterator))

    def take(self, count: int) -> list[Any]:
        """The next `count` of what the sampler yields."""
        own = derived(self._key, str(self._taken)) if self._keeps_state else None
        with self._own_streams(own):
            taken = list(itertools.islice(self._iterator, count))
        self._taken += len(taken)
        self._ended = len(taken) < count
        return taken

    def skip(self, count: int) -> None:
        """Let the sampler yield `count` times, for nothing."""
        while count > 0 and (taken := len(self.take(min(count, _AT_A_TIME)))):
            count -= taken

    def snapshot(self) -> dict[str, Any] | None:
        """The sampler's own state, where it keeps one, and how much it has yielded."""
        if not self._keeps_state:
            return None
        state = copy.deepcopy(self._sampler.state_dict())
        return {"state": state, "taken": self._taken, "ended": self._ended}

    @contextlib.contextmanager
    def _own_streams(self, key: bytes | None) -> Iterator[None]:
        generators = global_generators()
        with generators.isolated():
            if key is not None:
                generators.seed(key)
                for held in self._held:
                    held.seed(key)
            elif self._streams is not None:
                generators.restore(self._streams)
            yield
            self._streams = generators.save()


def keeps_state(thing: Any) -> bool:
    """Whether an object follows the protocol `state_dict` / `load_state_dict`."""
    return hasattr(thing, "state_dict") and hasattr(thing, "load_state_dict")
