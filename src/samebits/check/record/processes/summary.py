"""From the journals of a run's processes to what its manifest says of them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from samebits.check.record.joined_group import RANK
from samebits.check.record.processes.answered_calls import ANSWERS
from samebits.check.record.processes.endings import Endings, ProcessEnding
from samebits.check.record.processes.journal import has_lost_events, parse_journal, token_of
from samebits.check.record.processes.row_counter import counted
from samebits.check.record.processes.starts import BECOMES, EXEC, EXEC_FAILED

_FOLLOWED = frozenset({"python", "fork"})
_MOST_PROCESSES = 131_072


@dataclass
class ProcessFacts:
    """What is known of one process that the script, or one of its processes, has started.

    Attributes:
        token: Its name: the starter's, a dot, and as which it was started.
        via: What started it, such as "mp.spawn" or "subprocess".
        role: "pool" for a worker of a pool, "" for any other.
        file: The line of the script that started it; "" where none stood on the stack.
        line: Its number.
        row: Operations that its starter had recorded by then.
        program: The command without what may vary, such as "python -c"; "fork" for a fork.
        kind: "fork", "python", "python-alone" (which takes no notice of PYTHONPATH), "shell",
            "program", "container" (a command that starts something in one), or "thread".
        watched: Whether it kept a journal itself.
        rank: Its rank, in a distributed run: what `init_process_group` told, else the RANK that it
            was given and its starter was not.
        world: How many ranks there are, as `init_process_group` told; "" while unknown.
        torch: "no", "imported", "idle" (imported, and no operation on its main thread) or
            "computed".
        recorded: Whether its operations are in a run folder of their own.
        rows: Operations that it had recorded when it ended.
        steps: Optimizer steps that it had recorded by then.
        ledger: The name of its ledger's table in the workspace; "" without one.
        failure: Why not all of it could be recorded; "" where it could.
        threads: Whether it started threads whose operations are not seen.
        starter: For a thread: the name of the thread or process that has started it.
        collectives: How many it had begun in the group of all ranks by the last one that it waited
            for, by its last step, or by the exception that ended it.
        reduces: Whether it had a `DistributedDataParallel` that all-reduces gradients.
        ending: How it ended, where that was not well.
        nth: For a thread: as which of several of its line it was started.
        printed: What it printed on the run's standard output.
        full: Whether it printed more than that.
        status: How it ended, as `waitpid` tells; None where nobody asked.
        pid: Its process id; 0 while unknown.
        given_rank: RANK in its environment.
    """

    token: str
    via: str = ""
    role: str = ""
    file: str = ""
    line: int = 0
    program: str = ""
    kind: str = ""
    watched: bool = False
    rank: str = ""
    world: str = ""
    torch: str = "no"
    recorded: bool = False
    rows: int = 0
    steps: int = 0
    ledger: str = ""
    failure: str = ""
    threads: bool = False
    printed: str = ""
    full: bool = False
    status: int | None = None
    pid: int = 0
    row: int = 0
    given_rank: str = ""
    starter: str = ""
    nth: int = 0
    collectives: int = 0
    reduces: bool = False
    ending: ProcessEnding = field(default_factory=ProcessEnding)

    def to_json(self) -> dict[str, Any]:
        """As the manifest's `processes` has it."""
        code = signal = None
        if self.status is not None and os.WIFSIGNALED(self.status):
            signal = os.WTERMSIG(self.status)
        elif self.status is not None:
            code = os.WEXITSTATUS(self.status)
        return {
            "name": self.token,
            "via": self.via,
            "role": self.role,
            "file": self.file,
            "line": self.line,
            "row": self.row,
            "program": self.program,
            "kind": self.kind,
            "watched": self.watched,
            "rank": self.rank,
            "world": self.world,
            "torch": self.torch,
            "recorded": self.recorded,
            "rows": self.rows,
            "steps": self.steps,
            "failure": self.failure,
            "threads": self.threads,
            "pid": self.pid,
            "printed": {"text": self.printed, "whole": not self.full},
            "exit": {"code": code, "signal": signal},
            "starter": self.starter or self.token.rpartition(".")[0],
            "nth": self.nth,
            "collectives": self.collectives,
            "ending": self.ending.to_json(),
        }


