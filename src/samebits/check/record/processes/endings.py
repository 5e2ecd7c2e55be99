"""From the journals of a run's processes to how each of them ended, where that was not well."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from samebits.check.record.processes.last_moment import LEFT, TIME_UP
from samebits.check.record.processes.last_words import RAISED
from samebits.check.record.processes.stack_place import (
    BACKWARD,
    REDUCING_BACKWARD,
    calls_of_dump,
    place_on,
)
from samebits.check.record.processes.standing import told

_RAISED_FIELDS = 6


@dataclass
class ProcessEnding:
    """How a process ended that did not end well.

    Attributes:
        error: The type of the exception that ended it; "" for none.
        message: What the exception says.
        file: The user's file that it stood in; "" where none is known.
        line: Its line.
        operation: What of torch.distributed the line had called: "all_reduce"; "" for none.
        by: "timeout" where the launcher has ended it when the time was up, "end" where it was still
            running after the script had ended and was ended then, "process" where another process
            of the run has sent it a signal that ends, else "".
    """

    error: str = ""
    message: str = ""
    file: str = ""
    line: int = 0
    operation: str = ""
    by: str = ""

    def to_json(self) -> dict[str, Any]:
        """As the manifest has it; empty where nothing is known."""
        return asdict(self) if self != ProcessEnding() else {}


class Endings:
    """How the processes of a run ended.

    Args:
        workspace: The run's folder for its processes.
        journals: Token → the events of its journal.
        is_user: Tells the user's own files.
    """

    def __init__(
        self,
        workspace: Path,
        journals: Mapping[str, Sequence[Sequence[str]]],
        is_user: Callable[[str], bool],
    ) -> None:
        self._workspace = workspace
        self._journals = journals
        self._is_user = is_user
        self._signalled: set[int] = set()
        self._left: set[int] = set()
        numbers = {"signals": self._signalled, LEFT: self._left}
        for events in journals.values():
            for event, *fields in events:
                if event in numbers and fields[0].isdecimal():
                    numbers[event].add(int(fields[0]))

    def of(
        self, token: str, pid: int, *, by_signal: bool, reduces: bool
    ) -> tuple[ProcessEnding, int]:
        """How one process ended, and the collectives that it had begun where it said that.

        Args:
            token: What it is called; "0" for the script's own process.
            pid: Its number; 0 while unknown.
            by_signal: Whether a signal has ended it.
            reduces: Whether a backward pass of it all-reduces gradients.
        """
        ending, collectives = ProcessEnding(), 0
        for event, *fields in self._journals.get(token, ()):
            if event == TIME_UP:
                ending.by, pid = ending.by or "timeout", pid or _number(fields[0])
                break
            if event == RAISED and len(fields) == _RAISED_FIELDS:
                error, message, file, line, operation, begun = fields
                ending = ProcessEnding(error, message, file, _number(line), operation)
                collectives = _number(begun)
        if by_signal and pid in self._signalled and not ending.by:
            ending.by = "process"
        if pid in self._left and not ending.by:
            ending.by = "end"
        if (ending.by or by_signal) and not ending.error:
            place = place_on(calls_of_dump(told(self._workspace, pid)), self._is_user)
            ending.file, ending.line, ending.operation = place.file, place.line, place.operation
        if reduces and ending.operation == BACKWARD:
            ending.operation = REDUCING_BACKWARD
        return ending, collectives


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else 0
