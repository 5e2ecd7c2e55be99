"""Runs a script in a process of its own, recorded, and reports how it ended."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from samebits.check.record.cost_files import CostFiles
from samebits.check.record.drain import Drain
from samebits.check.record.made_files import read_made
from samebits.check.record.plan import PROGRESS, RecordedProcess, RunPlan
from samebits.check.record.processes.last_moment import (
    note_last_moment,
    note_left_running,
    note_unasked_ends,
)
from samebits.check.record.remaining import end_remaining
from samebits.check.record.run import Progress, RunResult, Target
from samebits.check.record.step_states_file import read_step_states
from samebits.check.record.workspace import workspace
from samebits.check.trace.schema import MANIFEST_FILE
from samebits.core.interposition.surroundings import HookSpec, Surroundings
from samebits.errors import RecordError, TraceError
from samebits.training.control.address_space import programs_at
from samebits.training.control.process import ProcessControls, default_threads

_BOOTSTRAP = Path(__file__).with_name("bootstrap")
_LAUNCHERS = frozenset(
    {"accelerate", "deepspeed", "lightning", "pytorch_lightning", "ray", "torch"}
)
"""Packages whose modules `-m` runs to start the person's own script."""
_POLL_SECONDS = 0.05
_GRACE_SECONDS = 2.0


