"""Threads that draw from torch's one generator: the rows of two runs show it by themselves."""

from __future__ import annotations

import ast

import numpy as np

from samebits.check.causes.evidence import Evidence
from samebits.check.causes.hand_overs import handed_over
from samebits.check.causes.writing.fix import fix
from samebits.check.diff.handed_generators import (
    line_of,
    lines_of_handed_generators,
    lines_of_the_shared_generator,
)
from samebits.check.diff.ledger_pairs import LedgerPair
from samebits.check.diff.process_traces import threads_of
from samebits.check.diff.verdict import Cause
from samebits.check.trace.process_folders import owner_of
from samebits.check.trace.reader import Trace
from samebits.check.trace.schema import Flag
from samebits.check.trace.values_format import MAIN_PROCESS
from samebits.check.trials.attribution.culprit import of_entry
from samebits.check.trials.attribution.situation import Situation
from samebits.check.trials.attribution.wording import shown_place
from samebits.core.source.statement import called, statement_at

_Line = tuple[str, int]

_GENERATOR = "torch-cpu"
_TAKE_A_GENERATOR = frozenset(
    {
        *("bernoulli", "multinomial", "normal", "poisson", "rand", "randint", "randn", "randperm"),
        *("rand_like", "randint_like", "randn_like"),
        *("bernoulli_", "cauchy_", "exponential_", "geometric_", "log_normal_", "normal_"),
        *("random_", "uniform_"),
    }
)
"""Functions and methods of torch that draw from a generator which they are given, or whose like
does."""
_FIX = (
    "Threads of a process share torch's generator, and whoever seeds it starts it anew for all: "
    "who draws which numbers goes by timing. Run the tasks in processes (ProcessPoolExecutor, "
    "joblib's loky, torch.multiprocessing), each seeded by the number of its task. Or, in threads, "
    "draw from a generator of each task's own, torch.Generator().manual_seed(seed + task), "
    "whatever can be given one: shuffling, noise. First weights and dropout cannot: draw all first "
    "weights before the threads start, and let one task at a time use dropout."
)


def generator_of_all_threads(situation: Situation, evidence: Evidence) -> Cause | None:
    """The draw that got other numbers, where several threads drew from torch's own generator.

    Everything before it agrees on its thread, and so does all that the generator was seeded with:
    another thread has drawn or seeded meanwhile.

    Args:
        situation: Where the two runs diverge.
        evidence: What both runs have noted up to there.

    Returns:
        None where something else may have changed the generator.

    Raises:
        TraceError: A run folder is damaged.
    """
    found = situation.closer
    if not (found.random and found.is_own_doing) or found.is_unrecorded:
        return None
    owner = owner_of(found.processes[0]) if found.processes else MAIN_PROCESS
    process = _process(situation.closer_traces[0], owner)
    if process is None:
        return None
    rows = [row for row in process.ledger() if row.source == _GENERATOR and row.process == 0]
    here = (found.file, found.line)
    if not any(row.event == "draw" and line_of(row) == here for row in rows):
        return None  # from another generator
    of_thread = bool(found.processes) and found.processes[0] != owner
    if of_thread:
        threads = list(threads_of(situation.closer_traces[0], owner))
        if here in lines_of_handed_generators(threads):
            return None
    if any(row.seeded == 0 for row in rows) or not any(row.event == "seed" for row in rows):
        return None
    if evidence.other_seeds or any(map(_sets_otherwise, evidence.of(_GENERATOR))):
        return None
    begun = [None, None] if of_thread else found.rows
    if not all(
        _several_draw(run, owner, before)
        for run, before in zip(situation.closer_traces, begun, strict=True)
    ):
        return None
    handed = handed_over(evidence)
    if handed is not None:
        return _of_a_model(handed, found.process)
    drawn = [] if of_thread else _lines_that_take_a_generator(situation.closer_traces[0], owner)
    if drawn:
        return _of_a_line(drawn, here, found.process)
    return Cause(
        code="thread-timing",
        detail=_GENERATOR,
        file=found.file,
        line=found.line,
        evidence="Several threads of this process draw from torch's own generator, which was "
        "seeded. All that this thread did before agrees in the two runs, and still it drew other "
        "numbers here. Another thread may have drawn from the generator meanwhile, or seeded it.",
        fix=_FIX,
        confidence="likely",
        process=found.process,
    )


