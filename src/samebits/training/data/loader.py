"""`samebits.DataLoader`: torch's, with an order and augmentations that nothing else can change."""

from __future__ import annotations

import functools
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import torch
from torch.utils.data import DataLoader as TorchLoader
from torch.utils.data import IterableDataset

from samebits.errors import UsageError
from samebits.training.control.streams import checked_seed
from samebits.training.data.arguments import note_held_generators, refuse
from samebits.training.data.batches import Ticket
from samebits.training.data.iteration import (
    Iteration,
    MapIteration,
    StreamIteration,
    Tasks,
    WorkerLoader,
    map_tasks,
    stream_tasks,
)
from samebits.training.data.keys import Keys
from samebits.training.data.position import (
    Identity,
    Position,
    StreamPosition,
    check,
    from_state,
    resumed_stream,
    to_state,
    warn_of_reading_again,
)
from samebits.training.data.samples import MapSource
from samebits.training.data.sampling import Sampling
from samebits.training.data.sharding import chosen_shard, warn_if_not_sharded
from samebits.training.data.stream_source import StreamCut, StreamSource

_T_co = TypeVar("_T_co", covariant=True)


class DataLoader(TorchLoader[_T_co]):
    """A loader whose batches depend on the seed, the epoch and nothing else.

    It takes the place of `torch.utils.data.DataLoader` and of torchdata's `StatefulDataLoader`.

    - The order of an epoch is a function of (seed, epoch).
    - What a sample draws from `random`, `numpy.random` and `torch` is a function of (seed, epoch,
      index): the same for any number of workers, any prefetching, in any order of fetching, and
      after a resume. No two samples of any epochs share it.
    - The generators of the process that iterates are left alone, also where there are no workers.
    - `state_dict()` says where it stands, and a loader that was given it by `load_state_dict()`
      goes on there: it counts to the next batch and fetches none of those before it.

    Epochs count from 0 and advance whenever an iteration begins; `set_epoch` chooses one.

    Args:
        dataset: As torch takes it. Generators that it, or `collate_fn`, holds as attributes are set
            anew for each sample, with a note.
        batch_size: Samples in a batch; `None` for samples as they come.
        shuffle: Another order in each epoch.
        sampler: As torch takes it. What it draws, it draws from streams of (seed, epoch), and its
            `set_epoch` is called, if it has one.
        batch_sampler: As torch takes it, and as `sampler`.
        num_workers: Changes nothing but the speed, for map-style datasets.
        collate_fn: May draw random numbers: they depend on the batch's first sample.
        pin_memory: As torch takes it.
        drop_last: Leave out the samples that do not fill a batch (of all ranks).
        timeout: As torch takes it, in seconds.
        worker_init_fn: As torch takes it. It need not seed anything.
        multiprocessing_context: As torch takes it.
        generator: Nothing is drawn from it; without a `seed`, its initial seed is the seed.
        prefetch_factor: As torch takes it.
        persistent_workers: As torch takes it.
        pin_memory_device: As torch takes it.
        in_order: Must stay true: batches that come as they are ready come in no order.
        seed: From 0 to 2**64 - 1. By default the generator's initial seed, or else the seed that
            `torch.manual_seed` (or `seed_everything`) was given last.
        shard: Which part of each round of batches this process gets. True asks
            `torch.distributed`; a pair (rank, world size) says it. The order is the same for any
            world size; see `state_dict`. By default each process gets everything.
        snapshot_every_n_steps: For iterable datasets that keep a state of their own: after how many
            batches a worker asks for it. Resuming reads at most so many batches twice.

    Raises:
        UsageError: An argument that this loader cannot honour.
        ValueError: An argument that torch refuses.
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Iterable[Any] | None = None,
        batch_sampler: Iterable[Any] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[Any], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: Any = None,
        generator: torch.Generator | None = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
        seed: int | None = None,
        shard: bool | tuple[int, int] | None = None,
        snapshot_every_n_steps: int = 1,
    ) -> None:
        refuse(dataset, in_order, snapshot_every_n_steps)
        more: dict[str, Any] = {"pin_memory_device": pin_memory_device} if pin_memory_device else {}
        super().__init__(
            dataset,
            batch_size,
            shuffle,
            sampler,
            batch_sampler,
            num_workers,
            collate_fn,
            pin_memory,
            drop_last,
            timeout,
            worker_init_fn,
            multiprocessing_context,
            generator,
            prefetch_factor=prefetch_factor,
            persistent_workers=persistent_workers,
            **more,
        )
        self.shard = shard
        self.snapshot_every_n_steps = snapshot_every_n_steps
        self._sampling = Sampling(
            dataset,
            shuffle=bool(shuffle),
            sampler=sampler,
            batch_sampler=batch_sampler,
            batch_size=batch_size,
            drop_last=drop_last,
        )
        self._shard = chosen_shard(shard, self._sampling.sampler)
        self._seed_was_chosen = seed is not None or generator is not None
        if seed is None:
            seed = torch.initial_seed() if generator is None else generator.initial_seed()
        self._use_seed(checked_seed(seed))
        self._next_epoch = 0
        self._position = self._start_of(0)
        self._loaded: Position | None = None
        self._stays = False  # in the epoch of `_loaded`, though nothing is left of it
        self._begun = False
        self._iteration: weakref.ref[Iteration] | None = None
        self._run = 0
        self._tasks = Tasks()
        self._inner: WorkerLoader | None = None
        note_held_generators(dataset, self.collate_fn)
        if not self._is_iterable:
            warn_if_not_sharded(shard, self._sampling.sampler)

    @property
    def seed(self) -> int:
        """The seed of every order and every sample."""
        return self._seed

    @property
    def epoch(self) -> int:
        """The epoch under way; once it has ended, or before the first, the next one."""
        if self._loaded is not None:
            return self._loaded.epoch + (self._loaded.finished and not self._stays)
        under_way = self._begun and not self._position.finished
        return self._position.epoch if under_way else self._next_epoch

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch that the next iteration goes through.

        After `load_state_dict`, choosing the epoch of that state keeps the place in it.

        Args:
            epoch: From 0.

        Raises:
            UsageError: Not a number from 0 on.
        """
        if isinstance(epoch, bool) or not hasattr(epoch, "__index__") or epoch.__index__() < 0:
            raise UsageError(f"An epoch is a number from 0 on, and not {epoch!r}.")
        chosen = int(epoch.__index__())
        if self._loaded is not None and self._loaded.epoch == chosen:
            self._stays = True
            return
        self._loaded, self._begun = None, False
        self._next_epoch = chosen
        self._position = self._start_of(chosen)

    def state_dict(self) -> dict[str, Any]:
        """Where the loader stands: after the batch that was handed over last.

        The protocol is that of torchdata's StatefulDataLoader. All entries are plain values, but
        for what a sampler or an iterable dataset tells as its own state. No entry depends on the
        rank or the number of workers of a map-style dataset: every rank may save it, and any rank
        of any world size may load it.

        Returns:
            A new dict, to be given to `load_state_dict`.
        """
        return to_state(self._identity(), self._loaded or self._position)

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Go on where another loader stood: the next iteration begins with the batch after.

        An iteration that is under way stays as it is. An empty dict changes nothing.

        Args:
            state_dict: What `state_dict` returned.

        Raises:
            UsageError: It is something else, or comes from a loader that does not match this one;
                nothing was changed.
        """
        if not state_dict:
            return
        saved = from_state(state_dict)
        check(
            saved.identity,
            self._identity(),
            seed_was_chosen=self._seed_was_chosen,
            position=saved.position,
        )
        self._sampling.local(saved.position.taken)
        if self._is_iterable:
            resumed_stream(saved.position, self.num_workers)
        self._use_seed(saved.identity.seed)
        self._loaded, self._stays = saved.position, False
        self._inner = None  # its workers know of no other seed, and of no place to go on from

    def seek(self, epoch: int, batches: int) -> None:
        """Go to a batch by its number: the next iteration begins there, at no cost.

        So a batch that made trouble can be had again by itself, with the same augmentations.

        Args:
            epoch: From 0.
            batches: How many batches of the epoch to leave out, from 0.

        Raises:
            UsageError: Not numbers from 0 on, or the dataset is iterable: its items have no
                numbers.
        """
        if self._is_iterable:
            raise UsageError(
                "An iterable dataset has no batch that could be gone to by its number.",
                hint="Use state_dict() and load_state_dict().",
            )
        if type(batches) is not int or batches < 0:
            raise UsageError(f"The number of batches must be 0 or more, and is {batches!r}.")
        self.set_epoch(epoch)
        position = Position(epoch=self._next_epoch, batches=batches)
        taken = batches * self._sampling.cut(self._shard).round * self._sampling.replicas
        self._loaded, self._stays = replace(position, taken=taken), False

    def __len__(self) -> int:
        """Batches that this process gets in a whole epoch."""
        if self._is_iterable:
            return super().__len__() // self._shard.replicas
        return self._sampling.length(self._shard)

    def __iter__(self) -> Any:
        position, nothing_left = self._begin()
        earlier = None if self._iteration is None else self._iteration()
        if earlier is not None and self.persistent_workers:
            earlier.abandon()
        self._run += 1
        iteration, tasks = self._iteration_from(position, nothing_left)
        self._iteration = weakref.ref(iteration)
        self._position, self._begun = position, True
        if nothing_left:
            return iteration
        self._tasks.current = tasks
        inner = self._worker_loader(position) if self._inner is None else self._inner
        seed = self._keys.workers(position.epoch)[:7]
        inner.generator.manual_seed(int.from_bytes(seed, "little"))
        self._inner = inner if self.persistent_workers else None
        iteration.begin(iter(inner))
        return iteration

    def _begin(self) -> tuple[Position, bool]:
        """Where the next iteration begins, and whether nothing is left there."""
        chosen = self._sampling.chosen_epoch()
        if chosen is not None:
            self.set_epoch(chosen)
        position, self._loaded = self._loaded, None
        nothing_left = position is not None and position.finished and self._stays
        if position is None or (position.finished and not self._stays):
            epoch = self._next_epoch if position is None else position.epoch + 1
            position = self._start_of(epoch)
        elif self._is_iterable:
            warn_of_reading_again(position)
            position = resumed_stream(position, self.num_workers)
        self._stays = False
        self._next_epoch = position.epoch + 1
        self._sampling.set_epoch(position.epoch)
        return position, nothing_left

    def _start_of(self, epoch: int) -> Position:
        stream = StreamPosition.at_start(self.num_workers) if self._is_iterable else None
        return Position(epoch=epoch, stream=stream)

    def _iteration_from(
        self, position: Position, nothing_left: bool
    ) -> tuple[Iteration, Iterator[Any]]:
        run, replicas = self._run, self._sampling.replicas

        def moved(after: Position) -> None:
            if self._run == run:
                # Every microsecond here is one a batch.
                whole = replicas == 1
                self._position = after if whole else replace(after, taken=after.taken * replicas)

        local = replace(position, taken=position.taken // replicas)
        length = self._length()
        if nothing_left:
            return Iteration(local, moved, length), iter(())
        if self._is_iterable:
            tasks = stream_tasks(run, self._stream_cut().round, position)
            return StreamIteration(local, moved, length), tasks
        tickets: deque[Ticket] = deque()
        make = functools.partial(self._sampling.batches, self._keys, position, self._shard, run)
        return MapIteration(tickets, local, moved, length), map_tasks(make, tickets)

    def _worker_loader(self, position: Position) -> WorkerLoader:
        source: Any
        turn = 0
        if self._is_iterable:
            stream = position.stream or StreamPosition()
            turn = stream.turn if stream.shared_out else 0
            source = StreamSource(
                self.dataset,
                self.collate_fn,
                self._keys,
                self._stream_cut(),
                isolated=self.num_workers == 0,
                resumed=stream.resumed(),
                shared_out=stream.shared_out,
            )
        else:
            source = MapSource(
                self.dataset,
                self.collate_fn,
                self._keys,
                batched=self._auto_collation,
                isolated=self.num_workers == 0,
            )
        return WorkerLoader.with_settings_of(self, source, self._tasks, turn)

    def _stream_cut(self) -> StreamCut:
        return StreamCut(
            batch_size=self.batch_size,
            drop_last=self.drop_last,
            shard=self._shard,
            state_every=self.snapshot_every_n_steps,
        )

    @property
    def _is_iterable(self) -> bool:
        return isinstance(self.dataset, IterableDataset)

    def _length(self) -> int | None:
        try:
            return len(self)
        except (TypeError, NotImplementedError):
            return None

    def _identity(self) -> Identity:
        try:
            length = len(self.dataset)  # type: ignore[arg-type]
        except (TypeError, NotImplementedError):
            length = None
        order = "the dataset" if self._is_iterable else self._sampling.describe()
        return Identity(seed=self._seed, length=length, order=order)

    def _use_seed(self, seed: int) -> None:
        self._seed = seed
        self._keys = Keys(seed)