@dataclass
class RunProcesses:
    """All processes of a run beside the script's own.

    Attributes:
        processes: By their tokens.
        threads: Threads of any process, the script's own included, that computed; by their tokens.
        written: Path → (where the first writer began, tokens of the writers).
        renamed: Path → the name that a process gave to what lay there.
        ending: How the script's own process ended, where that was not well.
        rank: Its rank, where it has joined a group; None elsewhere.
        world: How many ranks there are in the largest group that it has joined.
        collectives: How many it had begun there, as in `ProcessFacts`.
        became: Program, file and line of the `os.exec` by which another program has taken the place
            of the script; empty where none has.
        lost: Whether the script's own process could not note all that it started.
        answered: Whether a process, the script's own included, ran what another asked for by RPC.
    """

    processes: dict[str, ProcessFacts] = field(default_factory=dict)
    ending: ProcessEnding = field(default_factory=ProcessEnding)
    rank: int | None = None
    world: int = 0
    collectives: int = 0
    became: dict[str, Any] = field(default_factory=dict)
    lost: bool = False
    answered: bool = False
    threads: dict[str, ProcessFacts] = field(default_factory=dict)
    written: dict[str, tuple[int, set[str]]] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)

    @property
    def unfollowed(self) -> bool:
        """Whether there was a process that kept no journal, and may have done anything."""
        return any(not found.watched for found in self.processes.values())


def read_processes(workspace: Path, is_user: Callable[[str], bool]) -> RunProcesses:
    """Put the journals of a workspace together.

    Args:
        workspace: The run's folder for its processes.
        is_user: Tells the user's own files.
    """
    journals: dict[str, list[list[str]]] = {}
    lost: list[str] = []
    for path in sorted(workspace.glob("process.*")):
        token = token_of(path.name)
        if token is not None and len(journals) < _MOST_PROCESSES:
            journals[token] = _without_failed_execs(parse_journal(path.read_bytes()))
            if has_lost_events(path):
                lost.append(token)
    run = RunProcesses()
    loaders = {token for token, events in journals.items() if ["worker"] in events}
    for events in journals.values():
        _starts(run, events)
    for token, events in journals.items():
        if token in loaders:
            continue
        if token != "0":
            _own_events(run, token, events)
        _threads(run, events)
    for token in loaders:
        run.processes.pop(token, None)
    for token in lost:
        if token in run.processes:
            found = run.processes[token]
            found.failure = found.failure or "there was no room for what is noted of it"
    _script_events(run, journals.get("0", ()))
    run.lost = "0" in lost
    run.answered = any([ANSWERS] in events for events in journals.values())
    for token, found in (*run.processes.items(), *run.threads.items()):
        if found.recorded:
            found.rows, found.steps, found.collectives, found.reduces = counted(workspace, token)
    _tell_ranks(run)
    by_pid = {found.pid: found for found in run.processes.values() if found.pid}
    for events in journals.values():
        _ends(run, by_pid, events)
    endings = Endings(workspace, journals, is_user)
    own = counted(workspace, "0")
    run.ending, begun = endings.of("0", 0, by_signal=False, reduces=own.reduces)
    run.collectives = max(own.collectives, begun)
    for token, found in run.processes.items():
        by_signal = found.status is not None and os.WIFSIGNALED(found.status)
        found.ending, begun = endings.of(
            token, found.pid, by_signal=by_signal, reduces=found.reduces
        )
        found.collectives = max(found.collectives, begun)
    return run


def _script_events(run: RunProcesses, events: Iterable[list[str]]) -> None:
    for event, *fields in events:
        if event == BECOMES and len(fields) == 3:
            run.became = {"program": fields[0], "file": fields[1], "line": _number(fields[2])}
        elif event == RANK and len(fields) == 2 and _number(fields[1]) > run.world:
            # A group of one, before or after, is no part among others.
            run.rank, run.world = _number(fields[0]), _number(fields[1])


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else 0


def _without_failed_execs(events: list[list[str]]) -> list[list[str]]:
    """The events without those of programs that could not be executed."""
    result: list[list[str]] = []
    latest = -1
    for event in events:
        if event[0] == EXEC_FAILED:
            if latest >= 0:
                del result[latest]
                latest = -1
            continue
        if event[0] in (EXEC, BECOMES):
            latest = len(result)
        result.append(event)
    return result


