"""What is said of the line to blame beside its place: what else was seeded, read or left."""

from __future__ import annotations

from dataclasses import replace

from samebits.check import causes
from samebits.check.causes.culprit import Culprit
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.hypothesis import Hypothesis
from samebits.check.trials.attribution.seeded_otherwise import (
    seeded_before,
    seeded_elsewhere,
    seeds_torch,
)
from samebits.check.trials.attribution.wording import shown_place


def with_details(place: Culprit, hypothesis: Hypothesis, evidence: Evidence) -> Culprit:
    """The line to blame with what the runs have noted around it."""
    place = replace(place, detail=causes.known(hypothesis.code).detail(hypothesis, place))
    if hypothesis.code in ("clock", "entropy"):
        place = replace(place, seeds=seeded_elsewhere(evidence, place))
    if hypothesis.code == "entropy":
        place = replace(place, digested=tuple(shown_place(*at) for at in evidence.digested))
    if hypothesis.pin == "seeds":
        place = replace(
            place,
            seeded_before=seeded_before(evidence, place),
            torch_is_seeded=seeds_torch(evidence),
        )
    if hypothesis.pin == "files":
        place = replace(place, rewritten=tuple(evidence.rewritten), left=tuple(evidence.left))
    return place
