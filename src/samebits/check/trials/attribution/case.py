"""One attribution under way: what its runs have shown so far, and the runs that it can ask for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace

from samebits.check import causes
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.hypothesis import Hypothesis
from samebits.check.diff.position import is_alike, moved_on
from samebits.check.diff.values import ValueDifferences
from samebits.check.diff.verdict import Divergence
from samebits.check.trials.attribution.budget import OutOfRunsError
from samebits.check.trials.attribution.counterfactual_runs import Trials
from samebits.check.trials.attribution.findings import FoundCause
from samebits.check.trials.attribution.gathering import gather
from samebits.check.trials.attribution.interventions import (
    CHANGES_RESULTS,
    FRESH_IN_EACH_RUN,
    PINNED_BY_RUN,
    Interventions,
    with_free_names,
    with_needed,
    without_names,
)
from samebits.check.trials.attribution.made_runs import MadeRuns
from samebits.check.trials.attribution.outcome import came_further, outcome_of
from samebits.check.trials.attribution.scope import WHOLE
from samebits.check.trials.attribution.side_effects import names_are_drawn, names_differ
from samebits.check.trials.attribution.situation import Situation
from samebits.check.trials.attribution.tally import Tally
from samebits.check.trials.attribution.trial import Trial


@dataclass(kw_only=True)
class Case:
    """One attribution under way.

    Attributes:
        trials: Makes the runs.
        usable: Names of the pins that work on this machine.
        read: Gathers what two runs have noted.
        already: Pins that the runs of the check had themselves, under `--control`.
        thorough: Whether as many runs are made as a proof takes; see `Limits`.
        spent: Whether the budget was not enough.
        cut_short: Whether something was left at likely that more runs may prove.
        tried: Pins that runs were made with.
        refuted: Pins that alone did not bring the runs further, where they diverge now.
        record: What the runs that were made have shown, where they diverge now.
        orders: Where variables differ when every order varies and all else is pinned.
        still: What was pinned in the other run then; None where `orders` was not looked for.
        by_address: Whether addresses alone varied where `orders` was found.
        made: Runs with something pinned, where the runs diverge now.
    """

    trials: Trials
    usable: Sequence[str]
    read: Callable[[Situation], Evidence] = gather
    already: frozenset[str] = frozenset()
    thorough: bool = True
    spent: bool = field(default=False, init=False)
    cut_short: bool = field(default=False, init=False)
    tried: set[str] = field(default_factory=set, init=False)
    refuted: set[str] = field(default_factory=set, init=False)
    record: Tally = field(default_factory=Tally, init=False)
    orders: ValueDifferences | None = field(default=None, init=False)
    still: Interventions | None = field(default=None, init=False)
    by_address: bool = field(default=False, init=False)
    made: MadeRuns = field(default_factory=MadeRuns, init=False)
    _beside_run_2: set[str] = field(default_factory=set, init=False)
    _parts_without: dict[str, Divergence] = field(default_factory=dict, init=False)

    def begin(self, situation: Situation) -> None:
        """Forget what was shown of another situation."""
        self.refuted.clear()
        self.made.forget()
        self._beside_run_2.clear()
        self._parts_without.clear()
        self.orders = None
        self.still = None
        self.by_address = False
        self.record = Tally.of(situation)

    def pair(
        self,
        situation: Situation,
        pins: frozenset[str],
        *,
        shaken: bool = False,
        anew: bool = False,
    ) -> Trial:
        """Two runs with something pinned besides what is pinned already.

        Args:
            situation: Where the runs diverge.
            pins: What is pinned.
            shaken: Whether objects lie elsewhere in the second run.
            anew: Whether the same pair, if it was made before, is made once more.

        Raises:
            OutOfRunsError: The budget holds less than two runs.
        """
        circumstances = Interventions(pinned=situation.pinned | pins, shaken=shaken)
        trial = self.trials.pair(circumstances, situation.scope, anew=anew)
        if trial.usable:
            self.tried |= pins
            self.made.keep_pair(trial, circumstances.pinned, situation.scope)
        self.note(situation, trial)
        return trial

    def uneven(self, situation: Situation, pins: frozenset[str]) -> Trial | None:
        """As `pair`, with clocks that go on unevenly; None where that lets the script fail, too.

        Raises:
            OutOfRunsError: The budget holds less than two runs.
        """
        circumstances = Interventions(pinned=situation.pinned | pins)
        trial = self.trials.with_an_uneven_clock(circumstances, situation.scope)
        if trial is not None:
            self.tried |= pins
            self.made.keep_pair(trial, circumstances.pinned, situation.scope)
            self.note(situation, trial)
        return trial

    def pair_if_affordable(self, situation: Situation, pins: frozenset[str]) -> Trial | None:
        """Runs with something pinned, where the budget holds them and they agree longer."""
        if not pins:
            return None
        try:
            trial = self.beside_control(situation, pins) or self.pair(situation, pins)
        except OutOfRunsError:
            self.spent = True
            return None
        return trial if came_further(situation, trial) else None

    def beside_control(
        self, situation: Situation, pins: frozenset[str], *, shaken: bool = False
    ) -> Trial | None:
        """A run with something pinned and one under `samebits run`, where that pins it too.

        If they agree, no pair of either kind is needed; None if they do not.
        """
        pinned = situation.pinned | pins
        addresses = "addresses" in pins  # for which nothing is promised under `samebits run`
        if self.already or addresses or not pinned <= PINNED_BY_RUN or situation.comes_and_goes:
            return None
        circumstances = Interventions(pinned=pinned, shaken=shaken)
        trial = self.trials.beside_control(circumstances, situation.scope)
        if not trial.usable or trial.divergence is not None:
            if came_further(situation, trial):
                # Beyond the place the rest of `samebits run` may compute otherwise; there, a run
                # with just this pinned agrees with one that had no more to do with it than that.
                self.made.count(pinned)
                self.note(situation, trial)
            return None
        self.tried |= pins
        self.made.note_same_under_control(situation.scope, pinned)
        self.note(situation, trial)
        return trial

    def to_the_end(self, situation: Situation, trial: Trial, pins: frozenset[str]) -> Trial:
        """A trial that agrees as far as it went, carried on to the script's own end.

        One thing that differs hides what differs after it. That is looked for where the search was
        cheap so far and the script takes no long time.

        Args:
            situation: What the trial explains.
            trial: Its runs agree longer.
            pins: What was pinned in them besides what was pinned already.
        """
        agrees = trial.divergence is None and not trial.whole
        if not agrees or situation.comes_and_goes or not self.trials.has_time_for_whole_runs:
            return trial
        end = replace(situation, scope=WHOLE)
        try:
            longer = self.beside_control(end, pins) or self.pair(end, pins)
        except OutOfRunsError:
            return trial  # the cause is known all the same
        return longer if longer.usable else trial

    @property
    def has_runs_for_another_cause(self) -> bool:
        """Whether what was spent so far leaves room to explain what differs after it."""
        return self.thorough or self.trials.was_cheap

    def makes_a_difference(
        self, situation: Situation, everything: Trial, hypothesis: Hypothesis
    ) -> bool:
        """Whether a run diverges from one with everything pinned when this one thing is let go."""
        if hypothesis.pin in {*CHANGES_RESULTS, "files"}:
            # Some change what is computed by themselves, and a single run that leaves something
            # for the next one finds what the others found: only a pair of runs can tell.
            rest = everything.circumstances.pinned - situation.pinned - {hypothesis.pin}
            return not came_further(situation, self.pair(situation, rest))
        freed = replace(
            everything.circumstances, pinned=everything.circumstances.pinned - {hypothesis.pin}
        )
        trial = self.trials.against(everything, freed, situation.scope)
        further = came_further(situation, trial)
        if trial.usable:
            self.record.add_let_go(hypothesis.pin, further=further, number=trial.number)
        return not further

    def agrees_with_lines_pinned(
        self, situation: Situation, finding: FoundCause, pin: str, lines: Sequence[tuple[str, int]]
    ) -> bool | None:
        """Whether two runs agree longer in which one of the finding's pins acts at lines alone.

        None where the budget holds less than two runs, or a run under the pin does something else.

        Args:
            situation: Where the runs diverge.
            finding: What brought the runs further.
            pin: The pin, which can be bound to lines.
            lines: Files and lines.
        """
        circumstances = Interventions(
            pinned=situation.pinned | finding.pins, sites=((pin, tuple(lines)),)
        )
        try:
            trial = self.trials.pair(circumstances, situation.scope)
        except OutOfRunsError:
            self.spent = True
            return None
        return came_further(situation, trial) if trial.usable else None

    def let_go(
        self, situation: Situation, finding: FoundCause, hypothesis: Hypothesis, *, follow: bool
    ) -> ValueDifferences | None:
        """Where variables differ when the hypothesis alone varies; None where the budget is spent.

        That the runs diverge then, though all rivals are pinned, speaks against the hypothesis.
        """
        pinned = (finding.could_pin - CHANGES_RESULTS) | situation.pinned | finding.pins
        if hypothesis.pin != "files":
            drawn = names_are_drawn(*situation.traces)
            pinned = with_free_names(pinned, self.usable, drawn=drawn)
        still = Interventions(pinned=pinned)
        # Without randomisation being pinned, few objects may lie in the same order all the same.
        shaken = hypothesis.pin == "addresses"
        varied = replace(still, pinned=still.pinned - {hypothesis.pin}, shaken=shaken)
        if hypothesis.pin == "files":
            # What is pinned is that nothing is left behind: two runs that do leave it differ. They
            # must not meet in a folder that is named after the time.
            if names_differ(*situation.traces):
                varied = replace(varied, pinned=without_names(varied.pinned))
            still = varied
        try:
            trial, values = self.trials.let_go(still, varied, situation.closer_scope, follow=follow)
        except OutOfRunsError:
            self.spent = True
            return None
        if trial.usable and still.pinned >= pinned - {hypothesis.pin}:
            further = moved_on(situation.closer, trial.divergence)
            if trial.divergence is not None:
                self._parts_without[hypothesis.pin] = trial.divergence
            self.record.add_let_go(hypothesis.pin, further=further, number=trial.number)
            self.made.keep_still(trial, still.pinned, situation.closer_scope)
        is_race = hypothesis.code in causes.RACES
        if follow and is_race and trial.divergence is None and not situation.closer_scope.whole:
            values = self._values_further_on(situation, still, varied) or values
        return values

    def _values_further_on(
        self, situation: Situation, still: Interventions, varied: Interventions
    ) -> ValueDifferences | None:
        """The same where who came first was the same by luck: further on it will not be."""
        if not self.trials.has_time_for_whole_runs:
            return None
        try:
            return self.trials.let_go(still, varied, situation.scope, follow=True)[1]
        except OutOfRunsError:
            return None

    def everything(self, finding: FoundCause, situation: Situation) -> Interventions:
        """All pinned that leaves results as they are."""
        pinned = (finding.could_pin - CHANGES_RESULTS) | situation.pinned
        return Interventions(pinned=pinned)

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
            trial = self.trials.pair(Interventions(control=True), situation.scope)
        except OutOfRunsError:
            return None
        return trial.usable and trial.divergence is None

    def count_a_run_with_more_pinned(
        self, situation: Situation, finding: FoundCause, hypothesis: Hypothesis
    ) -> None:
        """A run in which more was pinned speaks for a finding too, if it came to the same bits.

        A pin may change what is computed, and a run in which it did says nothing here. All such
        runs are one piece of evidence: with that much pinned, they were bound to agree, by
        whatever of it counts. Where a run diverges with all of that pinned but the hypothesis,
        nothing else of it does: the run beside it is one more.

        Args:
            situation: Where the runs diverge.
            finding: What was confirmed; a pair with just that pinned agrees longer.
            hypothesis: The one of its hypotheses that is looked at.
        """
        if finding.trial is None:
            return
        pinned = situation.pinned | finding.pins
        alone = self.record.let_go.get(hypothesis.pin, False)
        for made in self.made.with_more_pinned(situation.scope, pinned, nothing_else_counts=alone):
            # The first run of a trial may have been one under `samebits run`.
            trial = self.trials.compare(
                made.trace,
                finding.trial.traces[1],
                finding.trial.circumstances,
                made.scope,
                varied=made.pinned - pinned,
            )
            if came_further(situation, trial):
                self.record.add(pinned, outcome_of(situation, trial), trial.number)
                return

    def count_run_2(
        self, situation: Situation, finding: FoundCause, hypothesis: Hypothesis
    ) -> bool:
        """Compare the second run of the check with a pinned one: do these diverge there as well?

        If the pin changed nothing, the two would agree as often as any. Where it agrees with the
        first run, nothing is pinned by it: the second one may have been the odd one.

        Args:
            situation: Where the runs diverge.
            finding: What was confirmed; a pair with just that pinned agrees longer.
            hypothesis: The one of its hypotheses that is looked at.

        Returns:
            Whether that is one more divergence without the pin.
        """
        alone = finding.pins == with_needed(hypothesis.pin)
        fresh = hypothesis.pin in FRESH_IN_EACH_RUN
        if finding.trial is None or not (alone and fresh) or hypothesis.pin in self._beside_run_2:
            return False
        self._beside_run_2.add(hypothesis.pin)
        first, trial = (
            self.trials.compare(
                finding.trial.traces[1],
                run,
                Interventions(pinned=situation.pinned),
                situation.scope,
                varied={hypothesis.pin},
            )
            for run in situation.traces
        )
        if came_further(situation, first):
            self.record.add(situation.pinned, outcome_of(situation, first), first.number)
            return False
        # There, or where two runs diverged that had all pinned but this.
        places = [situation.found, self._parts_without.get(hypothesis.pin)]
        there = any(place and is_alike(place, trial.divergence) for place in places)
        if trial.usable and there and not came_further(situation, trial):
            self.record.add_run_2(hypothesis.pin, trial.number)
            return True
        return False

    def note(self, situation: Situation, trial: Trial) -> None:
        """Keep what a trial has shown of where the runs diverge."""
        if trial.usable:
            outcome = outcome_of(situation, trial)
            self.record.add(trial.circumstances.pinned, outcome, trial.number)

    def refute(self, pin: str) -> None:
        """A run has diverged although this was pinned: nothing that rests on it stands."""
        self.refuted.add(pin)
        self.made.forget()
