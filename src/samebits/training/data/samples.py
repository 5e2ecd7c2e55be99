"""Fetching batches of a map-style dataset, in a worker or in the process that trains."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torch.utils.data import Subset

from samebits.training.data.batches import Task
from samebits.training.data.generators import global_generators
from samebits.training.data.held import Held, find
from samebits.training.data.keys import Keys, derived
from samebits.training.data.worker import WorkerInfo

_COLLATE = "collate"


class MapSource:
    """A dataset whose items are tasks: each gives the number of a batch, the batch, and `None`.

    Args:
        dataset: The person's map-style dataset.
        collate: Makes a batch of a list of samples, or converts a single one.
        keys: The loader's keys.
        batched: Whether a task's indices make a batch; otherwise there is one, for one sample.
        isolated: Whether to put all generators back after each batch: in the process that trains.
    """

    def __init__(
        self,
        dataset: Any,
        collate: Callable[[Any], Any],
        keys: Keys,
        *,
        batched: bool,
        isolated: bool,
    ) -> None:
        self.dataset = dataset
        self._collate = collate
        self._keys = keys
        self._batched = batched
        self._isolated = isolated
        self._all_at_once = batched and _fetches_batches(dataset)
        self._run: int | None = None
        self._first = True
        self._held: tuple[Held, ...] = ()
        self._held_by_collate: tuple[Held, ...] = ()

    def enter_worker(self, info: WorkerInfo) -> None:
        """Nothing here depends on the worker."""

    def __getitem__(self, task: Task) -> tuple[int, Any, None]:
        if not self._isolated:
            return task.number, self._fetch(task), None
        self._look_for_generators(task)
        # Without scopes around it: after a batch of images each of their lines has to be read anew
        # into the caches.
        generators, held = global_generators(), self._held + self._held_by_collate
        saved, states = generators.save(), [one.state() for one in held]
        try:
            return task.number, self._fetch(task), None
        finally:
            generators.restore(saved)
            for one, state in zip(held, states, strict=True):
                one.put_back(state)

    def _fetch(self, task: Task) -> Any:
        self._look_for_generators(task)
        # All keys at once, before the samples: their work empties the caches of what makes keys.
        keys = self._keys.samples(task.epoch, task.indices, task.occurrences, task.place)
        first = keys[0] if keys else self._keys.empty_batch(task.epoch, task.place)
        own = derived(first, _COLLATE)
        if not self._batched:
            data = self._sample(task.indices[0], first)
        else:
            data = self._together(task, first) if self._all_at_once else None
            if data is None:
                data = self._one_by_one(task.indices, keys)
        global_generators().seed(own)
        for held in self._held_by_collate:
            held.seed(own)
        return self._collate(data)

    def _one_by_one(self, indices: Sequence[Any], keys: Sequence[bytes]) -> list[Any]:
        samples = []
        if self._first and indices:
            samples.append(self._sample(indices[0], keys[0]))
            indices, keys = indices[1:], keys[1:]
        if not self._held:
            return samples + global_generators().items(self.dataset, indices, keys)
        return samples + [self._sample(*each) for each in zip(indices, keys, strict=True)]

    def _together(self, task: Task, key: bytes) -> Any:
        """The batch as the dataset fetches it at once; `None` if it drew random numbers for it."""
        generators = global_generators()
        generators.seed(key)
        data = self.dataset.__getitems__(task.indices)
        if not generators.drawn():
            return data
        self._all_at_once = False
        return None

    def _sample(self, index: Any, key: bytes) -> Any:
        self._seed(key)
        sample = self.dataset[index]
        if self._first:
            # Some make their generators only when the first sample is asked for.
            self._first = False
            before = {id(held.generator) for held in self._held}
            self._held = find(self.dataset)
            if {id(held.generator) for held in self._held} - before:
                return self._sample(index, key)
        return sample

    def _seed(self, key: bytes) -> None:
        global_generators().seed(key)
        for held in self._held:
            held.seed(key)

    def _look_for_generators(self, task: Task) -> None:
        if task.run == self._run:
            return
        self._run = task.run
        self._first = True
        self._held = find(self.dataset)
        self._held_by_collate = find(self._collate)
        self._all_at_once = self._all_at_once and not self._held


def _fetches_batches(dataset: Any) -> bool:
    if type(dataset) is Subset:
        return _fetches_batches(dataset.dataset)
    return bool(getattr(dataset, "__getitems__", None))
