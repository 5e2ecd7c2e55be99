"""Where a loader stands: what its state dict holds, and reading one back."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from samebits.errors import UsageError
from samebits.training.control.streams import SEED_LIMIT
from samebits.training.data.stream_source import Note, Resumed, Told

SCHEMA = "samebits.loader/1"

_COUNT_LIMIT = 2**63  # what the keys of samples are made of has 64 bits


@dataclass(frozen=True, kw_only=True)
class StreamPosition:
    """Where the workers of an iterable dataset stand.

    Attributes:
        workers: How many there are, at least 1.
        shared_out: Whether the dataset shares itself out among them; `None` where there is one.
        turn: The worker whose batch comes next.
        items: How many items each has read for the batches that were handed over.
        told: What the dataset has told last in each worker, if anything.
    """

    workers: int = 1
    shared_out: bool | None = None
    turn: int = 0
    items: tuple[int, ...] = (0,)
    told: tuple[Told | None, ...] = (None,)

    @classmethod
    def at_start(cls, workers: int) -> StreamPosition:
        """Nothing read yet."""
        count = max(workers, 1)
        return cls(workers=count, items=(0,) * count, told=(None,) * count)

    def after(self, note: Note) -> StreamPosition:
        """The position once the batch that a note came with is handed over."""
        items, told = list(self.items), list(self.told)
        items[note.worker] = note.items
        if note.told is not None:
            told[note.worker] = Told(*note.told)  # pinning memory makes a list of a tuple
        return replace(
            self,
            shared_out=note.shared_out,
            turn=(note.worker + 1) % self.workers,
            items=tuple(items),
            told=tuple(told),
        )

    def resumed(self) -> tuple[Resumed, ...]:
        """Where workers take the stream up: one entry for each, or one that serves all."""
        if self.shared_out:
            return tuple(itertools.starmap(Resumed, zip(self.items, self.told, strict=True)))
        items = max(self.items)
        return (Resumed(items, self.latest()),) if items else ()

    def latest(self) -> Told | None:
        """What was told last by any worker, where all read the same stream."""
        return max((one for one in self.told if one), key=lambda one: one.items, default=None)


@dataclass(frozen=True, kw_only=True)
class Position:
    """Where a loader stands in an epoch.

    Attributes:
        epoch: Which epoch, from 0.
        batches: Batches that this process has been handed in it.
        taken: Elements of the epoch's order that are gone, for all ranks together: samples, or
            batches where a batch sampler makes them.
        finished: Whether the end of the epoch was reached and noticed.
        sampler: The sampler's own state, where it keeps one.
        stream: For iterable datasets.
    """

    epoch: int = 0
    batches: int = 0
    taken: int = 0
    finished: bool = False
    sampler: dict[str, Any] | None = None
    stream: StreamPosition | None = None

    def after(self, taken: int, sampler: dict[str, Any] | None) -> Position:
        """The position once another batch is handed over."""
        # Not by `replace`, which takes twice as long: this is for every batch.
        return Position(
            epoch=self.epoch,
            batches=self.batches + 1,
            taken=taken,
            finished=self.finished,
            sampler=sampler,
            stream=self.stream,
        )


@dataclass(frozen=True, kw_only=True)
class Identity:
    """What must agree between the loader that was saved and the one that goes on.

    Attributes:
        seed: The loader's seed.
        length: Samples in the dataset, or `None` where it does not say.
        order: Where the order comes from, such as "shuffle" or "sampler WeightedRandomSampler".
    """

    seed: int
    length: int | None
    order: str


@dataclass(frozen=True)
class SavedPosition:
    """A state dict that was read: whose it is, and where that loader stood."""

    identity: Identity
    position: Position


def to_state(identity: Identity, position: Position) -> dict[str, Any]:
    """A position as a dict of plain values, plus whatever the person's own objects put in."""
    stream = position.stream
    return {
        "schema": SCHEMA,
        "seed": identity.seed,
        "length": identity.length,
        "order": identity.order,
        "epoch": position.epoch,
        "batches": position.batches,
        "taken": position.taken,
        "finished": position.finished,
        "sampler": position.sampler,
        "stream": None
        if stream is None
        else {
            "workers": stream.workers,
            "shared_out": stream.shared_out,
            "turn": stream.turn,
            "items": list(stream.items),
            "told": [None if told is None else told._asdict() for told in stream.told],
        },
    }


def from_state(state: Mapping[str, Any]) -> SavedPosition:
    """Read what `to_state` wrote.

    Raises:
        UsageError: It is not such a dict, or it lacks an entry or holds a wrong one.
    """
    schema = state.get("schema") if isinstance(state, Mapping) else None
    if schema != SCHEMA:
        what = "torchdata's StatefulDataLoader" if "_num_yielded" in state else "something else"
        raise UsageError(
            f'This is the state of {what}: "schema" should be "{SCHEMA}" and is {schema!r}.',
            hint="Load what samebits.DataLoader.state_dict() returned.",
        )
    stream = _entry(state, "stream", (dict, type(None)))
    return SavedPosition(
        Identity(
            seed=_count(state, "seed", SEED_LIMIT),
            length=None if state.get("length") is None else _count(state, "length"),
            order=str(_entry(state, "order", (str,))),
        ),
        Position(
            epoch=_count(state, "epoch"),
            batches=_count(state, "batches"),
            taken=_count(state, "taken"),
            finished=bool(_entry(state, "finished", (bool,))),
            sampler=_entry(state, "sampler", (dict, type(None))),
            stream=None if stream is None else _read_stream(stream),
        ),
    )


