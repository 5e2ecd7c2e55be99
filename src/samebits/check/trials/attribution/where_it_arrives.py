"""Where the pace of threads and processes reaches the script: the line to blame for a race."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeGuard

from samebits.check.causes.culprit import Culprit
from samebits.check.causes.pace import ASKING_WHETHER_READY, asks_for_a_file_time
from samebits.check.diff.value_lines import ValueDifference
from samebits.check.diff.values import ValueDifferences
from samebits.check.diff.verdict import Divergence
from samebits.check.trace.values_format import MAIN_PROCESS
from samebits.check.trials.attribution.culprit_by_values import of_flow, of_values, that_matter
from samebits.check.trials.attribution.decisive_line import reaching
from samebits.core.source.statement import (
    Statement,
    called,
    containers_walked_at,
    loop_around,
    own_nodes,
    scope_around,
    statement_at,
    statements_in,
    stored_in,
)
from samebits.core.source.threads import AS_READY

_HANDING_OVER = frozenset({"apply_async", "map_async", "put", "put_nowait", "start", "submit"})
_TAKING = frozenset({"get", "get_nowait"})
_SENDING = frozenset({"put", "put_nowait"})
_SHARING = frozenset({"from_dlpack", "from_numpy", "frombuffer"})
"""Functions that make a tensor of memory which is somebody else's."""
_NUMBERED = frozenset(
    {
        *("fork", "forkpty", "getpid", "getppid", "get_ident", "get_native_id", "posix_spawn"),
        # These hold processes or threads.
        *("Pool", "Process", "ProcessPoolExecutor", "Thread", "ThreadPool", "ThreadPoolExecutor"),
        # These make a name up.
        *("NamedTemporaryFile", "TemporaryDirectory", "mkdtemp", "mkstemp", "mktemp"),
        *("ShareableList", "SharedMemory"),
        *("token_bytes", "token_hex", "token_urlsafe", "urandom", "uuid1", "uuid4"),
        # These tell the time.
        *("time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns"),
        *("process_time", "thread_time", "now", "utcnow", "today"),
    }
)
_NUMBERS = frozenset({"pid", "ident", "native_id"})
_MAKE_THEIR_NAME = frozenset({"NamedTemporaryFile", "SharedMemory"})
_OF_PATHS = frozenset(
    {
        *(
            "PurePath",
            "Path",
            "absolute",
            "as_posix",
            "format",
            "fspath",
            "int",
            "join",
            "joinpath",
        ),
        *("resolve", "str", "with_name", "with_stem", "with_suffix"),
    }
)
"""Calls that make one name of another."""


def where_it_arrives(
    values: ValueDifferences, started: Sequence[Culprit], at: Divergence | None = None
) -> Culprit | None:
    """Of threads: where the main one takes what they made, else where they were started.

    What differs inside the threads is how they raced, wherever each happened to be. The number that
    a process or a thread got, a temporary file's name, and the time, differ whatever the order.

    Args:
        values: Where variables diverge when only the timing of threads varies.
        started: Lines that started them.
        at: Where the runs diverge, if that has a line.
    """
    by_file_time = None if at is None else _order_of_files(values, at)
    if by_file_time is not None:
        return by_file_time
    numbers: set[_Variable] = set()
    # What is only printed counts where nothing else of the main thread differs.
    own = [line for line in values.lines if not line.thread and line.process == MAIN_PROCESS]
    for line in that_matter(replace(values, lines=tuple(own))):
        named = {_Variable.of(line, name) for name in line.names}
        told = _is_told(line, numbers)
        if told or _asks_for_number(line) or _makes_a_name_of(line, numbers):
            numbers |= named
        # Another call may give the same function something else.
        known = line.role != "argument" and all(one.is_among(numbers) for one in named)
        if not told and not known:
            place = Culprit(file=line.file, line=line.line, variable=line.name)
            asks = next(_asking(values), None) if _calls(place, _HANDING_OVER) else None
            taken = _takes_as_ready(line.file, line.line) or _sent_as_it_is(place)
            return asks or _filled_by_workers(line, started) or taken or place
    flow = values.flow
    if flow is not None and not flow.thread and flow.process == MAIN_PROCESS:
        return of_flow(values)
    taken = None if at is None or at.process else _takes_as_ready(at.file, at.line)
    if taken is not None:
        return taken
    return started[0] if started else of_values(values)


