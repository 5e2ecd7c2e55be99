"""Which thread was ready first."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import ClassVar

from samebits.check.causes.culprit import Culprit
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.hypothesis import Hypothesis, Standing
from samebits.check.causes.pace import Pace, PacePin
from samebits.check.causes.pin import Pin
from samebits.check.diff.racing_parties import Parties
from samebits.core.source.files import read_source
from samebits.core.source.statement import Statement, called

_BY_ARROW = (
    "Arrow gives the rows of a join, and of groups, as its threads are done with their parts. Sort "
    "what comes out by something that each row has for itself: table.sort_by('id'). Or have one "
    "thread do it: join(..., use_threads=False), group_by(..., use_threads=False)."
)


class ThreadTiming(Pace):
    """Several threads do something, and their pace decides an order."""

    code: ClassVar[str] = "thread-timing"
    parties: ClassVar[Parties] = "thread"
    meaning: ClassVar[str] = (
        "An order depended on which thread was ready first (a race). Where a script starts both "
        "threads and processes, either may have been."
    )
    look: ClassVar[str] = (
        "Collect results in the order in which they were submitted (Executor.map, Pool.imap, "
        "joblib's return_as='generator'). When reading back what several workers wrote, sort by a "
        "key (sorted, ORDER BY) instead of relying on the order of writing. Seed random generators "
        "for each task, by its number, not for each worker: timing decides which worker takes "
        "which task. Do not let anything that runs concurrently change what others read: a shared "
        "model, or a buffer that is reused (allocate a new one each time)."
    )
    copies: ClassVar[str] = (
        "What is handed over here is read later, as it is by then. Hand over copies of what goes "
        "on being changed: x.detach().clone() of a tensor, array.copy() of a buffer that is filled "
        "again, copy.deepcopy of a model or its state. detach(), cpu() on the CPU, state_dict(), "
        "copy.copy and torch.from_numpy share the memory. Where the order in which the other side "
        "is ready reaches a result, combine its results by the number of the task."
    )
    of_tasks: ClassVar[str] = (
        "Take the results in the order of the tasks, not as they are ready. Which thread does "
        "which task, and when, goes by timing, so no task may change what others read or draw "
        "from: begin each from its arguments alone, seed a generator of its own by the number of "
        "the task, np.random.default_rng([seed, task]), keep nothing in globals or in "
        "threading.local that decides anything, and give it copies of what goes on being changed "
        "meanwhile, such as the weights: copy.deepcopy(model)."
    )
    nothing_shared: ClassVar[str] = (
        "Where what is started here makes something that is read then, wait for its end before: "
        "join(). Else do not let it change anything that others read meanwhile, such as a shared "
        "model, a buffer or a generator: give each its own copy, and renew the copies and combine "
        "the results at fixed points, in a fixed order, while none of them runs."
    )
    pins: ClassVar[tuple[Pin, ...]] = (PacePin(),)

    def hypotheses(self, evidence: Evidence) -> Iterator[Hypothesis]:
        """Those of the script's own threads, else those that Arrow has, of which none is noted."""
        found = list(super().hypotheses(evidence))
        if not found and evidence.joins_by_arrow and evidence.found.data:
            found.append(Hypothesis(pin=PacePin.name, code=self.code, standing=Standing.POSSIBLE))
        yield from found

    def advice(self, culprit: Culprit, pinned: Collection[str], statement: Statement | None) -> str:
        """What to do with the rows of a table of Arrow, where there is one."""
        if culprit.entry is None and statement is not None and _is_of_arrow(culprit, statement):
            return _BY_ARROW
        return super().advice(culprit, pinned, statement)


def _is_of_arrow(culprit: Culprit, statement: Statement) -> bool:
    """Whether a statement of a file that names pyarrow joins tables, or groups rows.

    Text is joined with one argument; parts of a path are no tables.
    """
    source = read_source(culprit.file) if culprit.file is not None else None
    return b"pyarrow" in (source or b"") and any(
        called(node) == "group_by"
        or (
            called(node) in ("join", "join_asof")
            and len(node.args) + len(node.keywords) > 1
            and not statement.name_of(node.func).endswith("path.join")
        )
        for node in statement.expressions()
        if isinstance(node, ast.Call)
    )
