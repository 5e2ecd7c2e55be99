"""What is run, how far it is, and how it ended."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Target:
    """What to run: a script or a module, with its arguments."""

    script: Path | None
    module: str | None = None
    args: tuple[str, ...] = ()

    @property
    def command(self) -> list[str]:
        """The command line, as plain Python would be given it."""
        what = [str(self.script)] if self.module is None else ["-m", self.module]
        return [sys.executable, *what, *self.args]


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far a run is: optimizer steps, recorded operations, seconds."""

    steps: int
    ops: int
    seconds: float


@dataclass(frozen=True, kw_only=True)
class RunResult:
    """How a run ended.

    Attributes:
        folder: The run folder.
        exit_code: The script's own exit code; None when a signal ended it.
        signal: The signal that ended it; None when it exited.
        seconds: Wall time.
        timed_out: True when the timeout ended it.
        stderr_tail: The end of its standard error, where output was captured.
        captured: The outputs of `capture_row` as safetensors, where that was asked for.
        costs: What `cost_steps` found, as JSON, by the token of the process that came that far;
            the script's own is "0".
        replays: How the operation of `replay_row` repeats, as JSON, where that was asked for.
        replayed: Up to two of its results that differ, as safetensors.
        acted: How often each hook has changed what the script saw, by its name.
        states: Step → entry → digest, for `state_steps`.
        made: What the run noted of the files it made, for `samebits.check.record.made_files`.
        failure: Why samebits could not record all of it; the script itself went on regardless.
    """

    folder: Path
    exit_code: int | None
    signal: int | None
    seconds: float
    timed_out: bool = False
    stderr_tail: str = ""
    captured: bytes | None = None
    replays: str | None = None
    replayed: tuple[bytes, ...] = ()
    costs: Mapping[str, str] = field(default_factory=dict)
    failure: str | None = None
    acted: Mapping[str, int] = field(default_factory=dict)
    states: Mapping[int, Mapping[str, str]] = field(default_factory=dict)
    made: Sequence[Sequence[Any]] = ()

    @property
    def end(self) -> tuple[int | None, int | None, bool]:
        """What two runs agree in that ended in the same way."""
        if self.timed_out:
            return None, None, True  # whether it exits before it is killed is a matter of pace
        return self.exit_code, self.signal, False

    @property
    def ending(self) -> str:
        """How it ended, in words."""
        if self.timed_out:
            return "its time being up"
        return f"signal {self.signal}" if self.signal else f"exit code {self.exit_code}"
