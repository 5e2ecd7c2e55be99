"""Which numbers of a data set a loader reads, where a script deals them out itself.

A `Subset` says so, and a sampler that is a list or a range of numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

from samebits.check.record.least_digests import LeastDigests

_MOST_NUMBERS = 1_000_000


def share_of(iterator: Any) -> dict[str, Any] | None:
    """The numbers that a loader's iterator goes through, as the manifest keeps them.

    Args:
        iterator: The iterator of a DataLoader over a data set with numbered samples.

    Returns:
        `{of, count, first, last, sum, least}`: how many samples there are to share out, how many of
        them the loader reads, the least and the greatest number, what the numbers add up to, and
        the least of their digests. None where no such numbers are known, or too many.
    """
    try:
        found = _numbers(iterator)
        if found is None:
            return None
        numbers, among = found
        if not 0 < len(numbers) <= min(among, _MOST_NUMBERS):
            return None
        plain = [int(number) for number in numbers]
    except Exception:
        return None  # it is a data set of the user's, which may answer anything
    return noted_share(plain, among)


def noted_share(numbers: Sequence[int], among: int) -> dict[str, Any]:
    """What is kept of the numbers that one rank reads, at least one, see `share_of`."""
    least = LeastDigests()
    least.add(map(_digest, numbers))
    return {
        "of": among,
        "count": len(numbers),
        "first": min(numbers),
        "last": max(numbers),
        "sum": sum(numbers),
        "least": least.to_json(),
    }


def _numbers(iterator: Any) -> tuple[Sequence[int], int] | None:
    """The numbers, and how many samples there are to share out."""
    from torch.utils.data import RandomSampler, SequentialSampler, Subset, SubsetRandomSampler

    dataset = iterator._dataset
    sampler = getattr(iterator._index_sampler, "sampler", iterator._index_sampler)
    if isinstance(sampler, SubsetRandomSampler):
        sampler = sampler.indices
    if isinstance(sampler, range | list | tuple):
        return sampler, len(dataset)
    whole = isinstance(sampler, SequentialSampler) or (
        isinstance(sampler, RandomSampler) and not sampler.replacement
    )
    if isinstance(dataset, Subset) and whole and len(sampler) == len(dataset):
        return dataset.indices, len(dataset.dataset)  # type: ignore[arg-type]
    return None


def _digest(number: int) -> int:
    return int.from_bytes(blake2b(str(number).encode(), digest_size=8).digest(), "little")
