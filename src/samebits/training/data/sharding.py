"""Which rank this is, and whether that was thought of."""

from __future__ import annotations

import warnings
from typing import Any

import torch.distributed
from torch.utils.data.distributed import DistributedSampler

from samebits.errors import UsageError
from samebits.training.data.batches import Shard


def chosen_shard(shard: bool | tuple[int, int] | None, sampler: Any) -> Shard:
    """The part of each round that a loader's `shard` argument stands for.

    Args:
        shard: True for what `torch.distributed` says, a pair (rank, world size), or nothing.
        sampler: The person's sampler.

    Raises:
        UsageError: No such rank, no process group, or a sampler that does the same already.
    """
    if shard is None or shard is False:
        return Shard()
    if _is_distributed(sampler):
        raise UsageError(
            "The sampler is a DistributedSampler, which gives each rank its own samples already.",
            hint="Leave the sampler away and pass shard=True with shuffle=True.",
        )
    if shard is True:
        running = _running()
        if running is None:
            raise UsageError(
                "shard=True asks torch.distributed for the rank, and no process group is there.",
                hint="Call init_process_group before, or pass shard=(rank, world_size).",
            )
        return running
    try:
        rank, replicas = (int(part.__index__()) for part in shard)
    except (TypeError, ValueError, AttributeError):
        raise UsageError(
            f"shard must be True or a pair (rank, world_size) of integers, and is {shard!r}."
        ) from None
    if not 0 <= rank < replicas:
        raise UsageError(
            f"shard={shard!r} has rank {rank}, which must lie between 0 and {replicas - 1}."
        )
    return Shard(rank, replicas)


def warn_if_not_sharded(shard: object, sampler: Any) -> None:
    """Tell the ranks of a distributed run that they all get the same, unless that was chosen."""
    running = _running()
    if running is None or running.replicas == 1 or shard is not None:
        return
    if sampler is not None:
        return
    warnings.warn(
        f"There are {running.replicas} ranks, and this loader gives the same samples in the same "
        "order to all of them. shard=True gives each its part; shard=False says that it is meant.",
        UserWarning,
        stacklevel=3,
    )


def _running() -> Shard | None:
    distributed = torch.distributed
    if not (distributed.is_available() and distributed.is_initialized()):
        return None
    return Shard(distributed.get_rank(), distributed.get_world_size())


def _is_distributed(sampler: Any) -> bool:
    inner = getattr(sampler, "sampler", None)
    return isinstance(sampler, DistributedSampler) or isinstance(inner, DistributedSampler)