def _takes_as_ready(file: str | None, line: int | None) -> Culprit | None:
    """The loop around a line that takes results as they are ready, by the source."""
    head = loop_around(file, line)
    statement = None if head is None else statement_at(file, head)
    loop = None if statement is None else statement.node
    if isinstance(loop, ast.For) and called(loop.iter) in AS_READY:
        return Culprit(file=file, line=head, by_source=True)
    return None


def _sent_as_it_is(place: Culprit) -> Culprit | None:
    """The one line that puts memory of others into a queue which a line gets something from.

    `queue.put(torch.from_numpy(buffer))` sends what the buffer holds by then.
    """
    taking = statement_at(place.file, place.line)
    queues = set() if taking is None else set(_queues(taking, _TAKING))
    sent = [
        statement
        for statement in statements_in(place.file)
        if not queues.isdisjoint(_queues(statement, _SENDING))
        and _shares_a_buffer(place.file, statement)
    ]
    if len(sent) != 1:
        return None
    return Culprit(file=place.file, line=sent[0].node.lineno, by_source=True)


def _shares_a_buffer(file: str | None, statement: Statement) -> bool:
    """Whether it makes a tensor of memory that is taken from somewhere, and not made for it."""
    found = scope_around(file, statement.node.lineno)
    for node in statement.expressions():
        if isinstance(node, ast.Call) and called(node) in _SHARING and node.args:
            given = node.args[0]
            if isinstance(given, ast.Attribute | ast.Subscript):
                return True
            if isinstance(given, ast.Name) and found is not None:
                values = [value for _, value in stored_in(found[0], given.id)]
                if values and all(isinstance(v, ast.Attribute | ast.Subscript) for v in values):
                    return True
    return False


def _queues(statement: Statement, names: Collection[str]) -> Iterator[str]:
    """What the objects are called of which a statement calls such a method."""
    for node in statement.expressions():
        method = node.func if isinstance(node, ast.Call) else None
        if isinstance(method, ast.Attribute) and method.attr in names:
            yield ast.unparse(method.value).rpartition(".")[2]


def collected_as_ready(started: Culprit) -> Culprit | None:
    """The loop that adds up, or lists, what was started there as it gets ready, by the source.

    Where which worker took which task differs as well, the runs diverge in a worker, before what
    its result reaches.

    Args:
        started: The line that started it.

    Returns:
        None unless its function has one such loop.
    """
    around = scope_around(started.file, started.line)
    if around is None:
        return None
    scope, statement = around
    filled = {node.id for node in ast.walk(statement.node) if isinstance(node, ast.Name)}
    loops = [
        node
        for node in own_nodes(ast.iter_child_nodes(scope))
        if isinstance(node, ast.For) and _walks(node, filled) and _accumulates(node)
    ]
    if len(loops) != 1:
        return None
    return Culprit(file=started.file, line=loops[0].lineno, by_source=True)


def _walks(loop: ast.For, names: Collection[str]) -> bool:
    """Whether a loop walks, as they get ready, what has one of these names."""
    if called(loop.iter) not in AS_READY or not isinstance(loop.iter, ast.Call):
        return False
    return any(isinstance(given, ast.Name) and given.id in names for given in loop.iter.args)


def _accumulates(loop: ast.For) -> bool:
    """Whether a loop adds its items up, or lists them, one after the other."""
    items = {node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name)}
    for node in (node for statement in loop.body for node in ast.walk(statement)):
        if not any(isinstance(part, ast.Name) and part.id in items for part in ast.walk(node)):
            continue
        if isinstance(node, ast.Assign):
            parts = (part for target in node.targets for part in ast.walk(target))
            items |= {part.id for part in parts if _is_stored(part)}
        lists = isinstance(node, ast.Call) and called(node) in ("append", "extend")
        if lists or isinstance(node, ast.AugAssign):
            return True
    return False


