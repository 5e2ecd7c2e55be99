"""Trials without processes: what varies is made up, and runs are compared by arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import pytest
from tests.check.causes.made_up import divergence

from samebits.check.causes.evidence import Evidence
from samebits.check.diff.ledger_pairs import LedgerPair
from samebits.check.diff.value_lines import ValueDifference
from samebits.check.diff.values import ValueDifferences
from samebits.check.diff.verdict import Divergence
from samebits.check.record.replays import Replays
from samebits.check.trials.attribution.budget import OutOfRunsError
from samebits.check.trials.attribution.case import Case
from samebits.check.trials.attribution.interventions import Interventions
from samebits.check.trials.attribution.scope import WHOLE, RunScope
from samebits.check.trials.attribution.situation import Situation
from samebits.check.trials.attribution.trial import Trial

HOLDS = (
    *("addresses", "clock", "deterministic-algorithms", "entropy", "files", "hash-seed"),
    *("listing", "memory", "seeds", "thread-timing", "threads"),
)


@dataclass
class Script:
    """A script by what makes it differ.

    Attributes:
        parts: Each place where it differs with the holds that keep it still there, in order.
        replays: How its diverging operation repeats.
        variables: The line after which variables differ.
        luck: Which comparisons agree by chance, by their number among all of them, from 1.
        let_go_luck: Pins without which a single run agrees by chance.
        by_address: Whether it goes by addresses whatever else is held.
        pace: Steps at which the first, second ... pair parts that does; empty: as `parts` says.
    """

    parts: list[tuple[Divergence, frozenset[str]]]
    replays: Replays | None = None
    variables: int | None = None
    luck: tuple[int, ...] = ()
    let_go_luck: tuple[str, ...] = ()
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
    known: dict[tuple[Interventions, RunScope], Trial] = field(default_factory=dict)
    beside: list[tuple[str, ...]] = field(default_factory=list)
    pins_change_results: bool = False
    made: int = 0
    begun: set[Interventions] = field(default_factory=set)
    diverged: int = 0
    compared: int = 0
    has_time_for_whole_runs: bool = True
    was_cheap: bool = True
    shaken_at_the_end: bool = False
    clock: dict[str, float] = field(default_factory=dict)

    def with_an_uneven_clock(self, circumstances: Interventions, scope: RunScope) -> Trial | None:
        if self.clock:
            return None
        self.clock = {"uneven": 1}
        trial = self.pair(circumstances, scope, anew=True)
        if trial.usable:
            return trial
        self.clock = {}
        return None

    def _hangs_under(self, pinned: frozenset[str]) -> bool:
        under = self.hangs_under - {"an even clock"}
        even = "an even clock" in self.hangs_under and "clock" in pinned and not self.clock
        return bool(under & pinned) or even

    def _spend(self, runs: int, what: str, circumstances: Interventions) -> None:
        if self.budget < runs:
            raise OutOfRunsError
        self.budget -= runs
        held = ("control",) if circumstances.control else tuple(sorted(circumstances.pinned))
        self.calls.append((what, held))

    def pair(self, circumstances: Interventions, scope: RunScope, *, anew: bool = False) -> Trial:
        if (circumstances, scope) in self.known and not anew:
            return self.known[circumstances, scope]
        runs = 1 if circumstances in self.begun and not anew else 2
        self._spend(runs, "shaken pair" if circumstances.shaken else "pair", circumstances)
        trial = self.known[circumstances, scope] = self._trial(circumstances, scope)
        return trial

    def beside_control(self, circumstances: Interventions, scope: RunScope) -> Trial:
        shaken = "shaken " if circumstances.shaken else ""
        control = Interventions(control=True)
        self._spend(1 if control in self.begun else 2, f"{shaken}beside control", circumstances)
        trial = self._trial(circumstances, scope)
        if trial.divergence is None and self.pins_change_results:
            trial = replace(trial, divergence=self.script.parts[0][0])
        self.begun |= {circumstances, control}
        return trial

    def once_more(self, reference: Any, circumstances: Interventions, scope: RunScope) -> Trial:
        self._spend(1, "once more", circumstances)
        return self._trial(circumstances, scope)

    def _trial(self, circumstances: Interventions, scope: RunScope) -> Trial:
        held = circumstances.pinned
        if circumstances.control:
            held |= {"seeds", "hash-seed", "addresses", "deterministic-algorithms"}
        if circumstances.shaken and self.script.by_address:
            held = frozenset()
        self.compared += 1
        lucky = self.compared in self.script.luck
        found = None if lucky else self.script.parts_under(held)
        if scope.whole and self.shaken_at_the_end:
            found = self.script.parts[0][0]
        if found is not None and scope.row is not None and (found.rows[0] or 0) > scope.row:
            found = None
        if found is not None and self.script.pace:
            found = replace(found, step=self.script.pace[self.diverged % len(self.script.pace)])
            self.diverged += 1
        return self._made(circumstances, found, scope)

    def _made(
        self, circumstances: Interventions, found: Divergence | None, scope: RunScope
    ) -> Trial:
        self.made += 1
        return Trial(
            circumstances=circumstances,
            traces=(_trace(), _trace()),
            divergence=found,
            usable=not (self.hangs or self._hangs_under(circumstances.pinned)),
            whole=scope.whole,
            number=self.made,
        )

    def compare(
        self,
        reference: Any,
        other: Any,
        circumstances: Interventions,
        scope: RunScope,
        *,
        varied: Collection[str] = (),
    ) -> Trial:
        self.beside.append(tuple(sorted(varied)))
        found = self.script.parts_under(circumstances.pinned)
        if found is None and self.pins_change_results:
            found = self.script.parts[0][0]
        return self._made(circumstances, found, scope)

    def against(self, reference: Trial, circumstances: Interventions, scope: RunScope) -> Trial:
        self._spend(1, "against", circumstances)
        moved = circumstances.shaken and self.script.by_address
        held = frozenset() if moved else circumstances.pinned
        held |= frozenset(self.script.let_go_luck)
        return self._made(circumstances, self.script.parts_under(held), scope)

    def let_go(
        self, still: Interventions, varied: Interventions, scope: RunScope, *, follow: bool
    ) -> tuple[Trial, ValueDifferences]:
        what = "values" if follow else "let go"
        self._spend(2, f"shaken {what}" if varied.shaken else what, varied)
        held = varied.pinned - ({"addresses"} if varied.shaken else set())
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

    def replays(self, circumstances: Interventions, scope: RunScope) -> Replays | None:
        self._spend(1, "replays", circumstances)
        return self.script.replays


def _trace() -> Any:
    """A run that took ten seconds."""
    manifest = SimpleNamespace(
        seconds=10.0,
        extra={},
        files=[],
        threads=(),
        script={},
        code=[],
        cwd="/work",
        exit={"code": 0},
        ending={},
    )
    return SimpleNamespace(
        manifest=manifest, ledger=list, count_ops=lambda: 0, rows=lambda indices: []
    )


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
        entries: tuple[LedgerPair, ...] = (),
        scope: RunScope = WHOLE,
        replays: Replays | None = None,
        variables: int | None = None,
        usable: tuple[str, ...] = HOLDS,
        evidence: dict[str, Any] | None = None,
        comes_and_goes: bool = False,
        luck: tuple[int, ...] = (),
        let_go_luck: tuple[str, ...] = (),
        by_address: bool = False,
        pace: tuple[int, ...] = (),
        diverged: tuple[int, ...] = (100, 101),
        **bench: Any,
    ) -> Attempt:
        found = found or (parts[0][0] if parts else divergence())
        parts = parts or [(found, frozenset(needs or {"nothing that can be held"}))]
        script = Script(
            parts,
            replays=replays,
            variables=variables,
            luck=luck,
            let_go_luck=let_go_luck,
            by_address=by_address,
            pace=pace,
        )
        made = Bench(script, **bench)
        traces = (_trace(), _trace())
        situation = Situation(
            found=found,
            traces=traces,
            scope=scope,
            closer=found,
            closer_traces=traces,
            closer_scope=RunScope(row=7),
            comes_and_goes=comes_and_goes,
            diverged=diverged,
        )

        def read(now: Situation) -> Evidence:
            return Evidence(found=now.closer, entries=entries, **(evidence or {}))

        case = Case(trials=made, usable=usable, read=read)
        return Attempt(case, situation, made)

    return make