def check(saved: Identity, own: Identity, *, seed_was_chosen: bool, position: Position) -> None:
    """Demand that a saved position means something in this loader.

    Raises:
        UsageError: Another seed, dataset length or source of the order.
    """
    where = f"the state was saved in epoch {position.epoch} after batch {position.batches}"
    if seed_was_chosen and saved.seed != own.seed:
        raise UsageError(
            f"The loader has seed={own.seed}, and {where} of a loader with seed={saved.seed}.",
            hint=f"Make the loader with seed={saved.seed}, or without a seed.",
        )
    if position.taken == 0 and not position.finished:
        return
    if saved.order != own.order:
        raise UsageError(
            f"The loader's order comes from {own.order}, and {where} of one whose order comes from "
            f"{saved.order}.",
            hint="Make the loader as it was made then, or begin the epoch anew: set_epoch(N).",
        )
    if not position.finished and saved.length != own.length:
        raise UsageError(
            f"The dataset has {own.length} samples, and {where} with {saved.length} samples: "
            "the rest of that epoch has another order now.",
            hint="Resume with the same dataset, or begin the epoch anew: set_epoch(N).",
        )


def resumed_stream(position: Position, num_workers: int) -> Position:
    """A saved position of an iterable dataset, for the workers that there are now.

    Raises:
        UsageError: The dataset shares itself out among workers, and there are more or fewer.
    """
    saved, workers = position.stream or StreamPosition(), max(num_workers, 1)
    if saved.shared_out and saved.workers != workers and position.taken:
        raise UsageError(
            "The dataset shares itself out among workers, and the epoch was begun with "
            f"{saved.workers} of them; this loader has {workers}.",
            hint=f"Resume with num_workers={saved.workers}, or begin the epoch anew: set_epoch(N).",
        )
    if position.finished:
        return replace(position, stream=StreamPosition.at_start(workers))
    if saved.shared_out:
        return position
    stream = StreamPosition(
        workers=workers,
        shared_out=saved.shared_out,
        items=(max(saved.items),) * workers,
        told=(saved.latest(),) * workers,
    )
    return replace(position, stream=stream)


def warn_of_reading_again(position: Position) -> None:
    """Say so when an iterable dataset can only be resumed by reading it from its beginning."""
    stream = position.stream
    if position.taken and not position.finished and not (stream and any(stream.told)):
        warnings.warn(
            f"The dataset keeps no state: to resume, {position.taken} of its items are read again "
            "and thrown away. Give it state_dict() and load_state_dict() to spare that.",
            UserWarning,
            stacklevel=4,
        )


def _read_stream(stream: Mapping[str, Any]) -> StreamPosition:
    workers = _count(stream, "workers")
    items = _entry(stream, "items", (list, tuple))
    told = _entry(stream, "told", (list, tuple))
    if workers < 1 or len(items) != workers or len(told) != workers:
        raise UsageError(
            f"The loader's state speaks of {workers} workers, and has the positions of "
            f"{len(items)} and the states of {len(told)}.",
            hint="Load what samebits.DataLoader.state_dict() returned, unchanged.",
        )
    return StreamPosition(
        workers=workers,
        shared_out=_entry(stream, "shared_out", (bool, type(None))),
        turn=_count(stream, "turn"),
        items=tuple(_count({"items": one}, "items") for one in items),
        told=tuple(None if one is None else _read_told(_dict(one, "told")) for one in told),
    )


def _read_told(told: Mapping[str, Any]) -> Told:
    return Told(_count(told, "items"), told.get("state"), bool(_entry(told, "ended", (bool,))))


def _dict(value: Any, name: str) -> Mapping[str, Any]:
    checked: Mapping[str, Any] = _entry({name: value}, name, (dict,))
    return checked


def _count(state: Mapping[str, Any], name: str, limit: int = _COUNT_LIMIT) -> int:
    value = _entry(state, name, (int,))
    if isinstance(value, bool) or not 0 <= value < limit:
        raise UsageError(
            f'The loader\'s state has {value!r} as "{name}": not a number from 0 to {limit - 1}.'
        )
    return int(value)


def _entry(state: Mapping[str, Any], name: str, kinds: tuple[type, ...]) -> Any:
    if name not in state:
        raise UsageError(
            f'The loader\'s state has no "{name}".',
            hint="Load what samebits.DataLoader.state_dict() returned, unchanged.",
        )
    if not isinstance(state[name], kinds):
        expected = " or ".join("None" if kind is type(None) else kind.__name__ for kind in kinds)
        raise UsageError(
            f'The loader\'s state has "{name}" of type {type(state[name]).__name__}; '
            f"it should be {expected}."
        )
    return state[name]