def _is_stored(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _order_of_files(values: ValueDifferences, at: Divergence) -> Culprit | None:
    """Where files come in the order in which they were written, if that has reached the divergence.

    Which of the writers was ready first may differ before, in what is shown of how far they are.
    """
    main = [line for line in values.lines if not line.thread and line.process == MAIN_PROCESS]
    way = reaching(main, at)
    if not way or (main and main[0] in way):
        return None
    for line in way:
        statement = statement_at(line.file, line.line)
        if statement is not None and asks_for_a_file_time(statement):
            return Culprit(file=line.file, line=line.line, variable=line.name)
    return None


def _asking(values: ValueDifferences) -> Iterator[Culprit]:
    """Lines of the main thread that ask whether something is ready yet, and got another answer.

    What was handed over just before differs by itself, by how far it is; that reaches nothing until
    somebody asks.
    """
    main = (line for line in values.lines if not line.thread and line.process == MAIN_PROCESS)
    for line in main:
        place = Culprit(file=line.file, line=line.line, variable=line.name)
        if _calls(place, ASKING_WHETHER_READY):
            yield place
    flow = values.flow
    if flow is not None and not flow.thread and flow.process == MAIN_PROCESS:
        place = Culprit(file=flow.file, line=flow.line)
        if _calls(place, ASKING_WHETHER_READY):
            yield place


def _calls(place: Culprit, functions: Collection[str]) -> bool:
    statement = statement_at(place.file, place.line)
    nodes = statement.expressions() if statement is not None else ()
    return any(called(node) in functions for node in nodes)


def _filled_by_workers(line: ValueDifference, started: Sequence[Culprit]) -> Culprit | None:
    """Where a line walks what workers have returned: the line that started them and collected it.

    Of a long list only the two ends are compared: what differs inside shows where it is walked.
    """
    for name, filled in containers_walked_at(line.file, line.line):
        for place in started:
            if place.file == line.file and _stands_in(place.line, filled):
                return replace(place, variable=name)
    return None


def _stands_in(line: int | None, node: ast.stmt) -> bool:
    return line is not None and node.lineno <= line <= (node.end_lineno or node.lineno)


class _Variable(NamedTuple):
    """A variable of a function, or what it is given under that name.

    Attributes:
        file: Where the function stands; "" of one that is called, which may be anywhere.
        function: The function.
        name: The variable.
    """

    file: str
    function: str
    name: str

    @classmethod
    def of(cls, line: ValueDifference, name: str) -> _Variable:
        """What a line calls by a name: an argument belongs to the function that is called."""
        if line.role == "argument":
            return cls("", line.callee, name)
        return cls(line.file, line.function, name)

    def is_among(self, numbers: Collection[_Variable]) -> bool:
        """Whether it is one of them, or what one of them was given as."""
        return self in numbers or self._replace(file="") in numbers


def _is_told(line: ValueDifference, numbers: Collection[_Variable]) -> bool:
    """Whether a call is given text that is made of such numbers, as a line of a log is.

    Whatever else differs in what it is given, without a call, would have differed before.
    """
    statement = statement_at(line.file, line.line)
    if line.role != "argument" or statement is None:
        return False
    called_here = {called(node) for node in statement.expressions() if isinstance(node, ast.Call)}
    if not called_here <= _OF_PATHS | _NUMBERED | {line.callee.rpartition(".")[2]}:
        return False
    if _asks_for_number(line):
        return True
    nodes = statement.expressions()
    read = {ast.unparse(node) for node in nodes if isinstance(node, ast.Name | ast.Attribute)}
    return any(_Variable(line.file, line.function, name).is_among(numbers) for name in read)


def _makes_a_name_of(line: ValueDifference, numbers: Collection[_Variable]) -> bool:
    """Whether a line makes a path of nothing that differs but such numbers and names."""
    statement = statement_at(line.file, line.line)
    if statement is None or not isinstance(statement.node, ast.Assign):
        return False
    stored = {name.id for name in statement.node.targets if isinstance(name, ast.Name)}
    given = {_Variable.of(line, name) for name in line.names if name not in stored}
    calls = (node for node in statement.expressions() if isinstance(node, ast.Call))
    only_names = all(called(node) in _OF_PATHS for node in calls)
    return only_names and bool(given) and given <= set(numbers)


def _asks_for_number(line: ValueDifference) -> bool:
    """Whether a line is given the number of a process or a thread, a temporary name or the time."""
    statement = statement_at(line.file, line.line)
    if statement is None:
        return False
    nodes = list(statement.expressions())
    read = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    if any(called(node) in _NUMBERED for node in nodes) or read & _NUMBERS:
        return True
    return "name" in read and _makes_what_has_a_name(line.file)


def _makes_what_has_a_name(file: str) -> bool:
    """Whether a file calls what makes up a name of its own, to be asked for later."""
    return any(
        called(node) in _MAKE_THEIR_NAME
        for statement in statements_in(file)
        for node in statement.expressions()
    )
