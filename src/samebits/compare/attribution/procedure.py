"""The decision procedure: from two runs that diverge to the cause, proved where it can be.

docs/how-it-works/attribution.md draws it; each box there is a method here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from samebits.compare.attribution import culprit as culprits
from samebits.compare.attribution.budget import OutOfRunsError
from samebits.compare.attribution.circumstances import Circumstances
from samebits.compare.attribution.evidence import Evidence, gather
from samebits.compare.attribution.findings import Finding, Laboratory
from samebits.compare.attribution.position import is_alike, moved_on
from samebits.compare.attribution.record import Outcome, Record
from samebits.compare.attribution.scope import Scope
from samebits.compare.attribution.situation import Situation
from samebits.compare.attribution.suspects import (
    STRONG,
    Suspect,
    on_equal_inputs,
    suspects,
)
from samebits.compare.attribution.trials import Trial
from samebits.compare.attribution.walked_sets import ORDERS, codes_of
from samebits.compare.values import ValueDifferences
from samebits.trace.reader import Trace

_ALONE = 4
"""Suspects that are pinned alone before everything is pinned at once."""


@dataclass(frozen=True)
class _Made:
    """A run that was made.

    Attributes:
        trace: The run.
        held: All that was pinned in it.
        scope: How far it went.
    """

    trace: Trace
    held: frozenset[str]
    scope: Scope


@dataclass(kw_only=True)
class Case:
    """One attribution under way.

    Attributes:
        laboratory: Makes the runs.
        usable: Names of the holds that work on this machine.
        read: Gathers what two runs have noted.
        already: Holds that the runs of the check had themselves, under `--control`.
        spent: Whether the budget was not enough.
        tried: Holds that runs were made with.
        refuted: Holds that alone did not bring the runs further, where they diverge now.
        record: What the runs that were made have shown, where they diverge now.
        orders: Where variables differ when every order varies and all else is pinned.
        _made: Runs with something pinned, where the runs diverge now.
        _counted: What was pinned in findings for which a run with more pinned was looked for.
        _same_under_control: How far runs went, and what was pinned in one of two that came to the
            same bits, the other one under `samebits run`.
    """

    laboratory: Laboratory
    usable: Sequence[str]
    read: Callable[[Situation], Evidence] = gather
    already: frozenset[str] = frozenset()
    spent: bool = field(default=False, init=False)
    tried: set[str] = field(default_factory=set, init=False)
    refuted: set[str] = field(default_factory=set, init=False)
    record: Record = field(default_factory=Record, init=False)
    orders: ValueDifferences | None = field(default=None, init=False)
    _made: list[_Made] = field(default_factory=list, init=False)
    _counted: set[frozenset[str]] = field(default_factory=set, init=False)
    _same_under_control: set[tuple[Scope, frozenset[str]]] = field(default_factory=set, init=False)

    def explain(
        self, situation: Situation, *, but: Collection[str] = ()
    ) -> tuple[Finding, Evidence]:
        """Why the runs diverge here: the first explanation that counterfactual runs speak for.

        Args:
            situation: Where they diverge.
            but: Holds that were found not to suffice, here.
        """
        if not but:
            self.refuted.clear()
            self._forget()
            self.orders = None
            self.record = Record.of(situation)
        evidence = self.read(situation)
        ranked = [
            suspect
            for suspect in suspects(evidence)
            if suspect.hold not in situation.held | self.already and suspect.hold not in but
        ]
        if situation.comes_and_goes:
            ranked = [suspect for suspect in ranked if suspect.hold in _NOW_AND_THEN]
        finding: Finding | None = None
        try:
            finding = (
                self._operation_does_not_repeat(situation, evidence)
                or self._one_hold_suffices(situation, ranked)
                or self._several_holds_suffice(situation, ranked)
            )
        except OutOfRunsError:
            self.spent = True
        finding = finding or self._unproved(ranked)
        names = frozenset(s.hold for s in ranked if s.hold in self.usable)
        return replace(finding, could_hold=names, rivals=self._rivals(finding, ranked)), evidence

    def under_control(self, situation: Situation, held: Collection[str]) -> bool | None:
        """Whether two runs agree under `samebits run --seed 0`; None where it was not tried.

        Args:
            situation: The last one that was explained; the runs go as far as those for it went.
            held: What has to be pinned.
        """
        if self.already or not HELD_BY_RUN.issuperset(held):
            return None
        if (situation.scope, frozenset(held)) in self._same_under_control:
            return True
        try:
            trial = self.laboratory.pair(Circumstances(control=True), situation.scope)
        except OutOfRunsError:
            return None
        return trial.usable and trial.divergence is None

    def count_a_run_with_more_pinned(self, situation: Situation, finding: Finding) -> None:
        """A run in which more was pinned speaks for a finding too, if it came to the same bits.

        A pin may change what is computed, and a run in which it did says nothing here. All such
        runs are one piece of evidence: with that much pinned, they were bound to agree.

        Args:
            situation: Where the runs diverge.
            finding: What was convicted; a pair with just that pinned has come further.
        """
        pinned = situation.held | finding.holds
        if finding.trial is None or pinned in self._counted:
            return
        self._counted.add(pinned)
        if (situation.scope, pinned) in self._same_under_control:
            return  # its pair is of that kind already
        for made in self._made:
            if not made.held > pinned or made.scope.from_step != situation.scope.from_step:
                continue
            trial = self.laboratory.compare(
                made.trace,
                finding.trial.traces[0],
                replace(finding.trial.circumstances, shaken=False),
                made.scope,
                varied=made.held - pinned,
            )
            if _came_further(situation, trial):
                self.record.add(pinned, outcome_of(situation, trial), trial.number)
                return

    def let_go(
        self, situation: Situation, finding: Finding, suspect: Suspect, *, follow: bool
    ) -> ValueDifferences | None:
        """Where variables differ when the suspect alone varies; None where the budget is spent.

        That the runs diverge then, though all rivals are pinned, speaks against the suspect.
        """
        held = (finding.could_hold - _CHANGES_ALGORITHMS) | situation.held | finding.holds
        still = Circumstances(held=held)
        # Without randomisation being held, few objects may lie in the same order all the same.
        shaken = suspect.hold == "addresses"
        varied = replace(still, held=still.held - {suspect.hold}, shaken=shaken)
        if suspect.hold == "files":
            # What is pinned is that nothing is left behind: two runs that do leave it differ.
            still = varied
        try:
            trial, values = self.laboratory.let_go(
                still, varied, situation.closer_scope, follow=follow
            )
        except OutOfRunsError:
            self.spent = True
            return None
        if trial.usable:
            further = moved_on(situation.closer, trial.divergence)
            self.record.add_let_go(suspect.hold, further=further, number=trial.number)
            self._keep(trial, still.held, situation.closer_scope)
        return values

    def everything(self, finding: Finding, situation: Situation) -> Circumstances:
        """All pinned that leaves results as they are."""
        held = (finding.could_hold - _CHANGES_ALGORITHMS) | situation.held
        return Circumstances(held=held)

    def _operation_does_not_repeat(
        self, situation: Situation, evidence: Evidence
    ) -> Finding | None:
        """The operation gave other bits on the same inputs, and does so again in one process."""
        if not on_equal_inputs(evidence) or situation.closer_scope.row is None:
            return None
        replays = self.laboratory.replays(
            Circumstances(held=situation.held), situation.closer_scope
        )
        if replays is None or not replays.differs:
            return None
        suspect = Suspect(
            hold="deterministic-algorithms" if replays.settled_by("deterministic") else "threads",
            code="nondeterministic-op",
            detail=replays.op,
            weight=100,
        )
        holds: frozenset[str] = frozenset()
        trial = None
        if replays.settled_by("deterministic") or replays.settled_by("one-thread"):
            holds = frozenset({suspect.hold}) & frozenset(self.usable)
            trial = self._pair_if_affordable(situation, holds)
        return Finding(
            suspects=(suspect,), convicted=True, holds=holds, trial=trial, replays=replays
        )

    def _one_hold_suffices(self, situation: Situation, ranked: Sequence[Suspect]) -> Finding | None:
        """Two runs with one thing pinned come further."""
        strong = [
            suspect
            for suspect in ranked
            if suspect.hold in self.usable
            and suspect.hold not in self.refuted
            # Nothing else can be tried where single runs tell nothing.
            and (suspect.weight >= STRONG or situation.comes_and_goes)
        ]
        farther = None
        for suspect in self._in_turn(situation, ranked, strong[:_ALONE]):
            holds = _with_needed(suspect.hold)
            # A hash seed that is fixed keeps a few objects in order too, as long as nothing moves
            # them: imports walk sets of strings, and that decides where later objects lie.
            shaken = suspect.hold == "hash-seed" and any(s.hold == "addresses" for s in strong)
            trial = self._beside_control(situation, holds, shaken=shaken)
            trial = trial or self._pair(situation, holds, shaken=shaken)
            if not _came_further(situation, trial) or not self._is_by_address(
                situation, trial, suspect
            ):
                if trial.usable:
                    self.refuted.add(suspect.hold)
                continue
            finding = Finding(suspects=(suspect,), convicted=True, holds=holds, trial=trial)
            if outcome_of(situation, trial) >= Outcome.FURTHER:
                return finding
            farther = farther or finding  # unless another hold explains more
        return farther

    def _is_by_address(self, situation: Situation, pinned: Trial, suspect: Suspect) -> bool:
        """Whether addresses are needed, where these were pinned with the hash seed beside them.

        Where the hash seed alone was not tried before, one run more has it alone, with objects at
        other addresses. True for any other suspect.
        """
        if suspect.hold != "addresses" or self.refuted & _NEEDS["addresses"]:
            return True
        hash_seed = pinned.circumstances.held - {"addresses"}
        if hash_seed == pinned.circumstances.held - _with_needed("addresses"):
            return True  # the hash seed was set from outside
        freed = replace(pinned.circumstances, held=hash_seed, shaken=True)
        trial = self.laboratory.against(pinned, freed, situation.scope)
        further = _came_further(situation, trial)
        if trial.usable:
            self.record.add_let_go("addresses", further=further, number=trial.number)
        return not further

    def _in_turn(
        self, situation: Situation, ranked: Sequence[Suspect], strong: Sequence[Suspect]
    ) -> Iterator[Suspect]:
        """The suspects one after another; of two orders the one that the walked set can have."""
        waiting, asked = list(strong), situation.comes_and_goes
        while waiting:
            orders = [suspect for suspect in waiting if suspect.code in ORDERS]
            unclear = len(orders) > 1 and not any(suspect.entries for suspect in orders)
            if waiting[0] in orders and unclear and not asked:
                asked = True
                possible = self._possible_orders(situation, ranked)
                orders.sort(key=lambda suspect: suspect.code not in possible)
                rest = [suspect for suspect in waiting if suspect.code not in ORDERS]
                # Without, two runs have agreed: it is left to the runs with everything pinned.
                waiting = [*orders, *rest] if possible else rest
            if waiting:
                yield waiting.pop(0)

    def _possible_orders(self, situation: Situation, ranked: Sequence[Suspect]) -> tuple[str, ...]:
        """What the order can go by, told by the elements of the set that is walked.

        Two runs follow variables, with everything pinned in one and every order free in the other.

        Returns:
            Codes of causes; none where the two come further, so that it hardly is an order.
        """
        if self.orders is None:
            names = {s.hold for s in ranked if s.hold in self.usable} - _CHANGES_ALGORITHMS
            still = Circumstances(held=situation.held | names)
            free = replace(still, held=still.held - {"addresses", "hash-seed"}, shaken=True)
            trial, values = self.laboratory.let_go(still, free, situation.closer_scope, follow=True)
            if not trial.usable:
                return ORDERS
            self._keep(trial, still.held, situation.closer_scope)
            if moved_on(situation.closer, trial.divergence):
                return ()
            self.record.add(free.held, Outcome.DIVERGED, trial.number)
            self.orders = values
        place = culprits.of_order(self.orders, situation.closer)
        walked = None if place is None else place.walked
        return ORDERS if walked is None else codes_of(walked.goes_by)

    def _several_holds_suffice(
        self, situation: Situation, ranked: Sequence[Suspect]
    ) -> Finding | None:
        """Two runs with everything pinned come further: then which of it is needed?"""
        if situation.comes_and_goes:
            return None  # single runs tell nothing then
        tried = frozenset(self.tried)
        names = [s.hold for s in ranked if s.hold in self.usable]
        everything = self._pair(situation, frozenset(names))
        if not _came_further(situation, everything):
            return None
        convicted: list[Suspect] = []
        # Where objects lie changes with anything else that is let go, so it has to be asked first,
        # unless pinning it has not helped; what only a pair of runs can tell comes last.
        asked_alone = "addresses" in tried
        order = {"addresses": 2 if asked_alone else 0, **dict.fromkeys(_CHANGES_ALGORITHMS, 3)}
        ordered = sorted(_one_a_hold(ranked, self.usable), key=lambda s: order.get(s.hold, 1))
        for suspect in ordered:
            if not self._makes_a_difference(situation, everything, suspect):
                continue
            convicted.append(suspect)
            holds = frozenset().union(*(_with_needed(s.hold) for s in convicted))
            trial = self._pair(situation, holds)
            if _came_further(situation, trial):
                return Finding(
                    suspects=tuple(convicted),
                    convicted=True,
                    holds=holds,
                    trial=trial,
                    everything=everything,
                )
        return Finding(
            suspects=tuple(convicted),
            convicted=False,
            holds=frozenset(names),
            trial=everything,
            everything=everything,
        )

    def _makes_a_difference(
        self, situation: Situation, everything: Trial, suspect: Suspect
    ) -> bool:
        """Whether a run diverges from one with everything pinned when this one thing is let go."""
        if suspect.hold in _CHANGES_ALGORITHMS:
            # These change what is computed by themselves: only a pair of runs can tell.
            rest = everything.circumstances.held - situation.held - {suspect.hold}
            return not _came_further(situation, self._pair(situation, rest))
        freed = replace(
            everything.circumstances, held=everything.circumstances.held - {suspect.hold}
        )
        trial = self.laboratory.against(everything, freed, situation.scope)
        further = _came_further(situation, trial)
        if trial.usable:
            self.record.add_let_go(suspect.hold, further=further, number=trial.number)
        return not further

    def _rivals(self, finding: Finding, ranked: Sequence[Suspect]) -> tuple[Suspect, ...]:
        """Suspects that the runs' own notes speak for, that no run has refuted or convicted."""
        accused = {suspect.hold for suspect in finding.suspects} | finding.holds
        return tuple(
            suspect
            for suspect in ranked
            if suspect.hold not in accused | self.refuted
            and suspect.hold in self.usable
            and suspect.weight >= STRONG
            and suspect.is_evident
        )

    def _beside_control(
        self, situation: Situation, holds: frozenset[str], *, shaken: bool
    ) -> Trial | None:
        """A run with something pinned and one under `samebits run`, where that pins it too.

        If they agree, no pair of either kind is needed; None if they do not.
        """
        pinned = situation.held | holds
        addresses = "addresses" in holds  # for which nothing is promised under `samebits run`
        if self.already or addresses or not pinned <= HELD_BY_RUN or situation.comes_and_goes:
            return None
        circumstances = Circumstances(held=pinned, shaken=shaken)
        trial = self.laboratory.beside_control(circumstances, situation.scope)
        if not trial.usable or trial.divergence is not None:
            return None
        self.tried |= holds
        self._same_under_control.add((situation.scope, pinned))
        self.note(situation, trial)
        return trial

    def refute(self, hold: str) -> None:
        """A run has diverged although this was pinned: nothing that rests on it stands."""
        self.refuted.add(hold)
        self._forget()

    def _forget(self) -> None:
        self._made.clear()
        self._counted.clear()
        self._same_under_control.clear()

    def _pair(self, situation: Situation, holds: frozenset[str], *, shaken: bool = False) -> Trial:
        circumstances = Circumstances(held=situation.held | holds, shaken=shaken)
        trial = self.laboratory.pair(circumstances, situation.scope)
        if trial.usable:
            self.tried |= holds
            self._keep(trial, circumstances.held, situation.scope, runs=2)
        self.note(situation, trial)
        return trial

    def _keep(self, trial: Trial, held: frozenset[str], scope: Scope, *, runs: int = 1) -> None:
        if trial.usable:
            self._made += [_Made(trace, held, scope) for trace in trial.traces[:runs]]

    def note(self, situation: Situation, trial: Trial) -> None:
        """Keep what a trial has shown of where the runs diverge."""
        if trial.usable:
            outcome = outcome_of(situation, trial)
            self.record.add(trial.circumstances.held, outcome, trial.number)

    def _pair_if_affordable(self, situation: Situation, holds: frozenset[str]) -> Trial | None:
        if not holds:
            return None
        try:
            trial = self._pair(situation, holds)
        except OutOfRunsError:
            self.spent = True
            return None
        return trial if _came_further(situation, trial) else None

    def _unproved(self, ranked: Sequence[Suspect]) -> Finding:
        """Nothing that can be pinned explains it."""
        return Finding(suspects=tuple(ranked), convicted=False)


