"""Compares what the processes of two runs computed that the script has started.

Processes with a rank are compared rank by rank, others in the order in which a line started them.
Where several of one line share their work as it comes, what they did is compared as one heap.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from samebits.check.diff.correspondence import base_name, correspondence
from samebits.check.diff.counterparts import Counterparts, counterparts, share_work
from samebits.check.diff.draws_by_pace import draws_by_pace
from samebits.check.diff.operations import compare_operations
from samebits.check.diff.order_of_causes import Found, OrderOfCauses, messages_before, order_of
from samebits.check.diff.passed_on import PassedOn
from samebits.check.diff.position import last_row
from samebits.check.diff.process_groups import Process, process_groups
from samebits.check.diff.process_names import name_in_group
from samebits.check.diff.rows import same_operation_otherwise
from samebits.check.diff.shared_work import SharedWork
from samebits.check.diff.threads import thread_divergence
from samebits.check.diff.threads_ahead import AHEAD, is_merely_ahead
from samebits.check.diff.verdict import Divergence, NotCompared
from samebits.check.trace.process_folders import owner_of, started_by_script
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import OpRow
from samebits.check.trace.run_parts import lacking_ranks
from samebits.check.trace.values_format import MAIN_PROCESS
from samebits.core.names import printable
from samebits.core.source.threads import takes_as_ready

_SHARED = (
    "the {0} of this line share their work as it comes, and each has recorded its operations "
    "up to its own first optimizer step only; --level op records all of them"
)
_STEPS_AGREE = (
    "the threads of this line share their work as it comes, and each has recorded its operations "
    "up to its own first optimizer step only; all their steps agree"
)
_BY_PACE = (
    "the {0} of this line share their work as it comes, and draw random numbers from "
    "generators that are not seeded for each task: which task got which numbers is not seen"
)

_MOST_BESIDE = 3
"""So many further divergences are told."""


@dataclass
class ProcessOperations:
    """What came out.

    Attributes:
        divergence: The first difference of a process, where it comes before that of the script's
            own process.
        overwritten: Draws that gave other numbers and were overwritten.
        not_compared: Processes that were killed before all their rows were written.
        notes: What a person should know, such as threads that were still running at the end.
        independent: Where other processes diverge for reasons of their own, in words.
    """

    divergence: Divergence | None = None
    overwritten: list[OpRow] = field(default_factory=list)
    not_compared: list[NotCompared] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    independent: list[str] = field(default_factory=list)


def compare_process_operations(
    a: Trace,
    b: Trace,
    own: Divergence | None,
    entered: Divergence | None = None,
    *,
    lines: bool,
    threads: bool = True,
) -> ProcessOperations:
    """Compare the recorded operations of all processes but the script's own.

    Args:
        a: Run A.
        b: Run B.
        own: Where the script's own processes diverge.
        entered: Data that differed there and changed no result in it.
        lines: Whether line numbers mean the same in both.
        threads: Whether what threads computed counts.

    Raises:
        TraceError: A trace is damaged.
    """
    result = ProcessOperations()
    processes = [process for trace in (a, b) for process in trace.manifest.further]
    # Nothing comes before an operation that gives another result on equal inputs.
    is_known = own is not None and own.is_own_doing
    if is_known or not any(process["recorded"] for process in processes):
        return result
    comparison = _Processes(a, b, result, own, entered, lines=lines)
    groups_a, groups_b = process_groups(a, lines=lines), process_groups(b, lines=lines)
    for key in {**groups_a, **groups_b}:
        of_a, of_b = groups_a.get(key, []), groups_b.get(key, [])
        if threads or any(process["kind"] != "thread" for process in (*of_a, *of_b)):
            comparison.compare(of_a, of_b)
    result.divergence = comparison.first
    if result.divergence is not None:
        others = comparison.independent_of(result.divergence)
        result.independent = [_beside(one) for one in others[:_MOST_BESIDE]]
    return result


def _reach(own: Divergence) -> int | None:
    """The last row before which a process must have been started to matter; None for any."""
    return None if own.kind == "step" else last_row(own)


class _Processes:
    def __init__(
        self,
        a: Trace,
        b: Trace,
        result: ProcessOperations,
        own: Divergence | None,
        entered: Divergence | None,
        *,
        lines: bool,
    ) -> None:
        self._a = a
        self._b = b
        self._result = result
        self._own = own
        self._lines = lines
        self._rows = {
            process["name"]: process["row"]
            for trace in (b, a)
            for process in trace.manifest.further
        }
        self._lacking = {str(rank) for trace in (a, b) for rank in lacking_ranks(trace)}
        self._order = OrderOfCauses(lambda: self._passed_on)
        self._order.own = None if own is None else Found(own, order_of(own, a), MAIN_PROCESS)
        if entered is not None:
            self._order.entered.append(Found(entered, order_of(entered, a), MAIN_PROCESS))
        self._folders: dict[tuple[int, str], Trace | None] = {}

    @property
    def first(self) -> Divergence | None:
        """The divergence that no other one comes before, as far as that can be told."""
        left = self._order.told_by_no_other()
        if not left:
            return None
        first = min(left, key=lambda one: one.order)
        order, found = first.order, first.divergence
        # What a process computes is known on all its threads, and is no data there.
        of_thread = any(owner_of(name) != name for name in found.processes)
        if of_thread and self._own is not None and self._own.data and order[0] and not found.data:
            return None
        # The script's own process may be a rank like the others.
        if self._order.own is not None and messages_before(self._a, self._a.count_ops()):
            return found if order < self._order.own.order else None
        return found

    @functools.cached_property
    def _passed_on(self) -> PassedOn:
        runs: list[dict[str, Trace]] = []
        for side, run in enumerate((self._a, self._b)):
            traces = {MAIN_PROCESS: run}
            for process in run.manifest.further:
                trace = self._opened(side, process)
                if trace is not None:
                    traces[process["name"]] = trace
            runs.append(traces)
        return PassedOn(*runs)

    def independent_of(self, first: Divergence) -> list[Divergence]:
        """Divergences of other processes that the first one cannot have reached.

        An operation that gives another result on equal inputs has its own reason. So has one that
        comes before any message that follows the first divergence, unless its data may have come
        another way, by a queue or a pipe: of ranks they hardly do. Ranks that do the same at one
        line mostly differ there for one reason.
        """
        left = self._order.told_by_no_other()
        orders = [one.order for one in left if one.divergence is first]
        names = {owner_of(name) for name in first.processes}
        return [
            found
            for order, found in ((one.order, one.divergence) for one in left)
            if names.isdisjoint(map(owner_of, found.processes))
            and (found.op, found.file, found.line) != (first.op, first.file, first.line)
            and found.kind != "step"
            and not found.has_unexplained_inputs
            and (
                order[0] == 0
                or (orders and order[1:3] <= orders[0][1:3] and self._is_not_handed_over(found))
            )
        ]

    def _is_not_handed_over(self, found: Divergence) -> bool:
        ranks = {process["name"] for process in self._a.manifest.further if process["rank"]}
        return not found.data or bool(ranks.intersection(found.processes))

    def compare(self, of_a: Sequence[Process], of_b: Sequence[Process]) -> None:
        """Compare the processes that one line has started."""
        pairs = [
            pair
            for pair in counterparts(of_a, of_b)
            if any(process and process["recorded"] for process in pair.both)
        ]
        found = [(pair, self._divergence(pair)) for pair in pairs]
        differing = [(pair, divergence) for pair, divergence in found if divergence is not None]
        uneven = [pair for pair in pairs if self._killed_sooner(pair)]
        if (differing or uneven) and share_work(of_a, of_b):
            agrees, differing = self._beyond_sharing(differing, uneven, of_a, of_b)
            uneven = [] if agrees else uneven
        alone = [] if share_work(of_a, of_b) else differing
        ahead = [pair for pair, found in alone if is_merely_ahead(self._traces(pair), found)]
        self._result.notes += [AHEAD.format(pair.name) for pair in ahead]
        self._order.found += [
            Found(divergence, order_of(divergence, self._traces(pair)[0]), _name(pair.a))
            for pair, divergence in differing
            if pair not in ahead and self._may_come_first(pair)
        ]
        names = {pair.name for pair in uneven}
        for pair in pairs:
            self._result.not_compared += self._unwritten(pair)
            if pair.name in names:
                why = self._killed_sooner(pair)
                self._result.not_compared.append(NotCompared("process", pair.name, why))

    def _beyond_sharing(
        self,
        differing: list[tuple[Counterparts, Divergence]],
        uneven: list[Counterparts],
        of_a: Sequence[Process],
        of_b: Sequence[Process],
    ) -> tuple[bool, list[tuple[Counterparts, Divergence]]]:
        """Whether both runs did the same together, and else what differs apart from the sharing."""
        computing = [[p for p in own if p["recorded"]] for own in (of_a, of_b)]
        traces = [
            [trace for p in own if (trace := self._opened(side, p)) is not None]
            for side, own in enumerate(computing)
        ]
        work = SharedWork(traces[0], traces[1], lines=self._lines)
        on_threads = any(process["kind"] == "thread" for process in of_a)
        what = "threads" if on_threads else "processes"
        name = [*(pair for pair, _ in differing), *uneven][0].name
        if work.agrees:
            by_pace = any(draws_by_pace(own, on_threads=on_threads) for own in traces)
            if by_pace and not work.agrees_in_order:
                self._result.not_compared.append(
                    NotCompared("process", name, _BY_PACE.format(what))
                )
            return True, []
        if differing and work.steps_agree and work.is_partly_recorded:
            if on_threads:
                self._result.notes.append(f"{name}: {_STEPS_AGREE}")
            else:
                why = _SHARED.format(what)
                self._result.not_compared.append(NotCompared("process", name, why))
            return False, []
        found = work.first_unmatched() if differing else None
        if found is None or found.other is None:
            # The process adds results up as they are ready: so it differs, and what it gives them.
            own = self._own
            by_itself = own is not None and own.has_unexplained_inputs
            if on_threads and own and by_itself and takes_as_ready(own.file, own.line):
                return False, []
            # How many of them came to compute at all is a matter of pace, too.
            of_both = [one for one in differing if None not in self._traces(one[0])]
            return False, of_both or differing
        number, row = found.other
        pair = Counterparts(
            computing[0][found.trace],
            computing[1][number],
            name_in_group(computing[0][found.trace], of_a),
        )
        mine, theirs = traces[0][found.trace].row(found.row), traces[1][number].row(row)
        return False, [(pair, self._of(pair, same_operation_otherwise(mine, theirs)))]

    def _divergence(self, pair: Counterparts) -> Divergence | None:
        one, other = self._traces(pair)
        if one is None or other is None:
            return self._alone(pair, one, other)
        compared = compare_operations(one, other, correspondence(one, other))
        self._result.overwritten += compared.overwritten
        if compared.entered is not None:
            entered = self._of(pair, compared.entered)
            self._order.entered.append(Found(entered, order_of(entered, one), _name(pair.a)))
        found = compared.divergence or thread_divergence(one, other)
        return None if found is None else self._of(pair, found)

    def _of(self, pair: Counterparts, found: Divergence) -> Divergence:
        names = tuple(process["name"] for process in pair.both if process is not None)
        return replace(found, process=pair.name, processes=names)

    def _alone(
        self, pair: Counterparts, one: Trace | None, other: Trace | None
    ) -> Divergence | None:
        """A process that computes in one of the runs only."""
        missing = pair.b if one is not None else pair.a
        trace = one or other
        if any(process["rank"] in self._lacking for process in pair.both if process is not None):
            return None  # it was on a machine whose part of the run is not there
        # One that was ended before its first row was written may have computed all the same.
        if trace is None:
            return None
        if missing is not None and missing["exit"]["signal"] is not None:
            return None
        run = "A" if one is not None else "B"
        process = pair.a if one is not None else pair.b
        assert process is not None
        row = trace.row(0) if trace.count_ops() else None
        site = row.site if row is not None else None
        return Divergence(
            kind="inserted",
            step=0,
            phase=row.phase if row is not None else "setup",
            op=printable(row.op, 200) if row is not None else "process",
            file=site.file if site is not None else process["file"] or None,
            line=site.line if site is not None else process["line"] or None,
            function=site.function if site is not None else None,
            detail=f"{pair.name} computes in run {run} only",
            process=pair.name,
        )

    def _traces(self, pair: Counterparts) -> tuple[Trace | None, Trace | None]:
        return self._opened(0, pair.a), self._opened(1, pair.b)

    def _opened(self, side: int, process: Process | None) -> Trace | None:
        """What a process has recorded; each folder is opened once."""
        if process is None or not process["recorded"]:
            return None
        key = (side, process["name"])
        if key not in self._folders:
            self._folders[key] = (self._a, self._b)[side].process(process["name"])
        return self._folders[key]

    def _may_come_first(self, pair: Counterparts) -> bool:
        """Whether it was started before the script's own processes diverge."""
        reach = None if self._own is None else _reach(self._own)
        if reach is None:
            return True
        names = [process["name"] for process in pair.both if process is not None]
        return min(map(self._start, names)) <= reach

    def _start(self, name: str) -> int:
        """The row of the script's own process at which it, or whoever started it, was started."""
        return int(self._rows.get(started_by_script(name), 0))

    def _unwritten(self, pair: Counterparts) -> Iterator[NotCompared]:
        """What a kill has kept from being compared."""
        traces = self._traces(pair)
        for process, trace in zip(pair.both, traces, strict=True):
            if process is None or trace is None or not trace.cut or process["failure"]:
                continue
            for what, done, written in (
                ("operation", process["rows"], trace.count_ops()),
                ("step", process["steps"], trace.count_steps()),
            ):
                if done > written:
                    lost = done - written
                    last = f"{what} was" if lost == 1 else f"{lost} {what}s were"
                    why = f"it was killed before its last {last} written"
                    yield NotCompared("process", pair.name, why)
        if _is_thread(pair) and any(
            trace is not None and trace.manifest.exit["reason"] == "running" for trace in traces
        ):
            reach = "as far as both runs came"
            if any(trace is not None and trace.manifest.operations_left_out for trace in traces):
                reach = "as far as both runs have recorded them"
            self._result.notes.append(
                f"{pair.name} was still running when its process ended: its operations are "
                f"compared {reach}"
            )

    def _killed_sooner(self, pair: Counterparts) -> str:
        """Why a process that was killed has done less in one of the runs; "" where it has not."""
        if _is_thread(pair) or any(process and process["failure"] for process in pair.both):
            return ""
        one, other = self._traces(pair)
        if one is None or other is None:
            missing = pair.a if one is None else pair.b
            if missing is None or missing["exit"]["signal"] is None:
                return ""
            if missing["rank"] in self._lacking:
                return ""
            return "in one of the runs it was killed before its first operation was written"
        if not (one.cut or other.cut):
            return ""
        lengths = [(trace.count_ops(), trace.count_steps()) for trace in (one, other)]
        if lengths[0] == lengths[1]:
            return ""
        return "it was killed, and had done more in one of the runs: the rest has no equal"


def _beside(found: Divergence) -> str:
    place = "" if found.file is None else f" at {printable(base_name(found.file), 80)}:{found.line}"
    return (
        "independently of the first divergence, as far as the operations and messages of both "
        f"tell, {found.process} diverges as well: "
        f"{found.op}{place}, step {found.step}: {found.detail}"
    )


def _name(process: Process | None) -> str | None:
    return None if process is None else process["name"]


def _is_thread(pair: Counterparts) -> bool:
    return any(process is not None and process["kind"] == "thread" for process in pair.both)
