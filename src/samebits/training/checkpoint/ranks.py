"""Doing things on several ranks at once: what fails on one of them fails on all.

A rank that raised by itself would leave the others waiting for it for ever.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

import torch

from samebits.errors import CheckpointError, DamagedCheckpointError, SamebitsError

T = TypeVar("T")

_Told = tuple[str, str, bool]
_OF_A_RANK = re.compile(r"rank \d+: ")


def is_distributed() -> bool:
    """Whether this process is one of several that train together."""
    parts = torch.distributed
    return parts.is_available() and parts.is_initialized() and parts.get_world_size() > 1


def settled(action: Callable[[], T]) -> T:
    """Do something, on every rank where there are several; raise on all if it failed on one.

    Raises:
        CheckpointError: It failed here; or, of several ranks, on any: the message says on which.
    """
    if is_distributed():
        return together(action)
    try:
        return action()
    except CheckpointError:
        raise
    except Exception as error:
        message, hint, damaged = _telling(error)
        raise _raised(message, hint, damaged) from error


def together(action: Callable[[], T]) -> T:
    """Do something on every rank; raise on every rank if it failed on one.

    What is no `Exception`, such as an interrupt, stays what it is on the rank where it came up.

    Raises:
        CheckpointError: It failed here or elsewhere; the message says on which rank.
    """
    result: T | None = None
    failure: BaseException | None = None
    try:
        result = action()
    except BaseException as error:  # the others wait for this rank's word
        failure = error
    all_told: list[_Told | None] = [None] * torch.distributed.get_world_size()
    torch.distributed.all_gather_object(all_told, None if failure is None else _telling(failure))
    _raise_first(list(enumerate(all_told)), failure)
    return result  # type: ignore[return-value]


def from_first(action: Callable[[], T]) -> T:
    """What rank 0 finds, on every rank; the others do not look.

    Raises:
        CheckpointError: It failed on rank 0.
    """
    if not is_distributed():
        return action()
    result: T | None = None
    failure: BaseException | None = None
    if torch.distributed.get_rank() == 0:
        try:
            result = action()
        except BaseException as error:  # the others wait for its word
            failure = error
    found, told = agreed((result, None if failure is None else _telling(failure)))
    _raise_first([(0, told)], failure)
    return found  # type: ignore[return-value]


def agreed(value: T) -> T:
    """Rank 0's value, on every rank."""
    box: list[Any] = [value]
    torch.distributed.broadcast_object_list(box, src=0)
    return box[0]  # type: ignore[no-any-return]


def agreed_any(value: bool) -> bool:
    """Whether it is true on any rank."""
    told: list[Any] = [None] * torch.distributed.get_world_size()
    torch.distributed.all_gather_object(told, value)
    return any(told)


def _raise_first(told: list[tuple[int, _Told | None]], failure: BaseException | None) -> None:
    """Raise what the first rank that failed has told, if any did."""
    if failure is not None and not isinstance(failure, Exception):
        raise failure
    failed = [(rank, one) for rank, one in told if one is not None]
    if failed:
        rank, (message, hint, damaged) = failed[0]
        # What the ranks have told each other before has its rank already.
        named = message if _OF_A_RANK.match(message) else f"rank {rank}: {message}"
        raise _raised(named, hint, damaged) from failure


def _telling(error: BaseException) -> _Told:
    """What the other ranks have to know of a failure."""
    if isinstance(error, SamebitsError):
        return error.message, error.hint or "", isinstance(error, DamagedCheckpointError)
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}{f': {error.filename}' if error.filename else ''}", "", False
    text = str(error)
    return f"{type(error).__name__}{f': {text}' if text else ''}", "", False


def _raised(message: str, hint: str, damaged: bool) -> CheckpointError:
    kind = DamagedCheckpointError if damaged else CheckpointError
    return kind(message, hint=hint or None)
