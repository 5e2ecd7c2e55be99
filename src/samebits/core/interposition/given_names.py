"""Names that a hook has given in this process, in the place of those that the system would give."""

from __future__ import annotations

_GIVEN: list[str] = []
_MOST = 1024
_LONGEST = 64


def note_name(drawn: bytes) -> bytes:
    """Remember what a name was made of.

    Args:
        drawn: The bytes; only the first and short ones are remembered.

    Returns:
        The bytes.
    """
    if len(drawn) <= _LONGEST and len(_GIVEN) < _MOST:
        _GIVEN.append(drawn.hex())
    return drawn


def given_names() -> tuple[str, ...]:
    """What names were made of, in hexadecimal digits."""
    return tuple(_GIVEN)
