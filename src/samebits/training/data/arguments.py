"""What a loader says about its arguments when it is made."""

from __future__ import annotations

import warnings
from typing import Any

from torch.utils.data import IterDataPipe, MapDataPipe

from samebits.errors import UsageError
from samebits.training.data.held import find

_NAMED = 5  # generators that a note names


def refuse(dataset: Any, in_order: bool, snapshot_every_n_steps: int) -> None:
    """Refuse what cannot be loaded in a fixed order.

    Raises:
        UsageError: A data pipe, batches out of order, or no number of steps.
    """
    if isinstance(dataset, (IterDataPipe, MapDataPipe)):
        raise UsageError(
            f"The dataset is a data pipe ({type(dataset).__name__}), and torch has given them up.",
            hint="Wrap it in an IterableDataset, or keep torch's own DataLoader for it.",
        )
    if not in_order:
        raise UsageError(
            "in_order=False hands batches over as they are ready: in another order in each run.",
            hint="Leave it away. A higher prefetch_factor evens out samples that take long.",
        )
    if snapshot_every_n_steps < 1:
        raise UsageError(
            f"snapshot_every_n_steps must be 1 or more, and is {snapshot_every_n_steps}."
        )


def note_held_generators(dataset: Any, collate: Any) -> None:
    """Say which generators of the person's objects the loader sets, if there are any."""
    found = [("dataset", one) for one in find(dataset)]
    found += [("collate_fn", one) for one in find(collate)]
    if not found:
        return
    names = ", ".join(f"{owner}.{one.path} ({one.kind})" for owner, one in found[:_NAMED])
    more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    warnings.warn(
        f"The loader sets {names}{more} for each sample, from the seed, the epoch and the index. "
        "Each worker has a copy of it, and all copies would draw the same numbers.",
        UserWarning,
        stacklevel=3,
    )
