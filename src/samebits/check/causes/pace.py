"""Threads or processes whose pace decides an order: what the two causes have in common."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, ClassVar

from samebits.check.causes.answers import answered_otherwise, gives_each_time, only_waits
from samebits.check.causes.cause import KnownCause
from samebits.check.causes.culprit import Culprit
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.hand_overs import handed_over
from samebits.check.causes.hypothesis import Hypothesis, Standing
from samebits.check.causes.pin import Pin
from samebits.check.causes.shared_generators import (
    drawn_in_turns,
    draws_pauses,
    own_generators,
)
from samebits.check.diff.ledger_pairs import GENERATORS
from samebits.check.diff.racing_parties import Parties, racing_parties
from samebits.core.interposition.file_times import FILE_TIMES
from samebits.core.source.elements import Elements
from samebits.core.source.jobs import takes_jobs
from samebits.core.source.statement import Statement, called, enclosing_statements, root

if TYPE_CHECKING:
    from samebits.check.trace.reader import Trace
    from samebits.core.setting import Setting

_STARTING = frozenset({"start", "start_new_thread", "spawn"})
_TAKING = frozenset({"get", "recv", "wait"})
_HANDING_OVER = frozenset({"put"})
_GIVING_TASKS = frozenset(
    {"apply_async", "imap", "map", "map_async", "starmap", "starmap_async", "submit"}
)
ASKING_WHETHER_READY = frozenset(
    {"done", "empty", "full", "is_alive", "is_set", "poll", "qsize", "ready", "running"}
)
"""Calls whose answer goes by timing alone."""
_ASKING_FOR_ROOM = frozenset({"full", "put_nowait"})
WAITING_NO_LONGER = frozenset({"timeout", "timeout_at", "wait_for"})
"""Calls of asyncio that give up after a time."""
_ASKING_FOR_A_FILE = frozenset({"exists", "getsize", "is_file", "isfile", "stat"})
_ENDS_QUIETLY = frozenset({"join", "wait"})
_WAITING_FOR_SEVERAL = frozenset({"as_completed", "wait"})
_LIMITED = _ENDS_QUIETLY | _WAITING_FOR_SEVERAL | {"get", "result"}
"""Calls that may be given a limit of time."""
_DEADLINE = (
    "What is ready when the time is up goes by how fast the machine is just then. Wait until it is "
    "there, with a time limit that only an error ends, and decide what is late by numbers or times "
    "that are part of the data."
)
_BY_NUMBER = (
    "Items arrive here in the order in which they happen to be ready. Send the number of its task "
    "with each, keep them by that number, and combine them in the order of the numbers. Seed "
    "random generators for each task, by its number, not for each worker. Where a single thread "
    "sends them, their order is fixed: then what was sent is changed before it is used, such as a "
    "buffer that is filled again, or the tensor that torch.from_numpy has made of it. Send a copy: "
    "array.copy(), tensor.clone()."
)
_STATUS = frozenset({"fstat", "lstat", "stat"})
_BY_FILE_TIME = (
    "Which file was written first goes by which writer was ready first. Sort by the files' names "
    "in place of their times."
)
_POLLS_A_FILE = (
    "This loop ends as soon as the file is there, or is that large, and whoever writes it may not "
    "be done by then. Wait until the writer has ended before the file is read: process.wait(), "
    "join(), result(). Or have it write to another name, and give the file its own name once it "
    "is whole: os.replace(temporary, path)."
)
_NOT_ASKED = (
    "Whether something is ready yet goes by timing. Do not ask: wait for it at a fixed point "
    "(result(), get(), join()), such as for the task of two rounds before, so that every run sees "
    "the same ones."
)
_FIXED_NUMBER = (
    "How often this loop goes round goes by whether something is ready yet, which goes by timing. "
    "Give what it gives a fixed number of times, for _ in range(n), whatever is ready by then."
)
_LEFT_OUT = (
    "Whether a queue has room goes by how fast the other side is. Let put() wait until there is "
    "room, or make the queue large enough for everything, so that every run keeps the same items."
)
_PER_TASK = (
    "Timing decides which worker takes which task, and all tasks of a worker draw from one "
    "generator. Give each task a generator of its own, seeded by the number of the task, not of "
    "the worker, and made where the task begins: np.random.default_rng([seed, task])."
)
_MORE_PAUSES = (
    "How often this line draws goes by how long there is to wait, which is another time in each "
    "run,"
)
_OTHER_TURNS = "When this line draws, and when others do, goes by timing,"
_OF_PAUSES = (
    "and whoever draws from the same generator afterwards gets other numbers. Draw the pauses from "
    "a generator of their own, such as pauses = random.Random()."
)


IN_ONE_THREAD = (
    "Have the library work in one thread here: n_jobs=1, or set_params(n_jobs=1) before this line, "
    "where fitting may go on in several. A sum of floating-point numbers that threads add to as "
    "they finish rounds otherwise each time; what they give by themselves, such as the predictions "
    "of single trees, may be added in a fixed order."
)
SHARED_VALUE = (
    "Other processes change this number whenever they get there, so what is read here goes by "
    "timing. Send the number along with each task, or change it only between rounds of work, when "
    "no process reads it. Share work out by the numbers of the workers, such as "
    "items[info.id :: info.num_workers], not by a counter that they take from."
)


class PacePin(Pin):
    """Threads, processes and pools that the script starts do one thing after another."""

    name: ClassVar[str] = "thread-timing"
    what: ClassVar[str] = "the script's threads, processes and pools taking turns in a fixed order"
    hook: ClassVar[str | None] = "serial"
    comes_and_goes: ClassVar[bool] = True
    inside_operations: ClassVar[bool] = True


_LONGEST_TURN_S, _SHORTEST_TURN_S = 30.0, 5.0
_TURN = 2.0


def longest_turn(trace: Trace) -> dict[str, Setting]:
    """Settings of the pin by which nothing is waited for much longer than a run takes.

    A thread that works until it is told to stop, such as one that prepares batches, would be waited
    for in vain.

    Args:
        trace: The run.
    """
    seconds = min(max(_TURN * trace.manifest.seconds, _SHORTEST_TURN_S), _LONGEST_TURN_S)
    return {"limit": seconds}


class Pace(KnownCause):
    """Several threads or processes do something, and their pace decides an order.

    Attributes:
        parties: Whose pace it is.
        copies: What to do where a line hands something over.
        nothing_shared: What to do where a line starts something.
        of_tasks: What to do where a line gives tasks to a pool.
    """

    parties: ClassVar[Parties]
    copies: ClassVar[str]
    nothing_shared: ClassVar[str]
    of_tasks: ClassVar[str]
    ledger_names_the_line: ClassVar[bool] = False

    def hypotheses(self, evidence: Evidence) -> Iterator[Hypothesis]:
        """Where the script has started any, and the others are not likelier to race."""
        entries = [*evidence.of("thread", "process", "timer"), *evidence.starts]
        if not entries:
            return
        asked = [entry for entry in entries if not entry.internal]
        rows = [entry.row for entry in asked or entries]
        if racing_parties(rows, evidence.found) != self.parties:
            return
        if not asked:
            standing = Standing.FAINT
        elif (
            evidence.found.has_unexplained_inputs
            or evidence.moved_seeds
            or answered_otherwise(evidence) is not None
            or drawn_in_turns(evidence) is not None
            or (_is_of_values(evidence) and handed_over(evidence) is not None)
        ):
            standing = Standing.NOTED
        elif evidence.found.data and any(row.source == "process" for row in rows):
            standing = Standing.NOTED  # what processes make arrives as data
        else:
            standing = Standing.POSSIBLE
        yield Hypothesis(pin=PacePin.name, code=self.code, standing=standing, entries=asked)

    def written(self, statement: Statement, culprit: Culprit) -> str | None:
        """Results in the order in which they were asked for."""

        def ordered(node: ast.expr) -> str | None:
            if called(node) == "as_completed" and isinstance(node, ast.Call):
                if len(node.args) != 1 or node.keywords or _is_async(statement):
                    return None  # a time limit, or a loop that awaits each by itself
                in_order = _in_the_order_asked(statement, node.args[0])
                return _started_at_once(statement, node.func, in_order)
            if called(node) == "imap_unordered" and isinstance(node, ast.Call):
                return statement.text_of(node).replace("imap_unordered", "imap", 1)
            return None

        return statement.rewritten(ordered)

    def advice(self, culprit: Culprit, pinned: Collection[str], statement: Statement | None) -> str:
        """What must not be shared, where the line starts something; else how to collect."""
        if culprit.entry is not None and culprit.entry.row.source in GENERATORS:
            if not draws_pauses(culprit.entry):
                return _PER_TASK
            uneven = culprit.entry.row.calls != getattr(culprit.entry.other, "calls", 0)
            return f"{_MORE_PAUSES if uneven else _OTHER_TURNS} {_OF_PAUSES}"
        source = None if culprit.entry is None else culprit.entry.row.source
        if source == "shared-value":
            return SHARED_VALUE
        if culprit.entry is not None and source == "shared-generator":
            return own_generators(culprit.entry)
        if source == "hand-over":
            return self.copies
        calls = {called(node) for node in statement.expressions()} if statement else set()
        if statement is not None and asks_for_a_file_time(statement):
            return _BY_FILE_TIME
        gives_up = statement is not None and waits_no_longer(statement, culprit.file, culprit.line)
        if calls & WAITING_NO_LONGER or gives_up:
            return _DEADLINE
        if calls & _ASKING_FOR_A_FILE and statement is not None and only_waits(statement.node):
            return _POLLS_A_FILE
        if calls & _ASKING_FOR_ROOM:
            return _LEFT_OUT
        if calls & ASKING_WHETHER_READY or source == "readiness":
            again = statement is not None and gives_each_time(statement.node)
            return _FIXED_NUMBER if again else _NOT_ASKED
        if calls & _STARTING:
            return self.nothing_shared
        if calls & _HANDING_OVER:
            return self.copies
        if calls & _GIVING_TASKS:
            return self.of_tasks
        if takes_jobs(culprit.file, culprit.line):
            return IN_ONE_THREAD
        return _BY_NUMBER if calls & _TAKING else self.look


def _is_of_values(evidence: Evidence) -> bool:
    """Whether the runs part by values that arrive somewhere, in memory or in a file of tensors."""
    return evidence.found.data or evidence.found.kind == "saved"


def waits_no_longer(statement: Statement, file: str | None, line: int | None) -> bool:
    """Whether a statement waits for a limited time, and the script goes on when that is up.

    `wait(jobs, timeout=1)` does; `queue.get(timeout=1)` raises when the time is up, so that it only
    counts where that is caught.

    Args:
        statement: The statement.
        file: The file that it stands in.
        line: A line of it.
    """
    waits = [
        called(node)
        for node in statement.expressions()
        if isinstance(node, ast.Call) and called(node) in _LIMITED and _has_limit(node)
    ]
    if _ENDS_QUIETLY.intersection(waits):
        return True
    around = enclosing_statements(file, line)
    caught = any(
        isinstance(one.node, ast.Try) and any(_goes_on(handler) for handler in one.node.handlers)
        for one in around
    )
    return bool(waits) and caught


def limits_of_waiting(statement: Statement) -> list[ast.expr]:
    """What calls in a statement that wait are given as their limits of time."""
    calls = (node for node in statement.expressions() if isinstance(node, ast.Call))
    return [limit for node in calls if called(node) in _LIMITED for limit in _limits(node)]


def _has_limit(node: ast.Call) -> bool:
    """Whether a call that waits is given a number of seconds."""
    return bool(_limits(node))


def _limits(node: ast.Call) -> list[ast.expr]:
    plain = all(isinstance(one, ast.Constant) and not _is_text(one) for one in node.args)
    if not plain and called(node) not in _WAITING_FOR_SEVERAL:
        return []  # `requests.get(address, timeout=5)`, `", ".join(words)`
    limits = [keyword.value for keyword in node.keywords if keyword.arg == "timeout"]
    limits += [one for one in node.args if _is_number(one)]
    return [one for one in limits if not (isinstance(one, ast.Constant) and one.value is None)]


def _is_text(node: ast.Constant) -> bool:
    return isinstance(node.value, str | bytes)


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def _goes_on(handler: ast.ExceptHandler) -> bool:
    return not any(isinstance(node, ast.Raise) for node in ast.walk(handler))


def _is_async(statement: Statement) -> bool:
    walks = (getattr(node, "generators", ()) for node in statement.expressions())
    return isinstance(statement.node, ast.AsyncFor) or any(
        generator.is_async for generators in walks for generator in generators
    )


def _started_at_once(statement: Statement, collects: ast.expr, futures: str | None) -> str | None:
    """The same futures; of asyncio, whose coroutines begin when they are waited for, as tasks."""
    if futures is None or not statement.name_of(collects).startswith("asyncio."):
        return futures
    if not isinstance(collects, ast.Attribute):
        return None
    module = statement.text_of(collects.value)
    return f"[{module}.ensure_future(task) for task in {futures}]"


def asks_for_a_file_time(statement: Statement) -> bool:
    """Whether a statement names the time of a file, as `path.stat().st_mtime` does.

    Or stores what the system says of a file, whose time is read further on.
    """
    if any(map(_names_a_file_time, statement.expressions())):
        return True
    match statement.node:
        case ast.Assign(targets=[ast.Name(id=name)], value=made) if called(made) in _STATUS:
            nodes = statement.parsed.nodes(ast.Attribute)
            times = (node for node in nodes if _names_a_file_time(node))
            return any(isinstance(n, ast.Attribute) and root(n) == name for n in times)
    return False


def _names_a_file_time(node: ast.AST) -> bool:
    name = node.attr if isinstance(node, ast.Attribute) else ""
    name = node.id if isinstance(node, ast.Name) else name
    return name in FILE_TIMES


def _in_the_order_asked(statement: Statement, futures: ast.expr) -> str | None:
    """What holds the futures, in the order in which they were made; None where that is lost."""
    text = statement.text_of(futures)
    if isinstance(futures, ast.SetComp | ast.Set):
        return f"[{text[1:-1]}]"  # futures in a set lie in the order of their addresses
    if isinstance(futures, ast.GeneratorExp):
        # All are asked for before one is waited for.
        return f"[{text.removeprefix('(').removesuffix(')')}]"
    return None if Elements(statement.source).is_set(futures) else text
