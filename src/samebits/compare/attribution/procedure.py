"""The decision procedure: from two runs that part to the cause of it, proved where it can be.

docs/how-it-works/attribution.md draws it; each box there is a method here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from samebits.compare.attribution.evidence import Evidence, gather
from samebits.compare.attribution.position import is_alike, moved_on
from samebits.compare.attribution.scope import Scope
from samebits.compare.attribution.situation import Situation
from samebits.compare.attribution.suspects import STRONG, Suspect, on_equal_inputs, suspects
from samebits.compare.attribution.trials import Circumstances, OutOfRunsError, Trial
from samebits.compare.values import ValueDifferences
from samebits.record.replays import Replays

_ALONE = 4
"""Suspects that are held alone before everything is held at once."""

_AGAIN = 2
"""Pairs that must agree after the first one, where pairs agree now and then by themselves."""


class Laboratory(Protocol):
    """Where counterfactual runs are made; see `Trials`."""

    budget: int

    def pair(self, circumstances: Circumstances, scope: Scope, attempt: int = 1) -> Trial:
        """Two runs in the same circumstances."""

    def against(self, reference: Trial, circumstances: Circumstances, scope: Scope) -> Trial:
        """One run in other circumstances, beside one that was made."""

    def values(self, still: Circumstances, varied: Circumstances, scope: Scope) -> ValueDifferences:
        """Where variables part between two circumstances."""

    def replays(self, circumstances: Circumstances, scope: Scope) -> Replays | None:
        """How the operation at the end of the scope repeats."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What made the runs part in one situation.

    Attributes:
        suspects: Those that were convicted; several when only together they explain it.
        proved: Whether counterfactual runs showed it.
        holds: What has to be held still for the runs to come further.
        trial: The pair that came further, where there was one.
        replays: How the operation repeats, where that was the proof.
        everything: The pair with everything held still, where it was made.
        could_hold: Everything that may have varied and can be held still.
    """

    suspects: tuple[Suspect, ...]
    proved: bool
    holds: frozenset[str] = frozenset()
    trial: Trial | None = None
    replays: Replays | None = None
    everything: Trial | None = None
    could_hold: frozenset[str] = frozenset()


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
        refuted: Holds that alone did not bring the runs further, where they part now.
    """

    laboratory: Laboratory
    usable: Sequence[str]
    read: Callable[[Situation], Evidence] = gather
    already: frozenset[str] = frozenset()
    spent: bool = field(default=False, init=False)
    tried: set[str] = field(default_factory=set, init=False)
    refuted: set[str] = field(default_factory=set, init=False)

    def explain(self, situation: Situation) -> tuple[Finding, Evidence]:
        """Why the runs part here: the first of the proofs that succeeds.

        Args:
            situation: Where they part.
        """
        self.refuted.clear()
        evidence = self.read(situation)
        ranked = [s for s in suspects(evidence) if s.hold not in situation.held | self.already]
        if situation.comes_and_goes:
            ranked = [suspect for suspect in ranked if suspect.hold in _NOW_AND_THEN]
        try:
            finding = (
                self._operation_does_not_repeat(situation, evidence)
                or self._one_hold_suffices(situation, ranked)
                or self._several_holds_suffice(situation, ranked)
            )
        except OutOfRunsError:
            self.spent = True
            finding = None
        finding = finding or self._unproved(ranked)
        names = frozenset(s.hold for s in ranked if s.hold in self.usable)
        return replace(finding, could_hold=names), evidence

    def under_control(self, situation: Situation, held: Collection[str]) -> bool | None:
        """Whether two runs agree under `samebits run --seed 0`; None where it was not tried.

        Args:
            situation: The last one that was explained; the runs go as far as those for it went.
            held: What has to be held still.
        """
        if self.already or not HELD_BY_RUN.issuperset(held):
            return None
        try:
            trial = self.laboratory.pair(Circumstances(control=True), situation.scope)
        except OutOfRunsError:
            return None
        return trial.usable and trial.divergence is None

    def could_hold(self, finding: Finding) -> frozenset[str]:
        """What to hold still while variables are followed: all that leaves results as they are."""
        return finding.could_hold - _CHANGES_ALGORITHMS

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
        return Finding(suspects=(suspect,), proved=True, holds=holds, trial=trial, replays=replays)

    def _one_hold_suffices(self, situation: Situation, ranked: Sequence[Suspect]) -> Finding | None:
        """Two runs with one thing held still come further."""
        strong = [
            suspect
            for suspect in ranked
            if suspect.hold in self.usable
            # Nothing else can be tried where single runs tell nothing.
            and (suspect.weight >= STRONG or situation.comes_and_goes)
        ]
        found = []
        for suspect in strong[:_ALONE]:
            holds = _with_needed(suspect.hold)
            # A hash seed that is fixed keeps a few objects in order too, as long as nothing moves
            # them: imports walk sets of strings, and that decides where later objects lie.
            shaken = suspect.hold == "hash-seed" and any(s.hold == "addresses" for s in strong)
            trial = self._pair(situation, holds, shaken=shaken)
            if not _came_further(situation, trial):
                if trial.usable:
                    self.refuted.add(suspect.hold)
                continue
            finding = Finding(suspects=(suspect,), proved=True, holds=holds, trial=trial)
            if is_alike(situation.found, trial.divergence):
                found.append(finding)  # unless another hold explains more
            elif self._is_no_chance(situation, trial):
                return finding
        return next((f for f in found if self._is_no_chance(situation, f.trial)), None)

    def _is_no_chance(self, situation: Situation, trial: Trial | None) -> bool:
        """Whether what is held has brought a pair further, where pairs come further now and then.

        Where they agree by themselves now and then, they must agree again and again. Where they
        part later at a place like the one before, two more runs show whether they do so anyway.
        """
        if trial is None:
            return False
        if not situation.comes_and_goes:
            return not (is_alike(situation.found, trial.divergence) and self._wanders(situation))
        further = (
            self.laboratory.pair(trial.circumstances, situation.scope, attempt)
            for attempt in range(2, _AGAIN + 2)
        )
        return all(_came_further(situation, once_more) for once_more in further)

    def _wanders(self, situation: Situation) -> bool:
        """Whether two runs with nothing more held still come further than those before them."""
        circumstances = Circumstances(held=situation.held)
        return _came_further(situation, self.laboratory.pair(circumstances, situation.scope, 2))

    def _several_holds_suffice(
        self, situation: Situation, ranked: Sequence[Suspect]
    ) -> Finding | None:
        """Two runs with everything held still come further: then which of it is needed?"""
        if situation.comes_and_goes:
            return None  # single runs tell nothing then
        tried = frozenset(self.tried)
        names = [s.hold for s in ranked if s.hold in self.usable]
        everything = self._pair(situation, frozenset(names))
        if not _came_further(situation, everything):
            return None
        convicted: list[Suspect] = []
        # Where objects lie changes with anything else that is let go, so it has to be asked first,
        # unless holding it has not helped; what only a pair of runs can tell comes last.
        asked_alone = "addresses" in tried
        order = {"addresses": 2 if asked_alone else 0, **dict.fromkeys(_CHANGES_ALGORITHMS, 3)}
        ordered = sorted(_one_a_hold(ranked, self.usable), key=lambda s: order.get(s.hold, 1))
        for suspect in ordered:
            if not self._makes_a_difference(situation, everything, suspect):
                continue
            convicted.append(suspect)
            holds = frozenset().union(*(_with_needed(s.hold) for s in convicted))
            trial = self._pair(situation, holds)
            if _came_further(situation, trial) and self._is_no_chance(situation, trial):
                return Finding(
                    suspects=tuple(convicted),
                    proved=True,
                    holds=holds,
                    trial=trial,
                    everything=everything,
                )
        return Finding(
            suspects=tuple(convicted),
            proved=False,
            holds=frozenset(names),
            trial=everything,
            everything=everything,
        )

    def _makes_a_difference(
        self, situation: Situation, everything: Trial, suspect: Suspect
    ) -> bool:
        """Whether a run parts from one with everything held when this one thing is let go."""
        if suspect.hold in _CHANGES_ALGORITHMS:
            # These change what is computed by themselves: only a pair of runs can tell.
            rest = everything.circumstances.held - situation.held - {suspect.hold}
            return not _came_further(situation, self._pair(situation, rest))
        freed = replace(
            everything.circumstances, held=everything.circumstances.held - {suspect.hold}
        )
        trial = self.laboratory.against(everything, freed, situation.scope)
        return not _came_further(situation, trial)

    def _pair(self, situation: Situation, holds: frozenset[str], *, shaken: bool = False) -> Trial:
        circumstances = Circumstances(held=situation.held | holds, shaken=shaken)
        trial = self.laboratory.pair(circumstances, situation.scope)
        if trial.usable:
            self.tried |= holds
        return trial

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
        """Nothing that can be held still explains it."""
        return Finding(suspects=tuple(ranked), proved=False)


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


def _one_a_hold(ranked: Iterable[Suspect], usable: Sequence[str]) -> list[Suspect]:
    first: dict[str, Suspect] = {}
    for suspect in ranked:
        if suspect.hold in usable:
            first.setdefault(suspect.hold, suspect)
    return list(first.values())