def run_script(
    target: Target,
    folder: Path,
    plan: RunPlan,
    on_progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> RunResult:
    """Run a script in a fresh process and record it in `folder`.

    Args:
        target: What to run.
        folder: The run folder: new or empty.
        plan: How to run and what to record.
        on_progress: Called a few times a second while the script runs.
        cancelled: Asked as often; the run is ended once it says so, as if its time were up.

    Returns:
        How it ended. The run folder's manifest holds the same.

    Raises:
        RecordError: The process could not be started.
        KeyboardInterrupt: With `capture_output`; the processes are ended and the folder stays.
    """
    started, began = time.monotonic(), time.time()
    target = replace(target, args=plan.surroundings.applied_arguments(target.args))
    with workspace() as shared:
        recorded = _recorded_process(target, folder, shared.path, plan)
        process, drain = _start(target, recorded)
        shared.used_by(process.pid)
        timed_out = False
        try:
            with _signals_passed_on(process, plan):
                timed_out = _wait(process, recorded, started, on_progress, cancelled)
        except BaseException:
            _end_group(process, plan)
            _record_exit(recorded, process, time.monotonic() - started, [])
            raise
        finally:
            if plan.capture_output:
                if process.returncode is not None and process.returncode >= 0 and not timed_out:
                    note_left_running(shared.path)
                note_unasked_ends(shared.path)
                _end_group(process, plan)
                end_remaining(shared.path)
            stderr_tail = drain.finish() if drain is not None else ""
        seconds = time.monotonic() - started
        notes = []
        if timed_out and plan.timeout is not None:
            notes.append(f"ended after the timeout of {plan.timeout:g} s")
        failure = recorded.error_file.read_text() if recorded.error_file.exists() else None
        try:
            stdout = drain.stdout if drain is not None else None
            _record_exit(recorded, process, seconds, notes, began=began, stdout=stdout)
        except (OSError, TraceError) as error:
            failure = failure or str(error)
        has_captured = recorded.capture_file.exists() and not plan.keep_captured
        captured = recorded.capture_file.read_bytes() if has_captured else None
        acted = json.loads(recorded.acted_file.read_text()) if recorded.acted_file.exists() else {}
        replays = recorded.replay_file.read_text() if recorded.replay_file.exists() else None
        replayed = tuple(file.read_bytes() for file in recorded.replayed_files if file.exists())
        costs = CostFiles(shared.path).read() if plan.cost_steps is not None else {}
        states = read_step_states(recorded.states_file)
        made = read_made(recorded.made_files)
    code = process.returncode
    return RunResult(
        folder=folder,
        exit_code=code if code >= 0 else None,
        signal=-code if code < 0 else None,
        seconds=seconds,
        timed_out=timed_out,
        stderr_tail=stderr_tail,
        captured=captured,
        replays=replays,
        replayed=replayed,
        costs=costs,
        failure=failure,
        acted=acted,
        states=states,
        made=made,
    )


def _recorded_process(target: Target, folder: Path, shared: str, plan: RunPlan) -> RecordedProcess:
    """The process to start, with a plan that says what was left to this machine."""
    varied = plan.surroundings.environment.get("OMP_NUM_THREADS")
    if varied is not None:
        plan = replace(plan, threads=int(varied))
    elif plan.control and plan.threads is None:
        plan = replace(plan, threads=default_threads(os.environ))
    if plan.control:
        # Generators that are made without a seed get one as well.
        seeds = Surroundings(hooks=(HookSpec(name="seeds", settings={"seed": plan.seed}),))
        plan = replace(plan, surroundings=seeds | plan.surroundings)
    return RecordedProcess(
        plan=plan,
        folder=str(folder.absolute()),
        workspace=shared,
        command=tuple(target.command[1:]),
        ends_with=os.getpid() if plan.capture_output else None,
        user_code=_installed_code_of(target),
        script_folder=os.path.dirname(os.path.realpath(target.script))
        if target.script is not None
        else os.getcwd(),
    )


def _installed_code_of(target: Target) -> tuple[str, ...]:
    """The package that `-m` runs counts as the person's code, wherever it lies."""
    top = (target.module or "").partition(".")[0]
    if not top or top in _LAUNCHERS:
        return ()
    with contextlib.suppress(ImportError, ValueError):
        spec = importlib.util.find_spec(top)
        if spec is not None:
            return tuple(spec.submodule_search_locations or ()) or ((spec.origin or ""),)
    return ()


def _start(
    target: Target, recorded: RecordedProcess
) -> tuple[subprocess.Popen[bytes], Drain | None]:
    plan = recorded.plan
    environment = dict(os.environ)
    if plan.control:
        environment = ProcessControls(threads=plan.threads).environment(environment)
    environment = plan.surroundings.applied_environment(environment)
    if "PYTHONPATH" in environment:
        environment["SAMEBITS_PYTHONPATH"] = environment["PYTHONPATH"]
    path = [str(_BOOTSTRAP), *filter(None, [environment.get("PYTHONPATH")])]
    environment["PYTHONPATH"] = os.pathsep.join(path)
    environment["SAMEBITS_SESSION"] = str(recorded.write())
    streams: dict[str, Any] = {}
    if plan.capture_output:
        streams = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            "start_new_session": True,
        }
    try:
        with programs_at(plan.addresses):
            process = subprocess.Popen(target.command, env=environment, **streams)
    except (OSError, subprocess.SubprocessError) as error:
        raise RecordError(f"cannot start {target.command[0]}: {error}") from error
    return process, Drain(process) if plan.capture_output else None


@contextlib.contextmanager
def _signals_passed_on(process: subprocess.Popen[bytes], plan: RunPlan) -> Iterator[None]:
    """While a script has the terminal, its signals are its own: pass on what reaches us alone."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may set handlers
        return

    def leave(number: int, _: object) -> None:
        # The script leads a group of its own: ending this process must end it too.
        raise SystemExit(128 + number)

    def pass_on(number: int, _: object) -> None:
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(number)

    handlers: dict[int, Any] = {}
    if plan.capture_output:
        handlers = dict.fromkeys((signal.SIGTERM, signal.SIGHUP), leave)
    else:
        shared = signal.SIG_IGN if _in_foreground() else pass_on
        handlers = dict.fromkeys((signal.SIGINT, signal.SIGQUIT), shared)
        alone = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
        handlers.update(dict.fromkeys(alone, pass_on))
    before: dict[int, Any] = {}
    try:
        for number, handler in handlers.items():
            before[number] = signal.signal(number, handler)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _in_foreground() -> bool:
    """Whether the terminal sends its signals to this process's group, the script included."""
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)


