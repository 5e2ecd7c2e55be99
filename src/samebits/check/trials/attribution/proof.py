"""What makes a confirmation a proof: runs that exclude luck, and rivals that do not explain it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from samebits.check.causes.evidence import Evidence
from samebits.check.causes.hypothesis import Hypothesis
from samebits.check.diff.position import is_flow
from samebits.check.diff.verdict import Confidence
from samebits.check.trials.attribution.budget import OutOfRunsError
from samebits.check.trials.attribution.case import Case
from samebits.check.trials.attribution.findings import FoundCause, RefutedError, WentByItselfError
from samebits.check.trials.attribution.interventions import Interventions
from samebits.check.trials.attribution.luck import LIKELY_BELOW, luck
from samebits.check.trials.attribution.outcome import came_further, outcome_of
from samebits.check.trials.attribution.scope import RunScope
from samebits.check.trials.attribution.shown_by_operation import (
    is_a_draw_that_nobody_seeded,
    is_shown_by_the_operation,
)
from samebits.check.trials.attribution.situation import Situation, to_the_place
from samebits.check.trials.attribution.tally import Outcome
from samebits.check.trials.attribution.trial import Trial

_AGAIN = 8
"""Single runs at most that are made to exclude luck, for one cause."""

_FOR_IT_TO_COME_BACK = 3
"""Runs that a difference which went by itself is given to show once more."""

_EACH_TIME = 4
"""Comparisons that must agree under what is called likely, where runs agree at times anyway."""


@dataclass(frozen=True)
class Proof:
    """One confirmation on trial.

    Attributes:
        case: The attribution under way.
        situation: Where the runs diverge.
        finding: What was found.
        hypothesis: Which of its hypotheses this is about.
        shown_at_line: Whether the line itself was seen to do what the hypothesis says. Where a
            pin is not perfect, a run that diverges under it refutes nothing then.
        at_the_place: Whether runs are only asked if they agree where the first two diverge, and not
            if they do to their end. Where nothing comes and goes, that is as good, and cheaper.
    """

    case: Case
    situation: Situation
    finding: FoundCause
    hypothesis: Hypothesis
    shown_at_line: bool = False
    at_the_place: bool = False

    def confidence(self, evidence: Evidence) -> Confidence:
        """How firmly a confirmation stands; further runs are made until luck is excluded.

        Proved is what other runs agree under each time, what runs without it diverge each time,
        often enough that luck explains it with less than 1 in 1,000, and where there are rivals,
        what makes runs diverge though all of these are pinned.

        Raises:
            RefutedError: A run diverges although it is pinned.
            WentByItselfError: The runs of the check diverge, and later ones agree, as they are.
        """
        if self.finding.replays is not None:
            return "proved"
        if self._may_have_been_moved:
            return "likely"
        record, pin = self.case.record, self.hypothesis.pin
        shown = is_shown_by_the_operation(self.hypothesis, evidence)
        now_and_then = self._least is Outcome.LATER or (
            not shown and _may_come_and_go(self.situation, evidence)
        )
        never_repeats = is_a_draw_that_nobody_seeded(self.hypothesis, evidence)
        asked = self if now_and_then else replace(self, at_the_place=True)
        self.case.count_a_run_with_more_pinned(self.situation, self.finding, self.hypothesis)
        try:
            for _ in range(_AGAIN):
                if self.situation.comes_and_goes or record.came_further_anyway(asked._least):
                    # Runs agree now and then as they are: nothing is proved, and to be likely they
                    # have to agree each time.
                    if asked._counts[0] >= _EACH_TIME or not asked._pinned_once_more():
                        return "likely"
                elif (never_repeats and all(asked._counts)) or record.excludes_luck(
                    self._pinned, pin, asked._least, intermittent=now_and_then
                ):
                    return "proved" if self._beats_rivals() else "likely"
                elif now_and_then and not self.case.thorough and self._is_likely:
                    self.case.cut_short = True
                    return "likely"
                elif not asked._ask_once_more():
                    return "likely"
        except OutOfRunsError:
            self.case.spent = True
        return "likely"

    def is_likely_so_far(self) -> bool:
        """Whether the runs that were made suffice for likely, without further ones."""
        self.case.count_a_run_with_more_pinned(self.situation, self.finding, self.hypothesis)
        at_times = self.situation.comes_and_goes or self.case.record.came_further_anyway(
            self._least
        )
        return self._is_likely and not at_times

    @property
    def _may_have_been_moved(self) -> bool:
        """Whether another pin of several may count only since objects lie elsewhere without it.

        Where results go by addresses, a run with one thing less pinned differs from the others
        whatever that thing is: each pin's own objects move those of the script.
        """
        several = len(self.finding.hypotheses) > 1 and "addresses" in self.finding.pins
        return several and self.hypothesis.pin != "addresses"

    @property
    def _is_likely(self) -> bool:
        """Whether luck is unlikely, and where the pin alone was let go, the runs diverged."""
        agreements, divergences = self._counts
        by_luck = luck(agreements, divergences, intermittent=True)
        return by_luck < LIKELY_BELOW and self.case.record.let_go.get(self.hypothesis.pin, True)

    @property
    def _counts(self) -> tuple[int, int]:
        return self.case.record.counts(self._pinned, self.hypothesis.pin, self._least)

    @property
    def _pinned(self) -> frozenset[str]:
        return self.situation.pinned | self.finding.pins

    @property
    def _least(self) -> Outcome:
        """From where on a run counts as having agreed longer."""
        least = outcome_of(self.situation, self.finding.trial)
        return min(least, Outcome.FURTHER) if self.at_the_place else least

    @property
    def _scope(self) -> RunScope:
        """How far the further runs go."""
        return to_the_place(self.situation) if self.at_the_place else self.situation.scope

    def _ask_once_more(self) -> bool:
        """One run more, with or without what was confirmed: whichever excludes luck sooner.

        Returns:
            False where it diverges under a pin that is not perfect.
        """
        agreements, divergences = self._counts
        # A run with nothing pinned comes first: the difference may have gone by itself.
        made_for_it = divergences - self.case.record.counts_run_2(self.hypothesis.pin)
        if made_for_it > agreements:
            return self._pinned_once_more()
        if self.case.count_run_2(self.situation, self.finding, self.hypothesis):
            return True
        plain_once_more(self.case, self.situation, self._scope)
        return True

    def _pinned_once_more(self) -> bool:
        made = self.finding.trial
        assert made is not None
        trials = self.case.trials
        if "files" in made.circumstances.pinned:
            # Runs that were made in between, as they are, have left their files: a single run would
            # find other ones than the pair did.
            trial = trials.pair(made.circumstances, self.situation.scope, anew=True)
        else:
            trial = trials.once_more(made.traces, made.circumstances, self._scope)
        self.case.note(self.situation, trial)
        least = min(self._least, Outcome.FURTHER)  # what comes and goes besides refutes nothing
        if not trial.usable or outcome_of(self.situation, trial) >= least:
            return True
        if self.shown_at_line:
            return False
        self.case.refute(self.hypothesis.pin)
        raise RefutedError(self.hypothesis.pin)

    def _beats_rivals(self) -> bool:
        """Whether the hypothesis makes runs diverge though every rival is pinned, or is alone."""
        if not self.finding.rivals:
            return True
        let_go = self.case.record.let_go
        if self.hypothesis.pin not in let_go:
            self.case.let_go(self.situation, self.finding, self.hypothesis, follow=False)
        return let_go.get(self.hypothesis.pin, False)


def plain_once_more(case: Case, situation: Situation, scope: RunScope) -> None:
    """One run more in the circumstances of those that diverge.

    It is compared with the second of these: the first one alone may have found things as they never
    were again, a file that was not there yet. Where one that ended early agrees, it takes one that
    goes as far as they did to say that the difference went by itself.

    Args:
        case: The attribution under way.
        situation: Where the runs diverge.
        scope: How far to run.

    Raises:
        WentByItselfError: They agree, with nothing pinned, and no runs had agreed before.
        OutOfRunsError: The budget is spent.
    """
    trial = _plain(case, situation, scope)
    if trial is None:
        trial = _plain(case, situation, situation.scope)
    went = trial is not None and trial.usable and trial.divergence is None
    if went and not situation.pinned and not situation.comes_and_goes:
        raise WentByItselfError


def _plain(case: Case, situation: Situation, scope: RunScope) -> Trial | None:
    """One run as those that diverge; None for one that ended early and agrees up to there."""
    reference = (situation.traces[1], situation.traces[0])
    plain = Interventions(pinned=situation.pinned)
    trial = case.trials.once_more(reference, plain, scope)
    case.note(situation, trial)
    # A run that agrees with the first one leaves the second as the odd one.
    first = case.trials.compare(situation.traces[0], trial.traces[1], plain, scope)
    if first.usable and trial.usable and came_further(situation, first):
        case.note(situation, first)
    ended_early = scope != situation.scope
    return None if ended_early and trial.usable and trial.divergence is None else trial


def comes_back(case: Case, situation: Situation) -> bool:
    """Whether one of a few further runs diverges from the second one again.

    Where none does, what is pinned in the runs that agree proves nothing.
    """
    try:
        return any(_diverges_again(case, situation) for _ in range(_FOR_IT_TO_COME_BACK))
    except OutOfRunsError:
        case.spent = True
        return False


def _diverges_again(case: Case, situation: Situation) -> bool:
    trial = _plain(case, situation, situation.scope)
    return trial is not None and trial.usable and trial.divergence is not None


def _may_come_and_go(situation: Situation, evidence: Evidence) -> bool:
    """Whether anything speaks for a difference that shows in some pairs of runs and not in others.

    What several threads or processes do depends on their pace, and so does how often a loop runs.
    """
    concurrent = any(not entry.internal for entry in evidence.of("thread", "process", "timer"))
    return situation.comes_and_goes or concurrent or is_flow(situation.found)
