"""Which samples, in which order, in which batches: what a loader's arguments say about it."""

from __future__ import annotations

from typing import Any

from torch.utils.data import BatchSampler
from torch.utils.data.distributed import DistributedSampler

from samebits.errors import UsageError
from samebits.training.data.batches import Batches, Cut, Shard
from samebits.training.data.keys import Keys
from samebits.training.data.order import ArrayOrder, IndexOrder, SamplerOrder, permutation
from samebits.training.data.position import Position


class Sampling:
    """The sampling of a map-style dataset.

    torch's own cutting of samples into batches (`BatchSampler`) is done here, so that a place in
    the order can be counted in samples. A batch sampler of another making is taken as it is.

    Args:
        dataset: Has a length, unless a sampler is given.
        shuffle: Whether the loader's own order is shuffled.
        sampler: The person's sampler, if any.
        batch_sampler: The person's batch sampler, if any.
        batch_size: Samples in a batch; `None` for samples as they come.
        drop_last: Whether to leave out what does not fill a round.
    """

    def __init__(
        self,
        dataset: Any,
        *,
        shuffle: bool,
        sampler: Any,
        batch_sampler: Any,
        batch_size: int | None,
        drop_last: bool,
    ) -> None:
        self._dataset = dataset
        self._shuffle = shuffle
        self._batch_sampler: Any = batch_sampler
        if type(batch_sampler) is BatchSampler:
            sampler, batch_size = batch_sampler.sampler, batch_sampler.batch_size
            drop_last = batch_sampler.drop_last
        self._of_batches = batch_sampler is not None and type(batch_sampler) is not BatchSampler
        self.sampler = batch_sampler if self._of_batches else sampler
        self._batch_size = 1 if self._of_batches or batch_size is None else batch_size
        self._drop_last = drop_last
        self._epoch_set = self._sampler_epoch()

    @property
    def replicas(self) -> int:
        """Over how many processes the person's own sampler shares the samples out."""
        inner = self.sampler
        return inner.num_replicas if isinstance(inner, DistributedSampler) else 1

    def describe(self) -> str:
        """Where the order comes from."""
        if self.sampler is None:
            return "shuffle" if self._shuffle else "the dataset's own order"
        return f"{'batch_sampler' if self._of_batches else 'sampler'} {type(self.sampler).__name__}"

    def cut(self, shard: Shard) -> Cut:
        """How the order becomes one rank's batches."""
        return Cut(
            batch_size=self._batch_size,
            of_batches=self._of_batches,
            drop_last=self._drop_last,
            shard=shard,
            repeats=self.sampler is not None,
        )

    def length(self, shard: Shard) -> int:
        """One rank's batches in a whole epoch.

        Raises:
            TypeError: The sampler has no length.
        """
        elements = len(self._dataset if self.sampler is None else self.sampler)
        return self.cut(shard).batches(elements)

    def batches(self, keys: Keys, position: Position, shard: Shard, run: int) -> Batches:
        """The batches of what is left of an epoch."""
        return Batches(
            self._order(keys, position),
            self.cut(shard),
            run=run,
            epoch=position.epoch,
            taken=self.local(position.taken),
            resumed=position.sampler is not None,
        )

    def local(self, taken: int) -> int:
        """How much of the person's sampler is gone, if so much is gone for all ranks together.

        Raises:
            UsageError: The ranks of a DistributedSampler cannot have taken that.
        """
        if taken % self.replicas:
            raise UsageError(
                f"{taken} samples of the epoch are gone, which {self.replicas} ranks of a "
                "DistributedSampler cannot have shared.",
                hint="Leave the sampler away and pass shard=True: it takes any world size.",
            )
        return taken // self.replicas

    def chosen_epoch(self) -> int | None:
        """The epoch that the person gave the sampler since `set_epoch`, if it was called at all."""
        epoch = self._sampler_epoch()
        return epoch if epoch != self._epoch_set else None

    def set_epoch(self, epoch: int) -> None:
        """Tell the sampler, and the sampler of a batch sampler, where they can be told."""
        told: list[Any] = [self._batch_sampler, self.sampler]
        told.insert(1, getattr(self._batch_sampler, "sampler", None))
        for one in told:
            if hasattr(one, "set_epoch"):
                one.set_epoch(epoch)
        self._epoch_set = self._sampler_epoch()

    def _sampler_epoch(self) -> int | None:
        for one in (self.sampler, getattr(self.sampler, "sampler", None)):
            epoch = getattr(one, "epoch", None)
            if type(epoch) is int and hasattr(one, "set_epoch"):
                return epoch
        return None

    def _order(self, keys: Keys, position: Position) -> IndexOrder:
        key = keys.order(position.epoch)
        if self.sampler is not None:
            return SamplerOrder(self.sampler, key, position.sampler)
        length = len(self._dataset)
        return ArrayOrder(permutation(length, key) if self._shuffle else range(length))
