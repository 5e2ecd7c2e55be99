"""Where objects lie in memory."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator
from typing import ClassVar

from samebits.check.causes.cause import KnownCause
from samebits.check.causes.culprit import Culprit, GoesBy
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.hypothesis import Hypothesis, Standing
from samebits.check.causes.pin import Pin
from samebits.check.causes.variation import Baseline, LineSource, Variation
from samebits.check.causes.writing.seeds import given_number
from samebits.check.causes.writing.set_order import instead_of_pop, kept_in_order
from samebits.check.causes.writing.sort_keys import key_with_more
from samebits.core.interposition.surroundings import Surroundings
from samebits.core.source.statement import Statement

_NO_TEXT_OF_ITS_OWN = (
    "The text of an object without a __repr__ of its own, or of a function, holds its address. Use "
    "a name that the object holds in place of the object, or give its class a __repr__ that "
    "returns one."
)
_NO_HASH_OF_ITS_OWN = (
    "Python makes the hash of NaN, of None before Python 3.12, and of an object without a __hash__ "
    "of its own out of the address, and with it that of a tuple which holds one. Fill in what is "
    "missing first, leave it out, or put a fixed value such as -1 in its place. In place of "
    "an object take a name or the fields that it holds, and zlib.crc32(repr(values).encode()) in "
    "place of hash(), which gives another number for text in each run."
)
_EQUAL_BY_THE_KEY = (
    "Objects that are equal by this key stay in the order of the set. Add to the key what tells "
    "them apart, such as a name or a number that each of them holds: {}."
)


class AddressesPin(Pin):
    """The process is laid out in memory in the same way each time.

    Where objects lie depends on the order in which sets of strings are walked while modules are
    imported: the hash seed has to be still as well.
    """

    name: ClassVar[str] = "addresses"
    what: ClassVar[str] = "address randomisation off"
    beside_a_variation: ClassVar[bool] = True
    needs: ClassVar[frozenset[str]] = frozenset({"hash-seed"})
    by_run: ClassVar[bool] = True
    inside_operations: ClassVar[bool] = True

    def not_applicable(self) -> str | None:
        """Outside of Linux there is no call for it."""
        if sys.platform.startswith("linux"):
            return None
        return f"{sys.platform} offers no call for it"

    def pinned(self) -> Surroundings:
        """No randomisation."""
        return Surroundings(addresses="fixed")


class AddressesVariation(Variation):
    """Objects lie elsewhere in memory, also relative to each other."""

    name: ClassVar[str] = "addresses"
    what: ClassVar[str] = "objects at other addresses, and in another order of addresses"
    meaning: ClassVar[str] = "an order depended on memory addresses"
    fix: ClassVar[str] = "Sort by something that the objects hold, such as a name, not by id()."
    lines: ClassVar[tuple[LineSource, ...]] = ("order",)
    hook: ClassVar[str | None] = "addresses"
    idle: ClassVar[str | None] = (
        "new objects were still allocated in a regular order: whether an order depends on "
        "addresses could not be tested"
    )

    def surroundings(self, circumstances: Baseline) -> Surroundings:
        """Randomised addresses, also where control fixes them, and a shuffled heap."""
        return super().surroundings(circumstances) | Surroundings(addresses="random")


class AddressOrder(KnownCause):
    """An address reached a result: as an order, a number, a text."""

    code: ClassVar[str] = "address-order"
    meaning: ClassVar[str] = (
        "A result depended on memory addresses: through the iteration order of a set of objects, "
        "through id() or the default hash, or through the default repr of an object or a function."
    )
    look: ClassVar[str] = (
        "Sort by something that the objects hold, such as a name; where an address enters as a "
        "number or as text (id(), hash(), the repr of an object or a function), take the name in "
        "its place."
    )
    pins: ClassVar[tuple[Pin, ...]] = (AddressesPin(),)
    variations: ClassVar[tuple[Variation, ...]] = (AddressesVariation(),)
    orders: ClassVar[frozenset[GoesBy]] = frozenset({"identity", "mixed", "unknown"})

    def hypotheses(self, evidence: Evidence) -> Iterator[Hypothesis]:
        """Always possible: only who makes a hash of an address is noted."""
        entries = [entry for entry in evidence.of("address") if entry.differs]
        yield Hypothesis(
            pin="addresses",
            code=self.code,
            standing=Standing.NOTED if entries else Standing.POSSIBLE,
            entries=entries,
        )

    def written(self, statement: Statement, culprit: Culprit) -> str | None:
        """Objects in an order of their own; an id() that became a seed is a number."""
        if culprit.holds_address or _is_hashed(culprit):
            return None
        if culprit.walked is not None and key_with_more(statement):
            return None
        if culprit.walks_none:
            return given_number(statement, culprit)
        written = given_number(statement, culprit) or kept_in_order(statement)
        return written if written or culprit.walked is None else instead_of_pop(statement)

    def advice(self, culprit: Culprit, pinned: Collection[str], statement: Statement | None) -> str:
        """What to write in place of an object's text, or of its hash, where that was seen."""
        if _is_hashed(culprit):
            return _NO_HASH_OF_ITS_OWN
        key = "" if statement is None or culprit.walked is None else key_with_more(statement)
        if key:
            return _EQUAL_BY_THE_KEY.format(key)
        return _NO_TEXT_OF_ITS_OWN if culprit.holds_address else self.look


def _is_hashed(culprit: Culprit) -> bool:
    """Whether the line asks for a `hash()` that is made of an address."""
    return culprit.entry is not None and culprit.entry.row.source == "address"
