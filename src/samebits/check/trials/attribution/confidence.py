"""How firmly a cause stands: proved, or likely."""

from __future__ import annotations

from samebits.check import causes
from samebits.check.causes.culprit import Culprit
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.hypothesis import Hypothesis
from samebits.check.causes.writing.only_printed import is_only_printed
from samebits.check.diff.verdict import Confidence
from samebits.check.trials.attribution.case import Case
from samebits.check.trials.attribution.findings import FoundCause
from samebits.check.trials.attribution.orders import has_order
from samebits.check.trials.attribution.proof import Proof
from samebits.check.trials.attribution.situation import Situation


def confidence(
    case: Case,
    situation: Situation,
    finding: FoundCause,
    hypothesis: Hypothesis,
    evidence: Evidence,
    place: Culprit,
) -> Confidence:
    """How firmly a cause stands; an order is not proved at a line where nothing has one.

    Args:
        case: The runs that may be made.
        situation: Where the runs diverge.
        finding: What was confirmed.
        hypothesis: The one of its hypotheses that is looked at.
        evidence: What the runs have noted.
        place: The line to blame.

    Raises:
        RefutedError: A run diverges although it is pinned.
        WentByItselfError: The runs of the check diverge, and later ones agree, as they are.
    """
    # Where objects lie can be kept still only as far as all that allocates before them repeats.
    walked = place.walked if hypothesis.code == "address-order" else None
    shown = walked is not None and walked.goes_by == "identity"
    if place.by_source:
        return "likely"  # no run has shown that the line has anything to do with it
    if hypothesis.code in causes.RACES and evidence.of("timer"):
        # The same pin holds the turns of threads and the time of event loops.
        return "likely"
    if hypothesis.code in causes.ORDERS and situation.closer.file is None:
        return "likely"  # of several sets that are walked, nobody knows which has reached it
    in_text = situation.closer.kind in ("printed", "saved")
    if hypothesis.code == "clock" and not in_text and is_only_printed(place.file, place.line):
        return "likely"  # the same clock gives files their times, and nobody asks it for them
    if not causes.known(hypothesis.code).is_one_line(finding.pins):
        return "likely"  # what is pinned beside it decides as much
    proof = Proof(case, situation, finding, hypothesis, shown)
    if has_order(hypothesis, place, evidence):
        return proof.confidence(evidence)
    if not proof.is_likely_so_far():
        proof.confidence(evidence)  # a further run may refute it
    return "likely"
