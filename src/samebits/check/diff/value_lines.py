"""Lines after which variables of two runs differ, and where the runs take other lines."""

from __future__ import annotations

from dataclasses import dataclass

from samebits.check.trace import values_format as form

RESULT = "return value"
"""The name of what a call gave back."""


@dataclass(frozen=True, kw_only=True)
class ValueDifference:
    """A line after which variables held other values in the other run.

    Attributes:
        file: Path as the interpreter knew it.
        line: The line; for an argument, the line that made the call.
        function: The function that the line stands in.
        names: The variables, as the line mentions them: `labels`, `self.labels`; an argument's
            name; "return value" for what a call gave back or yielded.
        kinds: For each name, what kind of value it held in run A: "list", "int", …
        role: "variable", "argument" or "result".
        callee: For an argument, the function that was called; "" otherwise.
        visit: How many times the line had run, counted from 1, in its thread.
        process: "0" for the recorded process, "0-1" for its first forked child.
        thread: Name of the thread; "" for the one that its process began with.
        idle: Whether the call that it happened in gave back the same in both runs.
    """

    file: str
    line: int
    function: str
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    role: str = "variable"
    callee: str = ""
    visit: int = 1
    process: str = form.MAIN_PROCESS
    thread: str = ""
    idle: bool = False

    @property
    def name(self) -> str:
        """The first of the variables."""
        return self.names[0]


@dataclass(frozen=True, kw_only=True)
class FlowDifference:
    """The line after which the runs took different ways: a branch, a loop's end, a call.

    Attributes:
        file: Path of the file that the line stands in.
        line: The last line that both ran.
        function: The function that it stands in.
        next_a: Where run A went on: "FILE:LINE", "call of FUNCTION", "end of FUNCTION"; "" when
            its trace ends there.
        next_b: Where run B went on.
        process: As in `ValueDifference`.
        thread: As in `ValueDifference`.
    """

    file: str
    line: int
    function: str
    next_a: str
    next_b: str
    process: str = form.MAIN_PROCESS
    thread: str = ""
