"""One pass over an epoch: what torch's loader is asked for, and what is known after each batch."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import torch
from torch.utils.data import DataLoader as TorchLoader

from samebits.errors import UsageError
from samebits.training.data.batches import Batches, Task, Ticket
from samebits.training.data.position import Position, StreamPosition
from samebits.training.data.stream_source import Note, StreamTask
from samebits.training.data.worker import WorkerStart


class WorkerLoader(TorchLoader[Any]):
    """torch's loader, fetching whole batches from a source; the person's loader has warned."""

    @classmethod
    def with_settings_of(
        cls, loader: TorchLoader[Any], source: Any, tasks: Tasks, turn: int
    ) -> WorkerLoader:
        """A loader with the workers and the memory that another one was given.

        Args:
            loader: The person's loader.
            source: Takes a task and returns its batch.
            tasks: The tasks.
            turn: The worker whose batch comes first.
        """
        more: dict[str, Any] = {}
        if loader.num_workers:
            more["multiprocessing_context"] = loader.multiprocessing_context
            more["prefetch_factor"] = loader.prefetch_factor
            more["persistent_workers"] = loader.persistent_workers
        if loader.pin_memory_device:
            more["pin_memory_device"] = loader.pin_memory_device
        return cls(
            source,
            batch_size=None,
            sampler=tasks,
            num_workers=loader.num_workers,
            collate_fn=_as_it_is,
            pin_memory=loader.pin_memory,
            timeout=loader.timeout,
            worker_init_fn=WorkerStart(loader.worker_init_fn, turn),
            generator=torch.Generator(),
            **more,
        )

    def check_worker_number_rationality(self) -> None:
        """Say nothing a second time."""


def _as_it_is(batch: Any) -> Any:
    return batch


class Tasks:
    """The sampler of a `WorkerLoader`: the tasks of whichever iteration is under way."""

    def __init__(self) -> None:
        self.current: Iterator[Any] = iter(())

    def __iter__(self) -> Iterator[Any]:
        # torch asks for an iterator twice where there are workers, and uses the second.
        return iter(self.current)


# Functions and no methods: an iterator that its own tasks refer to would outlive its last user, and
# its workers with it.
def map_tasks(make: Callable[[], Batches], tickets: deque[Ticket]) -> Iterator[Task]:
    """The batches of a map-style dataset; each leaves a ticket for when it is handed over.

    Args:
        make: Called when the first task is wanted: a sampler may take long to begin.
        tickets: Where to leave them.
    """
    for task, ticket in make():
        tickets.append(ticket)
        yield task


def stream_tasks(run: int, round_size: int, position: Position) -> Iterator[StreamTask]:
    """The rounds of an iterable dataset from a position on, without end.

    Args:
        run: The number of the iteration.
        round_size: Items that all ranks together take at a time.
        position: Where to begin.
    """
    for number in itertools.count():
        start = position.taken + number * round_size
        yield StreamTask(run, number, position.epoch, start)


class Iteration:
    """An iterator over the batches of one epoch, or of what is left of it.

    Args:
        position: Where it begins.
        moved: Called with the position after each batch, before the batch is handed over.
        length: How many batches there will be, if that is known.
    """

    def __init__(
        self, position: Position, moved: Callable[[Position], None], length: int | None
    ) -> None:
        self._position = position
        self._moved = moved
        self._length = length
        self._fetched: Iterator[Any] | None = None
        self._over = False

    def __iter__(self) -> Iteration:
        return self

    def __len__(self) -> int:
        if self._length is None:
            raise TypeError("the number of batches is not known")
        return self._length

    def abandon(self) -> None:
        """Yield nothing more: the workers serve another iteration now."""
        self._over, self._fetched = True, None

    def begin(self, fetched: Iterator[Any]) -> None:
        """Take batches from torch's iterator, which has been given this iteration's tasks."""
        self._fetched = fetched

    def __next__(self) -> Any:
        """End at once: of this epoch nothing is left."""
        if not self._over:
            self._end()
        raise StopIteration

    def _move(self, position: Position) -> None:
        self._position = position
        self._moved(position)

    def _end(self) -> None:
        self._over = True
        self._fetched = None  # the last reference: workers that do not persist end now
        self._move(replace(self._position, finished=True))
        raise StopIteration


class MapIteration(Iteration):
    """Over a map-style dataset.

    Args:
        tickets: Where each task left its ticket, in order.
        position: Where it begins.
        moved: Called with the position after each batch.
        length: How many batches the epoch has, if that is known.
    """

    def __init__(
        self,
        tickets: deque[Ticket],
        position: Position,
        moved: Callable[[Position], None],
        length: int | None,
    ) -> None:
        super().__init__(position, moved, length)
        self._tickets = tickets

    def __next__(self) -> Any:
        if self._over or self._fetched is None:
            raise StopIteration
        try:
            number, data, _ = next(self._fetched)
        except StopIteration:
            self._end()
        # A batch that failed left its ticket; the next one that did not fail passes it.
        ticket = self._tickets.popleft()
        while ticket.number != number:
            ticket = self._tickets.popleft()
        self._move(self._position.after(ticket.taken, ticket.sampler))
        return data


class StreamIteration(Iteration):
    """Over an iterable dataset."""

    _ended: frozenset[int] = frozenset()

    def __next__(self) -> Any:
        while not self._over and self._fetched is not None:
            _, data, note = next(self._fetched)
            note = Note(*note)  # pinning memory makes a list of a tuple
            stream = self._position.stream
            assert stream is not None
            self._check(stream, note)
            if note.has_data:
                self._advance(stream.after(note))
                return data
            self._ended |= {note.worker}
            if not note.shared_out or len(self._ended) == stream.workers:
                self._end()
        raise StopIteration

    def _advance(self, stream: StreamPosition) -> None:
        taken = sum(stream.items) if stream.shared_out else max(stream.items)
        batches = self._position.batches + 1
        self._move(replace(self._position, batches=batches, taken=taken, stream=stream))

    def _check(self, stream: StreamPosition, note: Note) -> None:
        """What one worker began, several that share the dataset out cannot go on with."""
        if note.shared_out and self._position.taken and not stream.shared_out:
            self._fetched = None
            raise UsageError(
                "The dataset shares itself out among workers, and the epoch was begun with one "
                f"worker: {stream.workers} workers have no part of it that they could go on with.",
                hint="Resume with num_workers=1 or 0, or begin the epoch anew: set_epoch(N).",
            )
