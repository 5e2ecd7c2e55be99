"""One rank's batches of an epoch, cut from the order that all ranks share."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from samebits.training.data.keys import content_of
from samebits.training.data.order import IndexOrder


class Shard(NamedTuple):
    """Which part of each round of batches is this process's.

    Attributes:
        rank: From 0.
        replicas: Into how many parts a round is cut.
    """

    rank: int = 0
    replicas: int = 1


class Task(NamedTuple):
    """What a worker is to fetch: one batch.

    Attributes:
        run: Which iteration of the loader this belongs to.
        number: Which of its batches.
        epoch: Enters the keys of the samples.
        indices: What the sampler yielded, one a sample.
        occurrences: How often the epoch had each index before; `None` means never.
        place: Where in the epoch's order the first sample stands.
    """

    run: int
    number: int
    epoch: int
    indices: list[Any]
    occurrences: list[int] | None
    place: int


class Ticket(NamedTuple):
    """Where the epoch stands once a batch has been handed over.

    Attributes:
        number: The batch's number in its iteration.
        taken: How many elements of the epoch's order are gone, for all ranks together.
        sampler: The sampler's own state, if it keeps one.
    """

    number: int
    taken: int
    sampler: dict[str, Any] | None


_WHOLE = Shard()


class Repeats:
    """Counts how often an epoch has had an index."""

    def __init__(self) -> None:
        self._seen: dict[Any, int] = {}

    def number(self, index: Any) -> int:
        """How often `index` came before, by its content."""
        content = index if type(index) is int else content_of(index)
        if content is None:
            return 0
        before = self._seen.get(content, 0)
        self._seen[content] = before + 1
        return before


@dataclass(frozen=True, kw_only=True)
class Cut:
    """How an order becomes batches.

    Attributes:
        batch_size: Elements in a batch: samples, or 1 where each element is a batch by itself.
        of_batches: Whether the elements of the order are batches.
        drop_last: Whether what does not fill a round is left out.
        shard: Which part of each round to take.
        repeats: Whether an index may come more than once in an epoch.
    """

    batch_size: int
    of_batches: bool = False
    drop_last: bool = False
    shard: Shard = _WHOLE
    repeats: bool = True

    @property
    def round(self) -> int:
        """Elements that all ranks together take at a time."""
        return self.batch_size * self.shard.replicas

    def batches(self, elements: int) -> int:
        """How many batches one rank gets out of an order of so many elements."""
        return elements // self.round if self.drop_last else math.ceil(elements / self.round)


class Batches:
    """The tasks and tickets of one iteration, made as they are asked for.

    A round of `batch_size × replicas` elements is cut into one batch for each rank, in order of
    rank. A round that is not full is shared out evenly, with elements from the epoch's beginning
    to make the parts equal.

    Args:
        order: The epoch's order, at its beginning (or where `resumed` says).
        cut: How to cut it.
        run: The number of the iteration.
        epoch: The epoch.
        taken: Elements that are gone already.
        resumed: Whether the order itself was put to where `taken` says.
    """

    def __init__(
        self,
        order: IndexOrder,
        cut: Cut,
        *,
        run: int,
        epoch: int,
        taken: int = 0,
        resumed: bool = False,
    ) -> None:
        self._order = order
        self._cut = cut
        self._run, self._epoch = run, epoch
        self._taken = taken if resumed else 0
        # Without a count, the place in the order tells two samples of one index apart.
        self._places_count = resumed or order.snapshot() is not None
        self._repeats = Repeats() if cut.repeats and not self._places_count else None
        # A round's elements are the batch's indices, with nothing to count or to share.
        uncounted = self._repeats is None and not self._places_count
        self._as_they_come = uncounted and not cut.of_batches and cut.shard.replicas == 1
        self._buffer: list[Any] = []
        self._padding: list[Any] = []
        if cut.shard.replicas > 1 and not resumed:
            self._buffer = order.take(cut.shard.replicas - 1)
            self._padding = list(self._buffer)
        self._skip(taken - self._taken)

    def __iter__(self) -> Iterator[tuple[Task, Ticket]]:
        # A batch has one number in its epoch, wherever the iteration began: recordings compare it.
        for number in itertools.count(self._taken // self._cut.round):
            place = self._taken
            elements = self._take(self._cut.round)
            short = len(elements) < self._cut.round
            if not elements or (short and self._cut.drop_last):
                return
            if self._as_they_come:
                task = Task(self._run, number, self._epoch, elements, None, place)
            else:
                task = self._task(number, self._own(elements, place))
            yield task, Ticket(number, self._taken, self._order.snapshot())
            if short:
                return

    def _own(self, elements: list[Any], place: int) -> list[tuple[Any, Any, int]]:
        """This rank's elements of a round, each with its occurrences and its place."""
        counts = self._counts(elements, place)
        first, size = self._own_part(len(elements))
        return [
            (*self._element(elements, counts, at), place + at) for at in range(first, first + size)
        ]

    def _own_part(self, length: int) -> tuple[int, int]:
        """Where this rank's part of a round begins, and how long it is."""
        size = self._cut.batch_size
        if length < self._cut.round:
            size = math.ceil(length / self._cut.shard.replicas)
        return self._cut.shard.rank * size, size

    def _element(self, elements: list[Any], counts: list[Any], at: int) -> tuple[Any, Any]:
        if at < len(elements):
            return elements[at], counts[at]
        padding = self._padding or elements
        element = padding[(at - len(elements)) % len(padding)]
        zeros = [0] * len(element) if self._cut.of_batches else 0
        return element, zeros

    def _task(self, number: int, own: list[tuple[Any, Any, int]]) -> Task:
        place = own[0][2]
        if self._cut.of_batches:
            indices, counts, place = own[0][0], own[0][1], _place_in_batch(place)
        else:
            indices, counts = [one[0] for one in own], [one[1] for one in own]
        return Task(self._run, number, self._epoch, indices, counts if any(counts) else None, place)

    def _counts(self, elements: list[Any], place: int) -> list[Any]:
        """Occurrences of each element; of each index in it, where elements are batches."""
        if self._cut.of_batches:
            return [
                [
                    self._count(index, _place_in_batch(place + at) + position)
                    for position, index in enumerate(batch)
                ]
                for at, batch in enumerate(elements)
            ]
        if self._repeats is None and not self._places_count:
            return [0] * len(elements)
        return [self._count(index, place + at) for at, index in enumerate(elements)]

    def _count(self, index: Any, place: int) -> int:
        if self._places_count:
            return place
        return 0 if self._repeats is None else self._repeats.number(index)

    def _take(self, count: int) -> list[Any]:
        ready, self._buffer = self._buffer[:count], self._buffer[count:]
        elements = ready + self._order.take(count - len(ready)) if len(ready) < count else ready
        if self._cut.of_batches:
            # A batch may be any iterable, and is gone through more than once here.
            elements = [list(batch) for batch in elements]
        self._taken += len(elements)
        return elements

    def _skip(self, count: int) -> None:
        if self._places_count:
            while count > 0 and (taken := len(self._take(self._cut.round))):
                count -= taken
            return
        if self._repeats is None:
            ready = min(count, len(self._buffer))
            self._buffer = self._buffer[ready:]
            self._order.skip(count - ready)
            self._taken += count
            return
        while count > 0:
            elements = self._take(min(count, 65536))
            if not elements:
                return
            self._counts(elements, 0)
            count -= len(elements)


def _place_in_batch(batch: int) -> int:
    """The place of a batch's first sample, where only batches are counted."""
    return batch << 20