# What has to be still before something else can be: where objects lie depends on the order in which
# sets of strings are walked while modules are imported.
_NEEDS = {"addresses": frozenset({"hash-seed"})}

HELD_BY_RUN = frozenset({"addresses", "deterministic-algorithms", "hash-seed", "seeds"})
"""Holds that `samebits run` has too."""

# Holding these gives other results even where the runs would agree without.
_CHANGES_ALGORITHMS = frozenset({"threads", "deterministic-algorithms"})

# What may make a difference that comes and goes; everything else is another one in every run.
_NOW_AND_THEN = frozenset(
    {"clock", "deterministic-algorithms", "memory", "thread-timing", "threads"}
)


def _with_needed(hold: str) -> frozenset[str]:
    return frozenset({hold}) | _NEEDS.get(hold, frozenset())


def _came_further(situation: Situation, trial: Trial) -> bool:
    return trial.usable and moved_on(situation.found, trial.divergence)


def outcome_of(situation: Situation, trial: Trial | None) -> Outcome:
    """How far the runs of a usable trial came."""
    if trial is None or not moved_on(situation.found, trial.divergence):
        return Outcome.DIVERGED
    if trial.divergence is None:
        return Outcome.AGREED
    later = is_alike(situation.found, trial.divergence)
    return Outcome.LATER if later else Outcome.FURTHER


def _one_a_hold(ranked: Iterable[Suspect], usable: Sequence[str]) -> list[Suspect]:
    first: dict[str, Suspect] = {}
    for suspect in ranked:
        if suspect.hold in usable:
            first.setdefault(suspect.hold, suspect)
    return list(first.values())