def _of_a_model(handed: LedgerPair, process: str) -> Cause:
    """Weights that were handed over, as of a model whose dropout two threads draw and switch."""
    place = of_entry(handed)
    return Cause(
        code="thread-timing",
        detail="",
        file=place.file,
        line=place.line,
        evidence="Weights that an optimizer has changed were handed over here, and no copy of "
        "them. Several threads draw from torch's own generator, as dropout does. If a model was "
        "handed over, train() and eval() on one side act on the other.",
        fix=fix("thread-timing", place, frozenset()),
        confidence="likely",
        process=process,
    )


def _of_a_line(drawn: list[_Line], here: tuple[str | None, int | None], process: str) -> Cause:
    """The first of a thread's lines that can draw from a generator of the thread's own."""
    file, line = drawn[0]
    others = ", ".join(shown_place(*other) for other in drawn[1:])
    there = f" Do so at {others}, too." if others else ""
    return Cause(
        code="thread-timing",
        detail=_GENERATOR,
        file=file,
        line=line,
        evidence="A thread draws here from torch's own generator, which was seeded. "
        f"{_shown(*here)} drew other numbers from it, although all that the main thread did before "
        "agrees in the two runs. Who gets which numbers goes by timing.",
        fix="Give the thread a generator of its own, made before it starts, such as own = "
        "torch.Generator().manual_seed(0), one for each where there are several, and draw from "
        "that here: generator=own. In place of torch.randn_like(x) write torch.randn(x.shape, "
        f"generator=own).{there} The main thread then draws as if it were not there.",
        confidence="likely",
        process=process,
    )


def _lines_that_take_a_generator(run: Trace, owner: str) -> list[_Line]:
    """Lines of threads that draw from torch's own generator, where each of them can be given one.

    Dropout and first weights cannot.
    """
    lines = sorted(lines_of_the_shared_generator(list(threads_of(run, owner))))
    return lines if all(_takes_a_generator(*line) for line in lines) else []


def _takes_a_generator(file: str, line: int) -> bool:
    statement = statement_at(file, line)
    return statement is not None and any(
        isinstance(node, ast.Call) and called(node) in _TAKE_A_GENERATOR
        for node in statement.expressions()
    )


def _shown(file: str | None, line: int | None) -> str:
    return "Another line" if file is None or line is None else shown_place(file, line)


def _process(run: Trace, owner: str) -> Trace | None:
    return run if owner == MAIN_PROCESS else run.process(owner)


def _sets_otherwise(entry: LedgerPair) -> bool:
    """Whether the generator was given another seed or state, or one of the runs gave it none."""
    return entry.row.event != "draw" and (entry.other is None or entry.differs)


def _several_draw(run: Trace, owner: str, before: int | None) -> bool:
    """Whether two threads of a process draw: its main one counts where it does beside others.

    Args:
        run: The run.
        owner: The process.
        before: Of a divergence in its main thread, the row: a thread must have begun before it.
            None for one in another thread.
    """
    process = _process(run, owner)
    if process is None:
        return False
    started = [row.first_row for row in process.ledger() if row.source == "thread"]
    if before is not None and not any(row <= before for row in started):
        return False
    drawing = sum(_draws(trace, 0) for trace in threads_of(run, owner))
    if drawing != 1:
        return drawing > 1
    return bool(started) and _draws(process, min(started))


def _draws(trace: Trace, begin: int) -> bool:
    """Whether an operation at a row from `begin` on draws random numbers."""
    for batch in trace.iter_ops(("flags",)):
        random = (batch.columns["flags"] & np.uint16(Flag.RANDOM)) != 0
        if random[max(begin - batch.start, 0) :].any():
            return True
    return False
