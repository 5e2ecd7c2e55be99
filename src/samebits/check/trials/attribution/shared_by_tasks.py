"""Which worker took which task goes by timing: told by what workers drew and read in both runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from samebits.check.causes.culprit import Culprit
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.shared_generators import pauses
from samebits.check.causes.writing.environments import samples_a_space, seeded_space
from samebits.check.causes.writing.fix import fix
from samebits.check.causes.writing.only_printed import is_only_printed
from samebits.check.diff.ledger_pairs import GENERATORS, LedgerPair
from samebits.check.diff.verdict import PLAIN_ARGUMENTS, Cause
from samebits.check.trials.attribution.culprit import of_entry
from samebits.check.trials.attribution.rivals import only_pace_explains
from samebits.check.trials.attribution.situation import Situation
from samebits.core.names import printable
from samebits.core.source.statement import statement_at

_A_SEED_FOR_EACH_TASK = (
    "Processes that are given tasks take them as they come, so that a seed for each process is not "
    "enough: seed each task. Hand it its number, and make the seed of what draws here from that: "
    "random_state=number, or np.random.default_rng([seed, number])."
)


def unseeded_in_tasks(evidence: Evidence) -> Cause | None:
    """Where a process that the script started draws without a seed, and what it gives back differs.

    With every generator seeded such runs may differ still: by which process takes which task.

    Args:
        evidence: What both runs have noted up to where they diverge.

    Returns:
        None where no data differ, or nothing was drawn there without a seed.
    """
    found = evidence.found
    if not (found.data or found.detail == PLAIN_ARGUMENTS) or found.process:
        return None
    entry = next(filter(_may_reach_a_result, evidence.drawn_unseeded), None)
    if entry is None or not evidence.of("process"):
        return None  # no process had been started before the data differed
    # Where the generator was made there, that is the line that lacks a seed.
    made = (
        other
        for other in evidence.without_seed
        if other.row.event == "construct"
        and other.row.process
        and other.row.source == entry.row.source
        and other.place is not None
    )
    place = of_entry(next(made, entry))
    what = printable(entry.row.detail, 80) or entry.row.source
    return Cause(
        code="unseeded-rng",
        detail=entry.row.source,
        file=place.file,
        line=place.line,
        evidence=f"{what} drew without a seed in a process that the script has started, and data "
        "differ that no recorded operation has made.",
        fix=seeded_space(statement_at(place.file, place.line), in_tasks=True)
        if samples_a_space(entry.row.detail)
        else _A_SEED_FOR_EACH_TASK,
        confidence="likely",
    )


def _may_reach_a_result(entry: LedgerPair) -> bool:
    """Whether a draw in a process that was started goes into more than a pause or a message."""
    if not entry.row.process or entry.in_worker or entry.place is None:
        return False
    return not pauses(*entry.place) and not is_only_printed(*entry.place)


def generator_of_all_tasks(evidence: Evidence, *, as_many: bool = True) -> Culprit | None:
    """Where a worker has made the generator of all its tasks, else where it draws from one.

    Args:
        evidence: What both runs have noted up to where they diverge.
        as_many: Whether all tasks together draw as many numbers in each run. Not so where how many
            a task draws follows from the numbers themselves, as in a game of dice.

    Returns:
        None where workers drew as much in both runs, or where seeds in them differ: then each task
        has a seed of its own, and these went to other workers. Nor where one is made for each task,
        or where several drew otherwise, and not as much together: then they were sent other data.
    """
    inside = [
        entry for entry in evidence.of(*GENERATORS) if entry.row.process and not entry.internal
    ]
    drawn = [entry for entry in inside if entry.row.event == "draw"]
    made = [entry for entry in inside if entry.row.event != "draw"]
    unequal = [e for e in drawn if e.other is not None and e.row.amount != e.other.amount]
    # Workers that number themselves as they begin take each other's seeds, once, for all tasks.
    moved = {id(entry) for entry in evidence.moved_seeds if entry.row.calls == 1}
    taken = [entry for entry in made if id(entry) in moved]
    if any(entry.unseeded or (entry.differs and entry not in taken) for entry in made):
        return None
    if any(entry.other is not None and entry.row.calls != entry.other.calls for entry in made):
        return None  # one is made for each task, wherever that goes
    if taken and _drew_as_much_by_seed(taken, drawn):
        return None  # whole tasks went to other workers, each with a seed of its own
    if not unequal or any(entry.differs or entry.unseeded for entry in unequal):
        return None
    if not _took_each_others_tasks(drawn, as_many=as_many):
        return None
    sources = {(entry.row.process, entry.row.source) for entry in unequal}
    begins = [
        entry
        for entry in made
        if (entry.row.process, entry.row.source) in sources and entry.place is not None
    ]
    # Of several that the worker made, the last before its tasks began to draw is theirs.
    before = [entry for entry in begins if inside.index(entry) < inside.index(unequal[0])]
    drawing = [entry for entry in unequal if entry.place is not None]
    known = [*before[-1:], *begins, *drawing]
    return of_entry(known[0]) if known else None


def generator_made_for_tasks(evidence: Evidence) -> Culprit | None:
    """The same where further runs have shown that pace decides: how much is drawn may vary.

    Only a line that makes a generator in a worker counts, as what workers draw from others may
    differ because they were sent other data.

    Args:
        evidence: What both runs have noted up to where they diverge.
    """
    known = generator_of_all_tasks(evidence)
    if known is not None:
        return known
    made = generator_of_all_tasks(evidence, as_many=False)
    entry = None if made is None else made.entry
    return made if entry is not None and entry.row.event != "draw" else None


def generator_that_tasks_share(
    situation: Situation, evidence: Evidence, *, as_many: bool = True
) -> Cause | None:
    """Where workers of a pool have made one generator each for all of their tasks.

    Args:
        situation: Where the two runs diverge.
        evidence: What both runs have noted up to where they diverge.
        as_many: As for `generator_of_all_tasks`.

    Returns:
        None where no data of the script's own process differ, where something was drawn without a
        seed or seeded otherwise, where less than two workers are seen to have drawn otherwise, or
        where something else may explain it.
    """
    found = evidence.found
    if not (found.data or found.detail == PLAIN_ARGUMENTS) or found.process:
        return None
    if evidence.unseeded or evidence.other_seeds:
        return None
    drawn = [
        entry
        for entry in evidence.of(*GENERATORS)
        if entry.row.event == "draw" and entry.row.process and not entry.internal
    ]
    if any(entry.in_worker for entry in drawn) or len(_differing(drawn)) < 2:
        return None
    place = generator_of_all_tasks(evidence, as_many=as_many)
    if place is None or not only_pace_explains(situation, evidence):
        return None
    return drawn_unequally(place)


def drawn_unequally(place: Culprit) -> Cause:
    """Processes began with equal seeds, and some drew more numbers in one run than in the other."""
    return Cause(
        code="process-timing",
        detail="",
        file=place.file,
        line=place.line,
        evidence="Workers drew from equally seeded generators, but not equally often in the two "
        "runs: timing decided which worker took which task, and so which numbers a task got.",
        fix=fix("process-timing", place, frozenset()),
        confidence="likely",
    )


def _drew_as_much_by_seed(seeded: Sequence[LedgerPair], drawn: Sequence[LedgerPair]) -> bool:
    """Whether what began with a seed drew as many numbers in both runs, in whichever process."""
    totals: dict[int, list[int]] = defaultdict(lambda: [0, 0])
    for pair in drawn:
        for run, amount in enumerate(_amounts(pair)):
            totals[pair.row.process][run] += amount
    of_a = {pair.row.digest: totals[pair.row.process][0] for pair in seeded}
    of_b = {pair.other.digest: totals[pair.row.process][1] for pair in seeded if pair.other}
    return of_a == of_b


def _took_each_others_tasks(drawn: Sequence[LedgerPair], *, as_many: bool) -> bool:
    """Whether what one process drew less, others drew more, as far as several are seen to.

    Processes that are sent other data draw other amounts as well. Of Python's generators whole
    numbers count as often as they were tried for, so that only who drew more and who less is known.
    """
    by_python = any(pair.row.source == "python" for pair in drawn)
    differing = _differing(drawn)
    if len(differing) <= 1:
        return True
    if by_python or not as_many:
        return min(differing) < 0 < max(differing)
    return sum(differing) == 0


def _differing(drawn: Sequence[LedgerPair]) -> list[int]:
    """How many numbers more the processes drew in run A, of those that did not draw as many."""
    more = {pair.row.process: 0 for pair in drawn}
    for pair in drawn:
        in_a, in_b = _amounts(pair)
        more[pair.row.process] += in_a - in_b
    return [excess for excess in more.values() if excess]


def _amounts(pair: LedgerPair) -> tuple[int, int]:
    """How many numbers were drawn in run A and in run B."""
    if pair.other is None:
        return (0, pair.row.amount) if pair.only_second else (pair.row.amount, 0)
    return pair.row.amount, pair.other.amount