def _wait(
    process: subprocess.Popen[bytes],
    recorded: RecordedProcess,
    started: float,
    on_progress: Callable[[Progress], None] | None,
    cancelled: Callable[[], bool] | None,
) -> bool:
    """Wait for the end of the process; True when its time was up, or nobody wants it any more."""
    while True:
        try:
            process.wait(_POLL_SECONDS)
            return False
        except subprocess.TimeoutExpired:
            seconds = time.monotonic() - started
        if on_progress is not None:
            steps, ops = _read_progress(recorded)
            on_progress(Progress(steps=steps, ops=ops, seconds=seconds))
        if recorded.plan.cost_steps is not None and CostFiles(recorded.workspace).are_complete:
            _end_group(process, recorded.plan)
            return False
        timeout = recorded.plan.timeout
        too_long = timeout is not None and seconds > timeout
        if too_long:
            note_last_moment(recorded.workspace, process.pid)
        if too_long or (cancelled is not None and cancelled()):
            _end_group(process, recorded.plan)
            return True


def _read_progress(recorded: RecordedProcess) -> tuple[int, int]:
    try:
        content = recorded.progress_file.read_bytes()
    except OSError:
        return 0, 0
    steps, ops = PROGRESS.unpack(content) if len(content) == PROGRESS.size else (0, 0)
    return steps, ops


def _end_group(process: subprocess.Popen[bytes], plan: RunPlan) -> None:
    """End the process and, where it leads a group of its own, whatever it left running."""

    def send(number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if plan.capture_output:
                os.killpg(process.pid, number)
            else:
                process.send_signal(number)

    if process.poll() is None:
        send(signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE_SECONDS)
    send(signal.SIGKILL)
    process.wait()


def _record_exit(
    recorded: RecordedProcess,
    process: subprocess.Popen[bytes],
    seconds: float,
    notes: list[str],
    *,
    began: float | None = None,
    stdout: str | None = None,
) -> None:
    """Complete the manifest with what only the parent knows: how the process ended.

    Args:
        recorded: The recorded process.
        process: The same, ended.
        seconds: How long it ran.
        notes: What to add.
        began: When it began, seconds since 1970; None leaves its other processes out.
        stdout: What arrived on its standard output, where that was retained.
    """
    from samebits.check.record.ledger.merging import add_ledger
    from samebits.check.record.ledger.process_table import read_tables
    from samebits.check.record.processes.completing import add_processes
    from samebits.check.trace.manifest import Manifest
    from samebits.check.trace.writer import TraceWriter

    path = Path(recorded.folder, MANIFEST_FILE)
    code = process.returncode
    if not path.exists():
        # Ended before it began to record: before torch was imported, and not by its own exit.
        TraceWriter(recorded.folder, Manifest(command=recorded.command, level=recorded.plan.level))
    manifest = Manifest.read(path)
    if code < 0:
        outcome: Mapping[str, Any] = {"code": None, "signal": -code, "reason": "killed"}
    else:
        reason = manifest.exit["reason"]
        if reason == "running":
            reason = "killed"  # it ended without its own end being seen
        outcome = {"code": code, "signal": None, "reason": reason}
    changes: dict[str, Any] = {"exit": outcome, "notes": [*manifest.notes, *notes]}
    if not manifest.complete:
        changes["seconds"] = seconds
    manifest = manifest.replaced(changes)
    workspace = Path(recorded.workspace)
    if began is not None:
        manifest = add_processes(
            manifest,
            path.parent,
            workspace,
            began=began,
            stdout=stdout,
            user_code=recorded.user_code,
        )
    # Those that are recorded have a ledger of their own.
    others = (p["name"] for p in manifest.processes if p["watched"] and not p["recorded"])
    tables = read_tables(workspace, others)
    try:
        manifest = add_ledger(path.parent, manifest, tables)
    finally:
        manifest.write(path)
