"""Which process of a run failed first, and what the others waited for.

Nothing here goes by a clock. A process that another one has ended, or that has lost its connection
to another one, did not fail first; nor did the one that started those and reports them.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from samebits.check.diff.correspondence import base_name
from samebits.check.diff.process_groups import Process, process_groups
from samebits.check.diff.process_names import name_in_group
from samebits.check.record.processes.stack_place import BACKWARD
from samebits.check.trace.reader import Trace
from samebits.check.trace.run_parts import own_rank
from samebits.core.names import printable

_SCRIPT = "the script's own process"
_MOST = 8
_LOST = re.compile(
    r"connection (was )?(closed|reset|refused|aborted)|broken pipe|recvvalue failed|"
    r"failed to recv|failed to connect|could not connect|timed out|timeout|unexpected eof|"
    r"end of file|remote process exited|store (is )?closed",
    re.IGNORECASE,
)
"""What exceptions say that another process has caused, by being gone or late."""
_OF_CONNECTIONS = frozenset(
    {
        *("BrokenPipeError", "ConnectionResetError", "ConnectionRefusedError", "EOFError"),
        *("DistNetworkError", "DistStoreError", "DistBackendError", "RuntimeError"),
    }
)

_REPORTS = frozenset(
    {"CalledProcessError", "ChildFailedError", "ProcessExitedException", "ProcessRaisedException"}
)
"""Exceptions that say that another process has failed."""


@dataclass(frozen=True)
class _Failed:
    """A process that did not end well, or that was still there when the time was up."""

    name: str
    token: str
    process: Process

    @property
    def ending(self) -> Any:
        return self.process["ending"]

    @property
    def code(self) -> int | None:
        code: int | None = self.process["exit"]["code"]
        return code

    @property
    def killed_by(self) -> int | None:
        number: int | None = self.process["exit"]["signal"]
        return number

    @property
    def was_ended(self) -> bool:
        """Whether somebody of the run has ended it, or the time was up."""
        return bool(self.ending.get("by"))

    @property
    def by_itself(self) -> bool:
        """Whether it has failed by itself."""
        if has_lost_another(self.process):
            return False
        if self.was_ended and not self.ending["error"]:
            return False
        return bool(self.ending.get("error") or self.code or self.killed_by)


def has_lost_another(process: Process) -> bool:
    """Whether a process ended by an exception because another one was gone, or did not answer.

    Args:
        process: An entry of the manifest's `processes`.
    """
    ending = process["ending"]
    return ending.get("error") in _OF_CONNECTIONS and bool(_LOST.search(ending["message"]))


def failures(trace: Trace) -> list[str]:
    """Sentences on the processes of a run that did not end well; the one that failed first begins.

    Args:
        trace: A run.
    """
    found = list(_failed(trace))
    failing = [one for one in found if one.by_itself]
    ended = [one for one in found if one.by_itself or has_lost_another(one.process)]
    first = [one for one in failing if not _passes_on(one, ended)]
    fewest = min((one.process["collectives"] for one in first), default=0)
    first.sort(key=lambda one: one.process["collectives"])
    alone = len(first) == 1 or (first[1:2] and first[1].process["collectives"] > fewest)
    sentences = []
    for number, one in enumerate(first):
        failed = "failed first" if number == 0 and alone and len(found) > 1 else "failed"
        sentences.append(f"{one.name} {failed}: it {_what(one)}{_how_far(one)}")
    others = [one for one in found if not one.by_itself and not _only_waits(one, found)]
    if others and not first:
        sentences += _ended_well(trace)
    others_wait = any(_waits_for_others(one) for one in others)
    sentences += (_other(one, others_wait=others_wait) for one in others)
    if len(sentences) > _MOST:
        more = len(sentences) - _MOST
        return [*sentences[:_MOST], f"and {more} more of its processes did not end well"]
    return sentences


def _started_by(one: _Failed, others: Sequence[_Failed]) -> list[_Failed]:
    """Those of the others that a process has started, or that one of these has."""
    behind = (f"{one.token}.", f"{one.token}~")
    return [other for other in others if other.token.startswith(behind)]


def _passes_on(one: _Failed, ended: Sequence[_Failed]) -> bool:
    """Whether it failed because one did that it has started."""
    started = _started_by(one, ended)
    if not one.process["rank"]:
        return bool(started)
    # A rank that has started other ranks works beside them. What ends it on their account is a
    # signal, as Lightning sends itself one, or an exception that reports them.
    on_account = one.killed_by is not None or one.ending.get("error") in _REPORTS
    return any(not other.process["rank"] or (on_account and other.by_itself) for other in started)


def _only_waits(one: _Failed, found: Sequence[_Failed]) -> bool:
    """Whether it was there to the end because processes that it has started were."""
    is_rank = bool(one.process["rank"])
    return not is_rank and one.ending.get("by") == "timeout" and bool(_started_by(one, found))


def _failed(trace: Trace) -> Iterator[_Failed]:
    manifest, rank = trace.manifest, own_rank(trace)
    own: dict[str, Any] = {
        "exit": manifest.exit,
        "ending": manifest.ending,
        "collectives": manifest.collectives,
        "steps": manifest.counts["steps"],
        "rank": "" if rank is None else str(rank[0]),
    }
    if _is_bad(own):
        yield _Failed(_SCRIPT if rank is None else f"rank {rank[0]}", "0", own)
    for process, name in _named(trace):
        if _is_bad(process):
            yield _Failed(name, process["name"], process)


def _named(trace: Trace) -> Iterator[tuple[Process, str]]:
    for group in process_groups(trace, lines=True).values():
        for process in group:
            if process["kind"] != "thread":
                yield process, name_in_group(process, group)


def _is_bad(process: Process) -> bool:
    by = process["ending"].get("by")
    # A pool ends its workers by a signal, and they were doing nothing.
    ended = by == "end" or (by == "process" and not process["rank"])
    exit_ = process["exit"]
    return not ended and bool(process["ending"] or exit_["code"] or exit_["signal"])


def _ended_well(trace: Trace) -> Iterator[str]:
    """Where nobody failed: ranks that had ended while others went on."""
    for process, name in _named(trace):
        if process["rank"] and process["exit"]["code"] == 0 and not process["ending"]:
            yield f"{name} had ended well{_after(process)}"


def _what(one: _Failed) -> str:
    ending = one.ending
    if ending.get("error"):
        message = printable(str(ending["message"]).strip().partition("\n")[0], 160)
        raised = f"raised {printable(ending['error'], 80)}{_at(ending)}"
        return f"{raised}: {message}" if message else raised
    if one.killed_by:
        return f"was ended by signal {one.killed_by} ({signal_name(one.killed_by)}){_where(ending)}"
    return f"ended with exit code {one.code}"


def _waits_for_others(one: _Failed) -> bool:
    operation = one.ending.get("operation")
    return one.ending.get("by") == "timeout" and operation not in (None, "", BACKWARD)


def _other(one: _Failed, *, others_wait: bool) -> str:
    ending = one.ending
    where = _where(ending)
    if has_lost_another(one.process):
        return f"{one.name} lost its connection to another process{where}{_how_far(one)}"
    if ending["by"] == "timeout":
        waits = "was still waiting" if ending["operation"] else "was still running"
        # Whoever waits for the other ranks waits for those that are on their own.
        alone = others_wait and not ending["operation"]
        none = ", in no call of torch.distributed," if alone else ""
        return f"{one.name} {waits}{where}{none} when the time was up{_how_far(one)}"
    return f"{one.name} was then ended by another process{_while(where)}{_how_far(one)}"


def _while(where: str) -> str:
    return f" while it was{where}" if where else ""


def _where(ending: Any) -> str:
    inside = f" in {printable(ending['operation'], 80)}" if ending.get("operation") else ""
    return f"{inside}{_at(ending)}"


def _at(ending: Any) -> str:
    if not ending.get("file"):
        return ""
    return f" at {printable(base_name(ending['file']), 120)}:{ending['line']}"


def _how_far(one: _Failed) -> str:
    """How many collectives it had begun, as far as that is known, and the steps it had taken."""
    begun = one.process["collectives"]
    if not begun:
        return _after(one.process, before="; it had taken")
    exact = bool(one.ending.get("error"))
    least = "" if exact else "at least "
    return f"; it had begun {least}{_count(begun, 'collective')}{_after(one.process, before=' in')}"


def _after(process: Process, before: str = " after") -> str:
    return f"{before} {_count(process['steps'], 'step')}" if process["steps"] else ""


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def signal_name(number: int) -> str:
    """What a signal is called: "SIGKILL"; its number where it has no name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def of_failures(traces: Sequence[Trace]) -> list[str]:
    """The same of several runs, each with its number; what all of them say alike is said once."""
    told = [failures(trace) for trace in traces]
    if len(told) > 1 and all(one == told[0] for one in told[1:]):
        return [f"in each run {sentence}" for sentence in told[0]]
    return [
        f"run {number}: {sentence}"
        for number, sentences in enumerate(told, start=1)
        for sentence in sentences
    ]
