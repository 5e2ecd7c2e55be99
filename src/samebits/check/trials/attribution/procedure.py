"""The decision procedure: from two runs that diverge to the cause, proved where it can be.

docs/how-it-works/attribution.md draws it; each box there is a method here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from samebits.check import causes
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.hypothesis import Hypothesis, Standing
from samebits.check.diff.position import moved_on
from samebits.check.diff.values import ValueDifferences
from samebits.check.trials.attribution import culprit as culprits
from samebits.check.trials.attribution.budget import OutOfRunsError
from samebits.check.trials.attribution.findings import FoundCause, Laboratory
from samebits.check.trials.attribution.gathering import gather
from samebits.check.trials.attribution.interventions import (
    CHANGES_RESULTS,
    NOW_AND_THEN,
    PINNED_BY_RUN,
    Interventions,
    with_needed,
)
from samebits.check.trials.attribution.made_runs import MadeRuns
from samebits.check.trials.attribution.outcome import came_further, outcome_of
from samebits.check.trials.attribution.record import Outcome, Record
from samebits.check.trials.attribution.situation import Situation
from samebits.check.trials.attribution.trials import Trial

_ALONE = 4
"""Hypotheses that are pinned alone before everything is pinned at once."""


@dataclass(kw_only=True)
class Case:
    """One attribution under way.

    Attributes:
        laboratory: Makes the runs.
        usable: Names of the pins that work on this machine.
        read: Gathers what two runs have noted.
        already: Pins that the runs of the check had themselves, under `--control`.
        spent: Whether the budget was not enough.
        tried: Pins that runs were made with.
        refuted: Pins that alone did not bring the runs further, where they diverge now.
        record: What the runs that were made have shown, where they diverge now.
        orders: Where variables differ when every order varies and all else is pinned.
        made: Runs with something pinned, where the runs diverge now.
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
    made: MadeRuns = field(default_factory=MadeRuns, init=False)

    def explain(
        self, situation: Situation, *, but: Collection[str] = ()
    ) -> tuple[FoundCause, Evidence]:
        """Why the runs diverge here: the first explanation that counterfactual runs speak for.

        Args:
            situation: Where they diverge.
            but: Pins that were found not to suffice, here.
        """
        if not but:
            self.refuted.clear()
            self.made.forget()
            self.orders = None
            self.record = Record.of(situation)
        evidence = self.read(situation)
        ranked = [
            hypothesis
            for hypothesis in causes.hypotheses(evidence)
            if hypothesis.pin not in situation.pinned | self.already and hypothesis.pin not in but
        ]
        if situation.comes_and_goes:
            ranked = [hypothesis for hypothesis in ranked if hypothesis.pin in NOW_AND_THEN]
        finding: FoundCause | None = None
        try:
            finding = (
                self._operation_does_not_repeat(situation, evidence)
                or self._one_pin_suffices(situation, ranked)
                or self._several_pins_suffice(situation, ranked)
            )
        except OutOfRunsError:
            self.spent = True
        finding = finding or self._unproved(ranked)
        names = frozenset(s.pin for s in ranked if s.pin in self.usable)
        return replace(finding, could_pin=names, rivals=self._rivals(finding, ranked)), evidence

    def under_control(self, situation: Situation, pinned: Collection[str]) -> bool | None:
        """Whether two runs agree under `samebits run --seed 0`; None where it was not tried.

        Args:
            situation: The last one that was explained; the runs go as far as those for it went.
            pinned: What has to be pinned.
        """
        if self.already or not PINNED_BY_RUN.issuperset(pinned):
            return None
        if self.made.are_same_under_control(situation.scope, frozenset(pinned)):
            return True
        try:
            trial = self.laboratory.pair(Interventions(control=True), situation.scope)
        except OutOfRunsError:
            return None
        return trial.usable and trial.divergence is None

    def count_a_run_with_more_pinned(self, situation: Situation, finding: FoundCause) -> None:
        """A run in which more was pinned speaks for a finding too, if it came to the same bits.

        A pin may change what is computed, and a run in which it did says nothing here. All such
        runs are one piece of evidence: with that much pinned, they were bound to agree.

        Args:
            situation: Where the runs diverge.
            finding: What was confirmed; a pair with just that pinned has come further.
        """
        if finding.trial is None:
            return
        pinned = situation.pinned | finding.pins
        for made in self.made.with_more_pinned(situation.scope, pinned):
            trial = self.laboratory.compare(
                made.trace,
                finding.trial.traces[0],
                replace(finding.trial.circumstances, shaken=False),
                made.scope,
                varied=made.pinned - pinned,
            )
            if came_further(situation, trial):
                self.record.add(pinned, outcome_of(situation, trial), trial.number)
                return

    def let_go(
        self, situation: Situation, finding: FoundCause, hypothesis: Hypothesis, *, follow: bool
    ) -> ValueDifferences | None:
        """Where variables differ when the hypothesis alone varies; None where the budget is spent.

        That the runs diverge then, though all rivals are pinned, speaks against the hypothesis.
        """
        pinned = (finding.could_pin - CHANGES_RESULTS) | situation.pinned | finding.pins
        still = Interventions(pinned=pinned)
        # Without randomisation being pinned, few objects may lie in the same order all the same.
        shaken = hypothesis.pin == "addresses"
        varied = replace(still, pinned=still.pinned - {hypothesis.pin}, shaken=shaken)
        if hypothesis.pin == "files":
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
            self.record.add_let_go(hypothesis.pin, further=further, number=trial.number)
            self.made.keep(trial, still.pinned, situation.closer_scope)
        return values

    def everything(self, finding: FoundCause, situation: Situation) -> Interventions:
        """All pinned that leaves results as they are."""
        pinned = (finding.could_pin - CHANGES_RESULTS) | situation.pinned
        return Interventions(pinned=pinned)

    def _operation_does_not_repeat(
        self, situation: Situation, evidence: Evidence
    ) -> FoundCause | None:
        """The operation gave other bits on the same inputs, and does so again in one process."""
        if not evidence.is_on_equal_inputs or situation.closer_scope.row is None:
            return None
        replays = self.laboratory.replays(
            Interventions(pinned=situation.pinned), situation.closer_scope
        )
        if replays is None or not replays.differs:
            return None
        hypothesis = Hypothesis(
            pin="deterministic-algorithms" if replays.settled_by("deterministic") else "threads",
            code="nondeterministic-op",
            detail=replays.op,
            standing=Standing.SHOWN,
        )
        pins: frozenset[str] = frozenset()
        trial = None
        if replays.settled_by("deterministic") or replays.settled_by("one-thread"):
            pins = frozenset({hypothesis.pin}) & frozenset(self.usable)
            trial = self._pair_if_affordable(situation, pins)
        return FoundCause(
            hypotheses=(hypothesis,), confirmed=True, pins=pins, trial=trial, replays=replays
        )

    def _one_pin_suffices(
        self, situation: Situation, ranked: Sequence[Hypothesis]
    ) -> FoundCause | None:
        """Two runs with one thing pinned come further."""
        strong = [
            hypothesis
            for hypothesis in ranked
            if hypothesis.pin in self.usable
            and hypothesis.pin not in self.refuted
            # Nothing else can be tried where single runs tell nothing.
            and (hypothesis.standing >= Standing.POSSIBLE or situation.comes_and_goes)
        ]
        farther = None
        for hypothesis in self._in_turn(situation, ranked, strong[:_ALONE]):
            pins = with_needed(hypothesis.pin)
            # A hash seed that is fixed keeps a few objects in order too, as long as nothing moves
            # them: imports walk sets of strings, and that decides where later objects lie.
            shaken = hypothesis.pin == "hash-seed" and any(s.pin == "addresses" for s in strong)
            trial = self._beside_control(situation, pins, shaken=shaken)
            trial = trial or self._pair(situation, pins, shaken=shaken)
            if not came_further(situation, trial) or not self._is_by_address(
                situation, trial, hypothesis
            ):
                if trial.usable:
                    self.refuted.add(hypothesis.pin)
                continue
            finding = FoundCause(hypotheses=(hypothesis,), confirmed=True, pins=pins, trial=trial)
            if outcome_of(situation, trial) >= Outcome.FURTHER:
                return finding
            farther = farther or finding  # unless another pin explains more
        return farther

    def _is_by_address(self, situation: Situation, pinned: Trial, hypothesis: Hypothesis) -> bool:
        """Whether addresses are needed, where these were pinned with the hash seed beside them.

        Where the hash seed alone was not tried before, one run more has it alone, with objects at
        other addresses. True for any other hypothesis.
        """
        if hypothesis.pin != "addresses" or self.refuted & causes.pin("addresses").needs:
            return True
        hash_seed = pinned.circumstances.pinned - {"addresses"}
        if hash_seed == pinned.circumstances.pinned - with_needed("addresses"):
            return True  # the hash seed was set from outside
        freed = replace(pinned.circumstances, pinned=hash_seed, shaken=True)
        trial = self.laboratory.against(pinned, freed, situation.scope)
        further = came_further(situation, trial)
        if trial.usable:
            self.record.add_let_go("addresses", further=further, number=trial.number)
        return not further

    def _in_turn(
        self, situation: Situation, ranked: Sequence[Hypothesis], strong: Sequence[Hypothesis]
    ) -> Iterator[Hypothesis]:
        """The hypotheses one after another; of two orders the one that the walked set can have."""
        waiting, asked = list(strong), situation.comes_and_goes
        while waiting:
            orders = [hypothesis for hypothesis in waiting if hypothesis.code in causes.ORDERS]
            unclear = len(orders) > 1 and not any(hypothesis.entries for hypothesis in orders)
            if waiting[0] in orders and unclear and not asked:
                asked = True
                possible = self._possible_orders(situation, ranked)
                orders.sort(key=lambda hypothesis: hypothesis.code not in possible)
                rest = [
                    hypothesis for hypothesis in waiting if hypothesis.code not in causes.ORDERS
                ]
                # Without, two runs have agreed: it is left to the runs with everything pinned.
                waiting = [*orders, *rest] if possible else rest
            if waiting:
                yield waiting.pop(0)

    def _possible_orders(
        self, situation: Situation, ranked: Sequence[Hypothesis]
    ) -> tuple[str, ...]:
        """What the order can go by, told by the elements of the set that is walked.

        Two runs follow variables, with everything pinned in one and every order free in the other.

        Returns:
            Codes of causes; none where the two come further, so that it hardly is an order.
        """
        if self.orders is None:
            names = {s.pin for s in ranked if s.pin in self.usable} - CHANGES_RESULTS
            still = Interventions(pinned=situation.pinned | names)
            free = replace(still, pinned=still.pinned - {"addresses", "hash-seed"}, shaken=True)
            trial, values = self.laboratory.let_go(still, free, situation.closer_scope, follow=True)
            if not trial.usable:
                return causes.ORDERS
            self.made.keep(trial, still.pinned, situation.closer_scope)
            if moved_on(situation.closer, trial.divergence):
                return ()
            self.record.add(free.pinned, Outcome.DIVERGED, trial.number)
            self.orders = values
        place = culprits.of_order(self.orders, situation.closer)
        walked = None if place is None else place.walked
        return causes.ORDERS if walked is None else causes.orders_by(walked.goes_by)

    def _several_pins_suffice(
        self, situation: Situation, ranked: Sequence[Hypothesis]
    ) -> FoundCause | None:
        """Two runs with everything pinned come further: then which of it is needed?"""
        if situation.comes_and_goes:
            return None  # single runs tell nothing then
        tried = frozenset(self.tried)
        names = [s.pin for s in ranked if s.pin in self.usable]
        everything = self._pair(situation, frozenset(names))
        if not came_further(situation, everything):
            return None
        confirmed: list[Hypothesis] = []
        # Where objects lie changes with anything else that is let go, so it has to be asked first,
        # unless pinning it has not helped; what only a pair of runs can tell comes last.
        asked_alone = "addresses" in tried
        order = {"addresses": 2 if asked_alone else 0, **dict.fromkeys(CHANGES_RESULTS, 3)}
        ordered = sorted(_one_a_pin(ranked, self.usable), key=lambda s: order.get(s.pin, 1))
        for hypothesis in ordered:
            if not self._makes_a_difference(situation, everything, hypothesis):
                continue
            confirmed.append(hypothesis)
            pins = frozenset().union(*(with_needed(s.pin) for s in confirmed))
            trial = self._pair(situation, pins)
            if came_further(situation, trial):
                return FoundCause(
                    hypotheses=tuple(confirmed),
                    confirmed=True,
                    pins=pins,
                    trial=trial,
                    everything=everything,
                )
        return FoundCause(
            hypotheses=tuple(confirmed),
            confirmed=False,
            pins=frozenset(names),
            trial=everything,
            everything=everything,
        )

    def _makes_a_difference(
        self, situation: Situation, everything: Trial, hypothesis: Hypothesis
    ) -> bool:
        """Whether a run diverges from one with everything pinned when this one thing is let go."""
        if hypothesis.pin in CHANGES_RESULTS:
            # These change what is computed by themselves: only a pair of runs can tell.
            rest = everything.circumstances.pinned - situation.pinned - {hypothesis.pin}
            return not came_further(situation, self._pair(situation, rest))
        freed = replace(
            everything.circumstances, pinned=everything.circumstances.pinned - {hypothesis.pin}
        )
        trial = self.laboratory.against(everything, freed, situation.scope)
        further = came_further(situation, trial)
        if trial.usable:
            self.record.add_let_go(hypothesis.pin, further=further, number=trial.number)
        return not further

    def _rivals(self, finding: FoundCause, ranked: Sequence[Hypothesis]) -> tuple[Hypothesis, ...]:
        """Hypotheses that the runs' own notes speak for, that no run has refuted or confirmed."""
        accused = {hypothesis.pin for hypothesis in finding.hypotheses} | finding.pins
        return tuple(
            hypothesis
            for hypothesis in ranked
            if hypothesis.pin not in accused | self.refuted
            and hypothesis.pin in self.usable
            and hypothesis.standing >= Standing.POSSIBLE
            and hypothesis.is_evident
        )

    def _beside_control(
        self, situation: Situation, pins: frozenset[str], *, shaken: bool
    ) -> Trial | None:
        """A run with something pinned and one under `samebits run`, where that pins it too.

        If they agree, no pair of either kind is needed; None if they do not.
        """
        pinned = situation.pinned | pins
        addresses = "addresses" in pins  # for which nothing is promised under `samebits run`
        if self.already or addresses or not pinned <= PINNED_BY_RUN or situation.comes_and_goes:
            return None
        circumstances = Interventions(pinned=pinned, shaken=shaken)
        trial = self.laboratory.beside_control(circumstances, situation.scope)
        if not trial.usable or trial.divergence is not None:
            return None
        self.tried |= pins
        self.made.note_same_under_control(situation.scope, pinned)
        self.note(situation, trial)
        return trial

    def refute(self, pin: str) -> None:
        """A run has diverged although this was pinned: nothing that rests on it stands."""
        self.refuted.add(pin)
        self.made.forget()

    def _pair(self, situation: Situation, pins: frozenset[str], *, shaken: bool = False) -> Trial:
        circumstances = Interventions(pinned=situation.pinned | pins, shaken=shaken)
        trial = self.laboratory.pair(circumstances, situation.scope)
        if trial.usable:
            self.tried |= pins
            self.made.keep(trial, circumstances.pinned, situation.scope, runs=2)
        self.note(situation, trial)
        return trial

    def note(self, situation: Situation, trial: Trial) -> None:
        """Keep what a trial has shown of where the runs diverge."""
        if trial.usable:
            outcome = outcome_of(situation, trial)
            self.record.add(trial.circumstances.pinned, outcome, trial.number)

    def _pair_if_affordable(self, situation: Situation, pins: frozenset[str]) -> Trial | None:
        if not pins:
            return None
        try:
            trial = self._pair(situation, pins)
        except OutOfRunsError:
            self.spent = True
            return None
        return trial if came_further(situation, trial) else None

    def _unproved(self, ranked: Sequence[Hypothesis]) -> FoundCause:
        """Nothing that can be pinned explains it."""
        return FoundCause(hypotheses=tuple(ranked), confirmed=False)


def _one_a_pin(ranked: Iterable[Hypothesis], usable: Sequence[str]) -> list[Hypothesis]:
    """Of hypotheses that one pin would settle, the likeliest; only pins that work here."""
    first: dict[str, Hypothesis] = {}
    for hypothesis in ranked:
        if hypothesis.pin in usable:
            first.setdefault(hypothesis.pin, hypothesis)
    return list(first.values())
