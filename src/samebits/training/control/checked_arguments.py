"""Reading a person's wishes: the arguments that `deterministic`, `audit` and a launcher share."""

from __future__ import annotations

from samebits.errors import UsageError
from samebits.training.control.switches.interpreter import LARGEST_HASH_SEED
from samebits.training.control.switches.switch import Requirements


def checked_target(
    *, mode: object = "error", threads: object = None, hash_seed: object = None
) -> Requirements:
    """Return the target that the arguments ask for.

    Args:
        mode: "error" or "warn".
        threads: A number of threads from 1 on, or `None`.
        hash_seed: From 0 to 4294967295, or `None`.

    Raises:
        UsageError: An argument is none of these.
    """
    if mode not in ("error", "warn"):
        raise UsageError(
            f'The mode must be "error" or "warn", and is {mode!r}.',
            hint='"error" stops at an operation without a deterministic implementation, '
            '"warn" only says so.',
        )
    return Requirements(
        mode=mode,
        threads=_whole_number("number of threads", threads, 1, 4096),
        hash_seed=_whole_number("hash seed", hash_seed, 0, LARGEST_HASH_SEED),
    )


def _whole_number(what: str, value: object, least: int, most: int) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise UsageError(f"The {what} must be an integer or None, and is {value!r}.")
    number = int(value.__index__())
    if not least <= number <= most:
        raise UsageError(f"The {what} must lie between {least} and {most}, and is {number}.")
    return number
