"""What a run of a script is asked for, how far it is, and how it ended."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from samebits.check.record.config import VALUES_LIMIT
from samebits.core.interposition.surroundings import Surroundings


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
class RunOptions:
    """How to run and what to record.

    Attributes:
        level: "auto", "step", "module" or "op".
        steps: Stop after so many optimizer steps.
        timeout: Seconds after which the run is ended.
        control: Run under control: seeds, switches, hash seed, addresses, threads.
        seed: Seed of every generator under control.
        threads: Threads under control; None pins the number that is usual here.
        capture_output: Keep the script's output from the terminal (it is recorded all the same),
            give it no input, and end what it leaves running.
        ops_from_step: Record operations from this step on, whatever the level.
        capture_row: Save the outputs of this operation row.
        cost_steps: Record nothing; time so many steps with and without determinism, and stop.
        cost_exact: With `cost_steps`: time as many under exact arithmetic too.
        replay_row: At this operation row, run the operation again and again on its inputs and stop.
        stop_row: Stop after this operation row.
        trace_values: Follow what the script's variables hold, line by line, into the folder
            `values` of the run folder, for `samebits.check.diff.values`.
        values_limit: Lines and calls that are followed at most.
        kill_at_step: End the process by SIGKILL once so many optimizer steps are done.
        state_steps: (first, count) of the steps whose state is digested entry by entry.
        ends_quickly: Leave out Python's last search for cycles of objects, after all is recorded,
            and what is finalized by it: for a script that leaves nothing behind.
        note_made_files: Tell in the result which files and folders the run makes.
        surroundings: What to hold still or to change around the script.
    """

    level: str = "auto"
    steps: int | None = None
    timeout: float | None = None
    control: bool = False
    seed: int = 0
    threads: int | None = None
    capture_output: bool = False
    ops_from_step: int | None = None
    capture_row: int | None = None
    replay_row: int | None = None
    cost_steps: int | None = None
    cost_exact: bool = False
    stop_row: int | None = None
    trace_values: bool = False
    values_limit: int = VALUES_LIMIT
    kill_at_step: int | None = None
    state_steps: tuple[int, int] | None = None
    ends_quickly: bool = False
    note_made_files: bool = False
    surroundings: Surroundings = field(default_factory=Surroundings)


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
        cost: What `cost_steps` found, as JSON, where the script came that far.
        replays: How the operation of `replay_row` repeats, as JSON, where that was asked for.
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
    cost: str | None = None
    failure: str | None = None
    acted: Mapping[str, int] = field(default_factory=dict)
    states: Mapping[int, Mapping[str, str]] = field(default_factory=dict)
    made: Sequence[Sequence[Any]] = ()
