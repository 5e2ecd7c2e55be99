"""The line to blame, and what is known of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from samebits.check.diff.ledger_pairs import LedgerPair

GoesBy = Literal["identity", "string", "value", "mixed", "unknown"]
"""What an order goes by: addresses, the hash seed, neither, both, or what cannot be told."""


@dataclass(frozen=True, kw_only=True)
class WalkedSet:
    """A line that walks a set, or asks for a hash or an address.

    Attributes:
        file: The file.
        line: The line that the statement begins at.
        goes_by: What the order goes by.
        ordered: Whether `sorted` can compare the elements.
        is_set: Whether a set was met there, and not a hash or an address alone.
    """

    file: str
    line: int
    goes_by: GoesBy
    ordered: bool
    is_set: bool = False


@dataclass(frozen=True, kw_only=True)
class Culprit:
    """A place in the user's code, and what stands there.

    Attributes:
        file: The file; None when no line can be named.
        line: The line, counted from 1.
        detail: Which generator, variable or operation: "numpy", "labels".
        entry: The ledger's entry, where one names the place.
        variable: The variable that differs first, where values were followed.
        operation: The operation, where the place is that of one.
        seeded: Whether what was read or drawn here became a seed.
        seeds: Another line that gave a generator a different seed in each run, "train.py:9".
        seeded_before: The line that had given the generator a seed, which this one takes back.
        torch_is_seeded: Whether the script was seen to seed torch's own generator.
        rewritten: Of files that a run leaves to the next one: those that both runs changed.
        left: Those that the first one wrote and the second one found.
        digested: Lines that take a digest of a name, "splits.py:7", where a name is to blame.
        holds_address: Whether the variable is a text that holds an object's address.
        walked: What is known of the set that the line walks, where values were followed.
        walks_none: Whether the line was seen to walk no set, where values were followed.
        alike: File and line of other sets that are walked in an order of the same kind, before the
            runs diverge.
        compared: The field of an ordered dataclass that is stored there, "Trial.seconds, at
            trials.py:12", where a time is to blame.
        by_source: Whether the line was found by reading the source alone.
    """

    file: str | None = None
    line: int | None = None
    detail: str = ""
    entry: LedgerPair | None = None
    variable: str = ""
    operation: str = ""
    seeded: bool = False
    seeds: str = ""
    seeded_before: str = ""
    torch_is_seeded: bool = False
    rewritten: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    digested: tuple[str, ...] = ()
    holds_address: bool = False
    walked: WalkedSet | None = None
    walks_none: bool = False
    alike: tuple[tuple[str, int], ...] = ()
    compared: str = ""
    by_source: bool = False
