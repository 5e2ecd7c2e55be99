"""Transformers: a Trainer whose data come from samebits.DataLoader.

    class MyTrainer(ExactLoading, transformers.Trainer):
        pass

The Trainer's own checkpoints hold the generators of Python, NumPy and torch. What they lack are the
random numbers of the loader's workers, which depend on how far these had run ahead. It resumes an
epoch by leaving out as many batches as were used: here they are left out by their number.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator
from typing import Any

import torch.distributed
from torch.utils.data import IterableDataset, RandomSampler, SequentialSampler

from samebits.training.data import DataLoader


class TrainerLoader(DataLoader[Any]):
    """A loader of which a Trainer may leave out the first batches of the epoch that it names next.

    Attributes:
        left_out: How many batches.
    """

    left_out = 0

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch, and go to the batch that comes after those that are left out."""
        left_out, self.left_out = self.left_out, 0
        if left_out:
            self.seek(epoch, left_out)
        else:
            super().set_epoch(epoch)


class ExactLoading:
    """A mixin for `transformers.Trainer`, to be named before it.

    The order of the samples comes from `data_seed` (or `seed`) and the epoch, each sample's
    augmentation from its index as well, for any number of workers and of processes. Batches are not
    handed to Accelerate: the Trainer itself moves them to the device.
    """

    args: Any

    def get_train_dataloader(self) -> Any:
        """The Trainer's own loader, made anew as samebits.DataLoader.

        That of an iterable dataset is left as it is: its items have no numbers.
        """
        trainer: Any = self
        original = super().get_train_dataloader()  # type: ignore[misc]
        if isinstance(original.dataset, IterableDataset):
            return original
        arguments = trainer.args
        world = torch.distributed.is_available() and torch.distributed.is_initialized()
        workers = arguments.dataloader_num_workers
        more: dict[str, Any] = {}
        if workers:
            more["persistent_workers"] = arguments.dataloader_persistent_workers
            more["prefetch_factor"] = arguments.dataloader_prefetch_factor
        seed = arguments.seed if arguments.data_seed is None else arguments.data_seed
        return TrainerLoader(
            original.dataset,
            batch_size=trainer._train_batch_size,
            collate_fn=original.collate_fn,
            drop_last=arguments.dataloader_drop_last,
            num_workers=workers,
            pin_memory=arguments.dataloader_pin_memory and torch.accelerator.is_available(),
            seed=seed,
            shard=True if world else None,
            **self._order(),
            **more,
        )

    def train(self, *args: Any, **kwargs: Any) -> Any:
        """Train as the Trainer does; batches that were used before are left out by their number."""
        with _batches_left_out_by_number():
            return super().train(*args, **kwargs)  # type: ignore[misc]

    def _order(self) -> dict[str, Any]:
        trainer: Any = self
        sampler = trainer._get_train_sampler()
        if sampler is None or type(sampler) is SequentialSampler:
            return {}
        return {"shuffle": True} if type(sampler) is RandomSampler else {"sampler": sampler}


@contextlib.contextmanager
def _batches_left_out_by_number() -> Iterator[None]:
    """While a Trainer trains, let it go to a batch of our loader instead of fetching all before.

    It calls a function of Accelerate for that, which takes a loader apart and makes one of torch's
    out of it.
    """
    module: Any = importlib.import_module("transformers.trainer")
    original = module.skip_first_batches

    def skip_first_batches(dataloader: Any, num_batches: int = 0) -> Any:
        if not isinstance(dataloader, TrainerLoader):
            return original(dataloader, num_batches)
        dataloader.left_out = num_batches
        return dataloader

    module.skip_first_batches = skip_first_batches
    try:
        yield
    finally:
        if module.skip_first_batches is skip_first_batches:
            module.skip_first_batches = original
