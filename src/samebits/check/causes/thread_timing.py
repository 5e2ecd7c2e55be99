"""Which thread or process was ready first."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import ClassVar

from samebits.check.causes.cause import KnownCause
from samebits.check.causes.culprit import Culprit
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.hypothesis import Hypothesis, Standing
from samebits.check.causes.pin import Pin
from samebits.check.diff.ledger_pairs import GENERATORS
from samebits.core.source.elements import Elements
from samebits.core.source.statement import Statement, called

_STARTING = frozenset({"start", "start_new_thread", "spawn"})
_TAKING = frozenset({"get", "recv", "wait"})
_HANDING_OVER = frozenset({"put", "put_nowait"})
_BY_NUMBER = (
    "Items arrive here in the order in which they happen to be ready. Send the number of its task "
    "with each, keep them by that number, and combine them in the order of the numbers. Seed "
    "random generators for each task, by its number, not for each worker."
)
ASKING_WHETHER_READY = frozenset(
    {"done", "empty", "is_alive", "is_set", "poll", "qsize", "ready", "running"}
)
"""Calls whose answer goes by timing alone."""
_NOT_ASKED = (
    "Whether something is ready yet goes by timing. Do not ask: wait for it at a fixed point "
    "(result(), get(), join()), such as for the task of two rounds before, so that every run sees "
    "the same ones."
)
_PER_TASK = (
    "Timing decides which worker takes which task, and all tasks of a worker draw from one "
    "generator. Give each task a generator of its own, seeded by the number of the task: "
    "np.random.default_rng([seed, number])."
)
_COPIES = (
    "What is handed over here is read later, as it is by then. Hand over copies of tensors that go "
    "on being changed: x.detach().clone() and copy.deepcopy(state_dict) copy; detach(), cpu() on "
    "the CPU and state_dict() share the memory. Where the order in which the other side is ready "
    "reaches a result, combine its results by the number of the task."
)
_NOTHING_SHARED = (
    "Do not let what is started here change anything that others read meanwhile, such as a shared "
    "model, a buffer or a generator: give each its own copy, and renew the copies and combine the "
    "results at fixed points, in a fixed order, while none of them runs."
)


class ThreadTimingPin(Pin):
    """Threads, processes and pools that the script starts do one thing after another."""

    name: ClassVar[str] = "thread-timing"
    what: ClassVar[str] = "the script's threads, processes and pools taking turns in a fixed order"
    hook: ClassVar[str | None] = "serial"
    comes_and_goes: ClassVar[bool] = True
    inside_operations: ClassVar[bool] = True


class ThreadTiming(KnownCause):
    """Several threads or processes do something, and their pace decides an order."""

    code: ClassVar[str] = "thread-timing"
    meaning: ClassVar[str] = (
        "An order depended on which thread or process was ready first (a race)."
    )
    look: ClassVar[str] = (
        "Collect results in the order in which they were submitted (Executor.map, Pool.imap). "
        "When reading back what several workers wrote, sort by a key (sorted, ORDER BY) instead "
        "of relying on the order of writing. Seed random generators for each task, by its number, "
        "not for each worker: timing decides which worker takes which task. Do not let anything "
        "that runs concurrently change what others read: a shared model, or a buffer that is "
        "reused (allocate a new one each time)."
    )
    pins: ClassVar[tuple[Pin, ...]] = (ThreadTimingPin(),)
    ledger_names_the_line: ClassVar[bool] = False

    def hypotheses(self, evidence: Evidence) -> Iterator[Hypothesis]:
        """Where the script has started any."""
        entries = [*evidence.of("thread", "process"), *evidence.starts]
        if not entries:
            return
        asked = [entry for entry in entries if not entry.internal]
        if not asked:
            standing = Standing.FAINT
        elif evidence.found.has_unexplained_inputs or evidence.moved_seeds:
            standing = Standing.NOTED
        else:
            standing = Standing.POSSIBLE
        yield Hypothesis(pin="thread-timing", code=self.code, standing=standing, entries=asked)

    def written(self, statement: Statement, culprit: Culprit) -> str | None:
        """Results in the order in which they were asked for."""

        def ordered(node: ast.expr) -> str | None:
            if called(node) == "as_completed" and isinstance(node, ast.Call) and node.args:
                return _in_the_order_asked(statement, node.args[0])
            if called(node) == "imap_unordered" and isinstance(node, ast.Call):
                return statement.text_of(node).replace("imap_unordered", "imap", 1)
            return None

        return statement.rewritten(ordered)

    def advice(self, culprit: Culprit, pinned: Collection[str], statement: Statement | None) -> str:
        """What must not be shared, where the line starts something; else how to collect."""
        if culprit.entry is not None and culprit.entry.row.source in GENERATORS:
            return _PER_TASK
        calls = {called(node) for node in statement.expressions()} if statement else set()
        if calls & ASKING_WHETHER_READY:
            return _NOT_ASKED
        if calls & _STARTING:
            return _NOTHING_SHARED
        if calls & _HANDING_OVER:
            return _COPIES
        return _BY_NUMBER if calls & _TAKING else self.look


def _in_the_order_asked(statement: Statement, futures: ast.expr) -> str | None:
    """What holds the futures, in the order in which they were made; None where that is lost."""
    text = statement.text_of(futures)
    if isinstance(futures, ast.SetComp | ast.Set):
        return f"[{text[1:-1]}]"  # futures in a set lie in the order of their addresses
    if isinstance(futures, ast.GeneratorExp):
        # All are asked for before one is waited for.
        return f"[{text.removeprefix('(').removesuffix(')')}]"
    return None if Elements(statement.source).is_set(futures) else text