def _threads(run: RunProcesses, events: Iterable[list[str]]) -> None:
    for event, *fields in events:
        if event == "recorded-thread" and len(fields) == 8:
            token, starter, via, role, file, line, nth, row = fields
            numbers = [int(text) if text.isdecimal() else 0 for text in (line, nth, row)]
            found = ProcessFacts(token, via, role, file, numbers[0], "thread", "thread")
            found.starter, found.nth, found.row = starter, numbers[1], numbers[2]
            found.watched, found.torch, found.recorded = True, "computed", True
            run.threads[token] = found
        elif event == "failed-thread" and fields[0] in run.threads:
            run.threads[fields[0]].failure = fields[1]


def _tell_ranks(run: RunProcesses) -> None:
    """Give each process the rank of its environment, unless it has only inherited that."""
    for token, found in run.processes.items():
        starter = run.processes.get(token.rpartition(".")[0])
        inherited = os.environ.get("RANK", "") if starter is None else starter.given_rank
        if found.given_rank != inherited:
            found.rank = found.rank or found.given_rank


def _starts(run: RunProcesses, events: Iterable[list[str]]) -> None:
    for event, *fields in events:
        if event == "start" and len(fields) == 8:
            token, via, role, file, line, program, kind, row = fields
            number = int(line) if line.isdecimal() else 0
            found = ProcessFacts(token, via, role, file, number, program, kind)
            found.row = int(row) if row.isdecimal() else 0
            run.processes[token] = found
    for event, *fields in events:
        if event == "pid" and len(fields) == 2 and fields[0] in run.processes:
            run.processes[fields[0]].pid = int(fields[1])
        elif event == "gives" and len(fields) == 3 and fields[0] in run.processes:
            run.written.setdefault(fields[2], (int(fields[1]), {fields[0]}))


def _own_events(run: RunProcesses, token: str, events: Iterable[list[str]]) -> None:
    found = run.processes.get(token)
    if found is None:
        started = run.processes.get(token.partition("~")[0])
        if started is None:
            return
        found = ProcessFacts(token, started.via, started.role, started.file, started.line)
        found.program, found.kind = "python", "python"
        run.processes[token] = found
    for event, *fields in events:
        _take(run, found, event, fields)


def _take(run: RunProcesses, found: ProcessFacts, event: str, fields: list[str]) -> None:
    if event == "python":
        found.watched, found.given_rank = True, fields[1]
        if not found.pid and fields[0].isdecimal():
            found.pid = int(fields[0])
        if found.kind != "fork":
            found.kind = "python"
    elif event == EXEC:
        found.watched, found.torch = False, "no"
        if found.recorded:
            found.failure = "another program took its place"
        found.program, found.kind = fields[0], fields[1]
    elif event == "torch":
        found.torch = "imported"
    elif event == "listening":
        found.torch = "idle"
    elif event == "computed":
        found.torch = "computed"
    elif event == "recorded":
        found.torch, found.recorded = "computed", True
        found.ledger = fields[0]
    elif event == RANK:
        found.rank, found.world = (*fields, "")[:2]
    elif event == "failed":
        found.failure = fields[0]
    elif event == "thread":
        found.threads = True
    elif event == "out":
        found.printed += fields[0]
    elif event == "out-full":
        found.full = True
    elif event == "write" and fields[0].isdecimal():
        begin, writers = run.written.get(fields[1], (int(fields[0]), set()))
        run.written[fields[1]] = min(begin, int(fields[0])), writers | {found.token}
    elif event == "rename":
        run.renamed[fields[0]] = fields[1]
        if fields[0] in run.written:
            begin, writers = run.written.pop(fields[0])
            run.written[fields[1]] = begin, writers


def _ends(
    run: RunProcesses, by_pid: Mapping[int, ProcessFacts], events: Iterable[list[str]]
) -> None:
    for event, *fields in events:
        if event == "end" and int(fields[0]) in by_pid:
            by_pid[int(fields[0])].status = int(fields[1])
        elif event == "ended" and fields[0] in run.processes:
            run.processes[fields[0]].status = int(fields[1])


def rest_of_output(stdout: str, known: Iterable[str]) -> list[str]:
    """Lines on the run's standard output that no process is known to have printed.

    Args:
        stdout: All that arrived.
        known: What processes printed, as they noted it themselves.
    """
    printed = Counter(line for text in known for line in text.split("\n"))
    rest = []
    for line in stdout.split("\n"):
        if not line.strip():
            continue
        if printed[line] > 0:
            printed[line] -= 1
        else:
            rest.append(line)
    return rest
