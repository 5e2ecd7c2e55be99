"""A laboratory without processes: what varies is made up, and runs are compared by arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import pytest

from samebits.compare.attribution.budget import OutOfRunsError
from samebits.compare.attribution.circumstances import Circumstances
from samebits.compare.attribution.evidence import Entry, Evidence
from samebits.compare.attribution.procedure import Case
from samebits.compare.attribution.scope import WHOLE, Scope
from samebits.compare.attribution.situation import Situation
from samebits.compare.attribution.trials import Trial
from samebits.compare.values import ValueDifference, ValueDifferences
from samebits.compare.verdict import Divergence
from samebits.record.replays import Replays
from samebits.trace.rows import LedgerRow, Site

HOLDS = (
    *("addresses", "clock", "deterministic-algorithms", "entropy", "files", "hash-seed"),
    *("listing", "memory", "seeds", "thread-timing", "threads"),
)


def divergence(**changes: Any) -> Divergence:
    facts: dict[str, Any] = {
        "kind": "output",
        "step": 0,
        "phase": "setup",
        "op": "aten.lift_fresh",
        "file": "train.py",
        "line": 20,
        "rows": (7, 7),
        "data": True,
        "detail": "it differs",
    }
    return Divergence(**{**facts, **changes})


def entry(source: str, event: str = "read", line: int = 5, **changes: Any) -> Entry:
    """An entry of the ledger that both runs have; `other_digest` for one that differs."""
    other_digest = changes.pop("other_digest", changes.get("digest", 1))
    facts: dict[str, Any] = {
        "source": source,
        "event": event,
        "detail": source,
        "site": Site("train.py", line, "main", ""),
        "digest": 1,
        **changes,
    }
    origin = facts.pop("origin_row", None)
    row = LedgerRow(**facts)
    return Entry(row=row, other=LedgerRow(**{**facts, "digest": other_digest}), origin=origin)


@dataclass
class Script:
    """A script by what makes it differ.

    Attributes:
        parts: Each place where it differs with the holds that keep it still there, in order.
        replays: How its diverging operation repeats.
        variables: The line after which variables differ.
        luck: Which comparisons agree by chance, by their number among all of them, from 1.
        by_address: Whether it goes by addresses whatever else is held.
        pace: Steps at which the first, second ... pair parts that does; empty: as `parts` says.
    """

    parts: list[tuple[Divergence, frozenset[str]]]
    replays: Replays | None = None
    variables: int | None = None
    luck: tuple[int, ...] = ()
    by_address: bool = False
    pace: tuple[int, ...] = ()

    def parts_under(self, held: frozenset[str]) -> Divergence | None:
        for place, needed in self.parts:
            if not needed <= held:
                return place
        return None


@dataclass
class Bench:
    """Stands in for `Trials`; remembers what was asked."""

    script: Script
    budget: int = 24
    hangs_under: frozenset[str] = frozenset()
    hangs: bool = False
    calls: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    known: dict[Circumstances, Trial] = field(default_factory=dict)
    beside: list[tuple[str, ...]] = field(default_factory=list)
    pins_change_results: bool = False
    made: int = 0
    begun: set[Circumstances] = field(default_factory=set)
    parted: int = 0
    compared: int = 0

    def _spend(self, runs: int, what: str, circumstances: Circumstances) -> None:
        if self.budget < runs:
            raise OutOfRunsError
        self.budget -= runs
        held = ("control",) if circumstances.control else tuple(sorted(circumstances.held))
        self.calls.append((what, held))

    def pair(self, circumstances: Circumstances, scope: Scope, *, anew: bool = False) -> Trial:
        if circumstances in self.known and not anew:
            return self.known[circumstances]
        runs = 1 if circumstances in self.begun and not anew else 2
        self._spend(runs, "shaken pair" if circumstances.shaken else "pair", circumstances)
        trial = self.known[circumstances] = self._trial(circumstances, scope)
        return trial

    def beside_control(self, circumstances: Circumstances, scope: Scope) -> Trial:
        shaken = "shaken " if circumstances.shaken else ""
        control = Circumstances(control=True)
        self._spend(1 if control in self.begun else 2, f"{shaken}beside control", circumstances)
        trial = self._trial(circumstances, scope)
        if trial.divergence is None and self.pins_change_results:
            trial = replace(trial, divergence=self.script.parts[0][0])
        self.begun |= {circumstances, control}
        return trial

    def once_more(self, reference: Any, circumstances: Circumstances, scope: Scope) -> Trial:
        self._spend(1, "once more", circumstances)
        return self._trial(circumstances, scope)

    def _trial(self, circumstances: Circumstances, scope: Scope) -> Trial:
        held = circumstances.held
        if circumstances.control:
            held |= {"seeds", "hash-seed", "addresses", "deterministic-algorithms"}
        if circumstances.shaken and self.script.by_address:
            held = frozenset()
        self.compared += 1
        lucky = self.compared in self.script.luck
        found = None if lucky else self.script.parts_under(held)
        if found is not None and self.script.pace:
            found = replace(found, step=self.script.pace[self.parted % len(self.script.pace)])
            self.parted += 1
        return self._made(circumstances, found, scope)

    def _made(self, circumstances: Circumstances, found: Divergence | None, scope: Scope) -> Trial:
        self.made += 1
        return Trial(
            circumstances=circumstances,
            traces=(SimpleNamespace(), SimpleNamespace()),  # type: ignore[arg-type]
            divergence=found,
            usable=not (self.hangs or self.hangs_under & circumstances.held),
            whole=scope.whole,
            number=self.made,
        )

    def compare(
        self,
        reference: Any,
        other: Any,
        circumstances: Circumstances,
        scope: Scope,
        *,
        varied: Collection[str] = (),
    ) -> Trial:
        self.beside.append(tuple(sorted(varied)))
        found = self.script.parts[0][0] if self.pins_change_results else None
        return self._made(circumstances, found, scope)

    def against(self, reference: Trial, circumstances: Circumstances, scope: Scope) -> Trial:
        self._spend(1, "against", circumstances)
        moved = circumstances.shaken and self.script.by_address
        held = frozenset() if moved else circumstances.held
        return self._made(circumstances, self.script.parts_under(held), scope)

    def let_go(
        self, still: Circumstances, varied: Circumstances, scope: Scope, *, follow: bool
    ) -> tuple[Trial, ValueDifferences]:
        what = "values" if follow else "let go"
        self._spend(2, f"shaken {what}" if varied.shaken else what, varied)
        held = varied.held - ({"addresses"} if varied.shaken else set())
        trial = self._made(still, self.script.parts_under(held), scope)
        if self.script.variables is None or not follow:
            return trial, ValueDifferences()
        line = ValueDifference(
            file="train.py",
            line=self.script.variables,
            function="main",
            names=("labels",),
            kinds=("list",),
        )
        return trial, ValueDifferences(lines=(line,))

    def replays(self, circumstances: Circumstances, scope: Scope) -> Replays | None:
        self._spend(1, "replays", circumstances)
        return self.script.replays


@dataclass
class Attempt:
    """A case and the situation that it starts from."""

    case: Case
    situation: Situation
    bench: Bench


@pytest.fixture
def attempt() -> Callable[..., Attempt]:
    """Makes a case from what a script needs, or from its parts, and what its ledger holds."""

    def make(
        *needs: str,
        found: Divergence | None = None,
        parts: list[tuple[Divergence, frozenset[str]]] | None = None,
        entries: tuple[Entry, ...] = (),
        scope: Scope = WHOLE,
        replays: Replays | None = None,
        variables: int | None = None,
        usable: tuple[str, ...] = HOLDS,
        evidence: dict[str, Any] | None = None,
        comes_and_goes: bool = False,
        luck: tuple[int, ...] = (),
        by_address: bool = False,
        pace: tuple[int, ...] = (),
        diverged: tuple[int, ...] = (100, 101),
        agreed: tuple[int, ...] = (),
        **bench: Any,
    ) -> Attempt:
        found = found or (parts[0][0] if parts else divergence())
        parts = parts or [(found, frozenset(needs or {"nothing that can be held"}))]
        script = Script(
            parts,
            replays=replays,
            variables=variables,
            luck=luck,
            by_address=by_address,
            pace=pace,
        )
        made = Bench(script, **bench)
        traces: Any = (SimpleNamespace(), SimpleNamespace())
        situation = Situation(
            found=found,
            traces=traces,
            scope=scope,
            closer=found,
            closer_traces=traces,
            closer_scope=Scope(row=7),
            comes_and_goes=comes_and_goes,
            diverged=diverged,
            agreed=agreed,
        )

        def read(now: Situation) -> Evidence:
            return Evidence(found=now.closer, entries=entries, **(evidence or {}))

        case = Case(laboratory=made, usable=usable, read=read)
        return Attempt(case, situation, made)

    return make
