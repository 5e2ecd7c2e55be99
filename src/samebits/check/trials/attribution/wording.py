"""What a cause says: the evidence in one sentence."""

from __future__ import annotations

from pathlib import Path

from samebits.check import causes
from samebits.check.causes.culprit import Culprit
from samebits.check.causes.hypothesis import Hypothesis
from samebits.check.causes.shared_generators import draws_pauses, drew_in_turns
from samebits.check.diff.ledger_pairs import CLOCKS, makes_temporary_name
from samebits.check.diff.value_lines import RESULT
from samebits.check.diff.written_files import relative_path
from samebits.check.record.replays import Replays
from samebits.check.trials.attribution.findings import FoundCause
from samebits.core.names import printable

_CIRCUMSTANCES = {
    "deterministic": "under torch.use_deterministic_algorithms(True)",
    "one-thread": "on one thread",
}
_ORDERS = {
    ("hash-order", "string"): "the hashes of its elements",
    ("address-order", "identity"): "the addresses of its elements",
}


def shown_place(file: str, line: int) -> str:
    """A line as a person who works in the present folder would call it: picker/streams.py:9."""
    return f"{printable(relative_path(file, str(Path.cwd())), 200)}:{line}"


def evidence(finding: FoundCause, hypothesis: Hypothesis, culprit: Culprit) -> str:
    """What was seen, and what the counterfactual runs came to.

    Args:
        finding: What was found.
        hypothesis: Which of its hypotheses this is about.
        culprit: The line to blame.
    """
    if finding.replays is not None:
        return _of_replays(finding.replays)
    seen = [_walked(hypothesis, culprit), _seen(hypothesis, culprit), _rewritten(culprit)]
    seen = [part for part in seen if part]
    proof = _proof(finding)
    return f"{'; '.join([*seen, proof])}." if seen else f"{proof[:1].upper()}{proof[1:]}."


def _walked(hypothesis: Hypothesis, culprit: Culprit) -> str:
    """That a set is walked on the line, and what its order goes by."""
    walked = culprit.walked
    if walked is None or not walked.is_set or walked.line != culprit.line:
        return ""
    by = _ORDERS.get((hypothesis.code, walked.goes_by))
    return f"a set is walked here, in an order that goes by {by}" if by else ""


def _seen(hypothesis: Hypothesis, culprit: Culprit) -> str:
    entry = culprit.entry
    if entry is not None and entry.row.source == "address":
        return "hash() was asked here for a value whose hash is made of an address"
    if entry is not None and entry.row.source == "timer":
        return "a timer of the event loop was set here"
    if entry is not None and (entry.row.source, entry.row.event) == ("clock", "start"):
        return f"{printable(entry.row.detail, 80)} asked here for a signal after a time"
    if entry is not None and entry.row.source == "clock" and hypothesis.code in causes.RACES:
        return f"{printable(entry.row.detail, 80)} waits here for a limited time only"
    if entry is not None and entry.row.source == "shared-value":
        return "A number that other processes change meanwhile was read here"
    if entry is not None and entry.row.source == "readiness":
        return f"{printable(entry.row.detail, 80)} was asked here, and answered something else"
    if entry is not None and entry.row.source == "shared-generator":
        return drew_in_turns(entry)
    if entry is not None and entry.row.source == "hand-over":
        return "Weights that an optimizer has changed were handed over here, and no copy of them"
    if entry is not None and entry.row.source in ("thread", "process"):
        return f"A {entry.row.source} was started here"
    if entry is not None:
        what = printable(entry.row.detail, 80) or entry.row.source
        if entry.row.source == "port":
            return _given_port(what, culprit)
        if makes_temporary_name(entry):
            return f"{what} made a name at random"
        if hypothesis.code in causes.RACES and draws_pauses(entry):
            return f"{what} drew here for a pause, from a generator that others draw from"
        if hypothesis.code in causes.RACES:
            verb = "drew from" if entry.row.event == "draw" else "made"
            return f"{what} {verb} a generator that all tasks of a worker share"
        if entry.row.source == "clock" and not what.startswith(CLOCKS):
            return f"{what} asked for the time"
        words = _UNSEEDED if entry.unseeded else _HOW
        return f"{what} {words.get(entry.row.event, 'was used')}"
    if culprit.variable:
        return value_in_words(culprit)
    return causes.known(hypothesis.code).seen(culprit) if culprit.operation else ""


def _given_port(what: str, culprit: Culprit) -> str:
    """That the system has chosen a port, and whether its line is another one than the blamed."""
    what = what.removesuffix(".__init__")
    given = "was given a free port by the system, another one in each run"
    entry = culprit.entry
    place = None if entry is None else entry.place
    if place is None or place == (culprit.file, culprit.line):
        return f"{what} {given}"
    return f"{what} at {shown_place(*place)} {given}; what is put in order here may hold it"


def value_in_words(culprit: Culprit) -> str:
    """That what the line to blame stores or returns differs from run to run."""
    if culprit.variable == RESULT:
        return "what this line returns is not the same in every run"
    return f"after this line '{printable(culprit.variable, 60)}' is not the same in every run"


def _rewritten(culprit: Culprit) -> str:
    """Which files a run leaves for the next one."""
    if not 0 < len(culprit.rewritten) <= _MOST_FILES:
        return ""
    return f"each run writes {' and '.join(printable(file, 200) for file in culprit.rewritten)}"


_MOST_FILES = 3
"""So many are told by name; among more, the one that matters would not be seen."""

_HOW = {
    "draw": "was called",
    "construct": "made a generator with a different seed in each run",
    "seed": "got a different seed in each run",
    "read": "was read",
    "list": "gave its entries in a different order",
}
_UNSEEDED = {
    "draw": "drew from an unseeded generator",
    "construct": "made a generator without a seed",
    "seed": "took a seed from the system",
}


def _proof(finding: FoundCause) -> str:
    if not finding.confirmed and finding.everything is not None:
        return "with everything pinned both runs agree longer, and a run without this pin does not"
    if not finding.confirmed:
        return "no trial has confirmed it"
    names = sorted(finding.pins)
    what = " and ".join(causes.pin(name).what for name in names)
    trial = finding.trial
    if trial is not None and trial.divergence is None:
        how_far = "both runs agree" if trial.whole else "both runs agree past this point"
    else:
        how_far = "both runs agree here and diverge later"
    return f"with {what}, {how_far}"


def _of_replays(replays: Replays) -> str:
    times, results = replays.repeats["as-is"], replays.results["as-is"]
    text = f"{replays.op}, run {times} times on the same inputs, gave {results} different results"
    settled = [
        f"{replays.repeats[name]} times the same one {words}"
        for name, words in _CIRCUMSTANCES.items()
        if replays.settled_by(name)
    ]
    return f"{text}, and {' and '.join(settled)}." if settled else f"{text}."
