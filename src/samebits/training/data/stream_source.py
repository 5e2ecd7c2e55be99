"""Fetching batches of an iterable dataset, in a worker or in the process that trains.

A dataset that asks which worker it is in shares itself out: each worker has a stream of its own.
One that does not gives the same stream in every worker; each takes every n-th round of it and reads
past the others, so that no sample comes twice.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from samebits.training.data.batches import Shard
from samebits.training.data.generators import global_generators
from samebits.training.data.held import Held, find, put_back
from samebits.training.data.keys import Keys, derived
from samebits.training.data.order import keeps_state
from samebits.training.data.worker import WorkerInfo

_COLLATE = "collate"
_NOTHING = object()


class StreamTask(NamedTuple):
    """A round of batches that a worker is to read.

    Attributes:
        run: Which iteration of the loader this belongs to.
        number: Which of its rounds.
        epoch: Enters the keys of the items.
        start: How many items come before the round, where all workers see the same stream.
    """

    run: int
    number: int
    epoch: int
    start: int


class Told(NamedTuple):
    """What a dataset told of itself in one worker.

    Attributes:
        items: How many items the worker had read by then.
        state: What `state_dict()` returned.
        ended: Whether it had come to its end: many make themselves ready for the next epoch there.
    """

    items: int
    state: Any
    ended: bool


class Note(NamedTuple):
    """What a worker says of its stream with each batch.

    Attributes:
        worker: The worker's number.
        shared_out: Whether the dataset shares itself out among workers; `None` where there is one.
        has_data: Whether there is a batch; if not, the stream is at its end.
        items: How many items the worker has read.
        told: The dataset's own state; `None` where it has none or was not asked this time.
    """

    worker: int
    shared_out: bool | None
    has_data: bool
    items: int
    told: Told | None


@dataclass(frozen=True, kw_only=True)
class StreamCut:
    """How a stream becomes batches.

    Attributes:
        batch_size: Items in a batch; `None` for items as they come.
        drop_last: Whether to leave out what does not fill a batch.
        shard: Which part of each round to take; a round that is not full is left out, if there is
            more than one part.
        state_every: After how many batches to ask the dataset for its state.
    """

    batch_size: int | None
    drop_last: bool
    shard: Shard
    state_every: int

    @property
    def round(self) -> int:
        """Items that all ranks together take at a time."""
        return (self.batch_size or 1) * self.shard.replicas


@dataclass(frozen=True)
class Resumed:
    """Where one worker takes a stream up.

    Attributes:
        items: Items that the worker had read.
        told: Where the dataset was set; `None` to count from the beginning.
    """

    items: int = 0
    told: Told | None = None


class StreamSource:
    """An iterable dataset, read in rounds: each task gives its number, the batch and a note.

    Args:
        dataset: The person's iterable dataset.
        collate: Makes a batch of a list of samples, or converts a single one.
        keys: The loader's keys.
        cut: How to cut the stream.
        isolated: Whether to put all generators back after each batch: in the process that trains.
        resumed: For each worker, or for all if there is one entry, where to take the stream up.
        shared_out: What was found before about the dataset's sharing itself out.
    """

    def __init__(
        self,
        dataset: Any,
        collate: Callable[[Any], Any],
        keys: Keys,
        cut: StreamCut,
        *,
        isolated: bool,
        resumed: tuple[Resumed, ...] = (),
        shared_out: bool | None = None,
    ) -> None:
        self.dataset = dataset
        self._collate = collate
        self._keys = keys
        self._cut = cut
        self._isolated = isolated
        self._resumed = resumed
        self._known_shared_out = shared_out
        self._info: WorkerInfo | None = None
        self._asked_early = False
        self._run: int | None = None
        self._items = 0
        self._ahead: Any = _NOTHING

    def enter_worker(self, info: WorkerInfo) -> None:
        """Take note of the worker that this is."""
        self._info = info

    def __getitem__(self, task: StreamTask) -> tuple[int, Any, Note]:
        if not self._isolated:
            return self._fetch(task)
        with contextlib.ExitStack() as scope:
            scope.enter_context(global_generators().isolated())
            scope.enter_context(put_back(find(self.dataset) + find(self._collate)))
            return self._fetch(task)

    @property
    def _alone(self) -> bool:
        return self._info is None or self._info.workers == 1

    @property
    def _worker(self) -> int:
        return 0 if self._info is None else self._info.number

    def _fetch(self, task: StreamTask) -> tuple[int, Any, Note]:
        if task.run != self._run:
            self._begin(task)
        if not self._shared_out:
            self._advance(task.start - self._items)
        first = self._items
        wanted = self._cut.batch_size or 1
        own = self._cut.shard.rank * wanted
        round_ = list(self._read(self._cut.round, keep=range(own, own + wanted)))
        full = self._items - first == self._cut.round
        needs_all = self._cut.shard.replicas > 1 or self._cut.drop_last
        if not round_ or (needs_all and not full):
            return task.number, None, self._note(has_data=False)
        key = derived(self._keys.item(task.epoch, self._lane, first + own), _COLLATE)
        self._seed(key, find(self._collate))
        data = self._collate(round_ if self._cut.batch_size is not None else round_[0])
        self._batches += 1
        return task.number, data, self._note(has_data=True)

    def _begin(self, task: StreamTask) -> None:
        """Open the stream, at its beginning or, the first time, where it was left."""
        first_time = self._run is None
        self._run, self._epoch = task.run, task.epoch
        self._batches = 0
        resumed = self._resumed if first_time else ()
        own = resumed[self._worker % len(resumed)] if resumed else Resumed()
        if first_time and self._info is not None:
            # Nothing but a worker_init_fn can have asked so far.
            self._asked_early = self._info.asked
        known = bool(self._known_shared_out) and own.told is not None
        self._shared_out = not self._alone and (self._asked_early or known)
        self._held: tuple[Held, ...] = ()
        if self._info is not None and not self._alone and not self._shared_out:
            self._info.when_asked = self._part_ways
        self._open(own.told)
        # Many ask only in the code that leads to their first item.
        self._ahead = self._next_item()
        if self._info is not None:
            self._info.when_asked = None
            self._shared_out = not self._alone and self._info.asked
        self._advance(own.items - self._items)

    def _part_ways(self) -> None:
        """The dataset is about to learn which worker it is in: its draws are its own from now on.

        Up to here all workers drew the same, so that a dataset may shuffle and then take a part.
        """
        self._shared_out = True
        self._seed(self._keys.item(self._epoch, self._lane, self._items), self._held)

    @property
    def _lane(self) -> int:
        return self._worker if self._shared_out else 0

    def _open(self, told: Told | None) -> None:
        self._ahead = _NOTHING
        self._ended = told is not None and told.ended
        self._items = 0 if told is None else told.items
        self._held = find(self.dataset)
        self._seed(self._keys.item(self._epoch, self._lane, self._items), self._held)
        if told is not None and keeps_state(self.dataset):
            self.dataset.load_state_dict(copy.deepcopy(told.state))
        self._iterator = iter(self.dataset)
        if told is not None and not keeps_state(self.dataset) and keeps_state(self._iterator):
            self._iterator.load_state_dict(copy.deepcopy(told.state))
        self._held = find((self.dataset, self._iterator))

    def _advance(self, items: int) -> None:
        for _ in self._read(items, keep=range(0)):
            pass

    def _read(self, items: int, keep: range) -> Iterator[Any]:
        """Read so many items, fewer at the end, and yield those at the positions to keep."""
        for position in range(items):
            item, self._ahead = self._ahead, _NOTHING
            if item is _NOTHING:
                item = self._next_item()
            if item is _NOTHING:
                return
            self._items += 1
            if position in keep:
                yield item

    def _next_item(self) -> Any:
        if self._ended:
            return _NOTHING
        self._seed(self._keys.item(self._epoch, self._lane, self._items), self._held)
        item = next(self._iterator, _NOTHING)
        self._ended = item is _NOTHING
        return item

    def _seed(self, key: bytes, held: tuple[Held, ...]) -> None:
        global_generators().seed(key)
        for one in held:
            one.seed(key)

    def _note(self, *, has_data: bool) -> Note:
        shared_out = None if self._alone else self._shared_out
        told = None
        if self._batches % self._cut.state_every == 0 or not has_data:
            source = self.dataset if keeps_state(self.dataset) else self._iterator
            if keeps_state(source):
                # A copy: it is pickled in another thread while the dataset goes on.
                told = Told(self._items, copy.deepcopy(source.state_dict()), self._ended)
        return Note(self._worker, shared_out, has_data, self._items, told)
