"""The hash seed: the order of a set of strings, a hash of a string."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from typing import ClassVar

from samebits.check.causes.cause import KnownCause
from samebits.check.causes.culprit import Culprit, GoesBy
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.hypothesis import Hypothesis, Standing
from samebits.check.causes.pin import Pin
from samebits.check.causes.variation import Baseline, LineSource, Variation
from samebits.check.causes.writing.set_order import (
    instead_of_pop,
    kept_in_order,
    sorted_sets,
)
from samebits.check.diff.ledger_pairs import LedgerPair
from samebits.core.interposition.surroundings import Surroundings
from samebits.core.source.statement import Statement, statement_at, unpacks

_SEED, _OTHER_SEED = "4242", "2424"
_WALKED_EARLIER = (
    "This line walks no set; what it is given is in the order of one that was walked before. Write "
    "sorted(...) around that set. Until then, start Python with PYTHONHASHSEED=0."
)

_UNPACKED = (
    "What this line unpacks is a set, or is in the order of one that was walked before: another "
    "name gets another element. Put the elements in order where the set is made, as a tuple: "
    "tuple(sorted(xs)) in place of frozenset(xs), or here: a, b = sorted(xs). Until then, start "
    "Python with PYTHONHASHSEED=0."
)


def _seeds_with_a_hash(entry: LedgerPair) -> bool:
    """Whether the line that gives a seed asks for a hash itself."""
    statement = None if entry.place is None else statement_at(*entry.place)
    return statement is not None and any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "hash"
        for node in statement.expressions()
    )


class HashSeedPin(Pin):
    """Hashes of strings, and with them the order of sets, are the same in every run."""

    name: ClassVar[str] = "hash-seed"
    what: ClassVar[str] = "Python's hash seed fixed (PYTHONHASHSEED=0)"
    beside_a_variation: ClassVar[bool] = True
    by_run: ClassVar[bool] = True

    def pinned(self) -> Surroundings:
        """Hash seed 0."""
        return Surroundings(environment={"PYTHONHASHSEED": "0"})


class HashSeedVariation(Variation):
    """Hashes of strings come out differently, and with them the order of sets."""

    name: ClassVar[str] = "hash-seed"
    what: ClassVar[str] = "another hash seed (PYTHONHASHSEED)"
    meaning: ClassVar[str] = "the order of a set, or a hash of a string, reached a result"
    fix: ClassVar[str] = "Wrap the set, or whatever is ordered by its hash, in sorted(...)."
    lines: ClassVar[tuple[LineSource, ...]] = ("order",)

    def surroundings(self, circumstances: Baseline) -> Surroundings:
        """A hash seed that the person has not fixed."""
        given: Mapping[str, str] = circumstances.environment
        taken = given.get("PYTHONHASHSEED") == _SEED
        return Surroundings(environment={"PYTHONHASHSEED": _OTHER_SEED if taken else _SEED})


class HashOrder(KnownCause):
    """A set was walked in the order of its elements' hashes."""

    code: ClassVar[str] = "hash-order"
    meaning: ClassVar[str] = "The order of a set, or a hash of a string, reached a result."
    look: ClassVar[str] = (
        "Write sorted(...) around the set. Until then, start Python with PYTHONHASHSEED=0."
    )
    look_elsewhere: ClassVar[str] = (
        "Write sorted(...) around the sets in what that process runs. Until then, start Python "
        "with PYTHONHASHSEED=0, which other processes inherit."
    )
    pins: ClassVar[tuple[Pin, ...]] = (HashSeedPin(),)
    variations: ClassVar[tuple[Variation, ...]] = (HashSeedVariation(),)
    orders: ClassVar[frozenset[GoesBy]] = frozenset({"string", "mixed", "unknown"})
    ledger_names_the_line: ClassVar[bool] = False

    def hypotheses(self, evidence: Evidence) -> Iterator[Hypothesis]:
        """Possible wherever the seed is not fixed from outside: walking a set leaves no note."""
        if evidence.hash_seed_fixed:
            return
        entries = [entry for entry in evidence.of("hash") if entry.differs]
        # That of a tuple, say, leaves no entry of its own.
        entries += filter(_seeds_with_a_hash, evidence.other_seeds)
        yield Hypothesis(
            pin="hash-seed",
            code=self.code,
            standing=Standing.NOTED if entries else Standing.POSSIBLE,
            entries=entries,
        )

    def written(self, statement: Statement, culprit: Culprit) -> str | None:
        """The set with sorted(...) around it, or what it is made of without the set."""
        walked = culprit.walked
        if culprit.walks_none:
            return None  # what is walked here is no set: sorting it would leave the order as it is
        if walked is not None and walked.goes_by == "identity":
            return kept_in_order(statement) or instead_of_pop(statement)
        written = sorted_sets(statement, comparable=None if walked is None else walked.ordered)
        return written if written or walked is None else instead_of_pop(statement)

    def advice(self, culprit: Culprit, pinned: Collection[str], statement: Statement | None) -> str:
        """Where the set is to be looked for, if the line was seen to walk none."""
        if not culprit.walks_none:
            return self.look
        return _UNPACKED if statement is not None and unpacks(statement) else _WALKED_EARLIER
