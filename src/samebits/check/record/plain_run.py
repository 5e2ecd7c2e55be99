"""Running a script as it is run without samebits, to see whether being recorded changes it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass

from samebits.check.record.run import Progress, Target
from samebits.core.interposition.surroundings import Surroundings
from samebits.errors import RecordError
from samebits.training.control.address_space import programs_at

_POLL_SECONDS = 0.05
_TAIL_BYTES = 8192


@dataclass(frozen=True, kw_only=True)
class PlainResult:
    """How a plain run ended.

    Attributes:
        stdout: What it wrote to standard output, as far as it was kept.
        stderr_tail: The end of its standard error.
        exit_code: Its exit code; negative for a signal.
        timed_out: Whether it was ended for taking too long.
        seconds: Wall time.
    """

    stdout: bytes
    stderr_tail: str
    exit_code: int
    timed_out: bool
    seconds: float


def run_plain(
    target: Target,
    surroundings: Surroundings,
    *,
    timeout: float | None = None,
    keep: int = 1 << 24,
    on_progress: Callable[[Progress], None] | None = None,
) -> PlainResult:
    """Run a script in a fresh process that nothing listens in.

    Args:
        target: What to run.
        surroundings: Its environment, addresses and arguments; it can have no hooks.
        timeout: Seconds after which it is ended.
        keep: Bytes of its output to keep.
        on_progress: Called a few times a second.

    Raises:
        RecordError: The process could not be started.
    """
    assert not surroundings.hooks, "hooks act in recorded runs alone"
    arguments = surroundings.applied_arguments(target.args)
    command = [*target.command[: len(target.command) - len(target.args)], *arguments]
    started = time.monotonic()
    # Into files, not pipes: however much it prints, nobody has to read along.
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        try:
            with programs_at(surroundings.addresses):
                process = subprocess.Popen(
                    command,
                    env=surroundings.applied_environment(os.environ),
                    stdin=subprocess.DEVNULL,
                    stdout=stdout,
                    stderr=stderr,
                    start_new_session=True,
                )
        except (OSError, subprocess.SubprocessError) as error:
            raise RecordError(f"cannot start {command[0]}: {error}") from error
        timed_out = False
        try:
            while True:
                try:
                    process.wait(_POLL_SECONDS)
                    break
                except subprocess.TimeoutExpired:
                    seconds = time.monotonic() - started
                if on_progress is not None:
                    on_progress(Progress(steps=0, ops=0, seconds=seconds))
                if timeout is not None and seconds > timeout:
                    timed_out = True
                    break
        finally:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        stdout.seek(0)
        printed = stdout.read(keep)
        stderr.seek(max(0, os.fstat(stderr.fileno()).st_size - _TAIL_BYTES))
        tail = stderr.read().decode("utf-8", "replace")
    return PlainResult(
        stdout=printed,
        stderr_tail=tail,
        exit_code=process.returncode,
        timed_out=timed_out,
        seconds=time.monotonic() - started,
    )
