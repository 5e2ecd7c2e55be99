"""Runs a script in a process of its own, recorded, and tells how it ended."""

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

from samebits.check.record.config import PROGRESS, SessionConfig
from samebits.check.record.drain import Drain
from samebits.check.record.made_files import read_made
from samebits.check.record.run import Progress, RunOptions, RunResult, Target
from samebits.check.record.step_states_file import read_step_states
from samebits.check.record.workspace import workspace
from samebits.check.trace.schema import MANIFEST_FILE
from samebits.core.interposition.surroundings import HookSpec, Surroundings
from samebits.errors import RecordError, TraceError
from samebits.training.control.address_space import programs_at
from samebits.training.control.process import ProcessControls, default_threads

_BOOTSTRAP = Path(__file__).with_name("bootstrap")
_POLL_SECONDS = 0.05
_GRACE_SECONDS = 2.0


def run_script(
    target: Target,
    folder: Path,
    options: RunOptions,
    on_progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> RunResult:
    """Run a script in a fresh process and record it in `folder`.

    Args:
        target: What to run.
        folder: The run folder: new or empty.
        options: How to run and what to record.
        on_progress: Called a few times a second while the script runs.
        cancelled: Asked as often; the run is ended once it says so, as if its time were up.

    Returns:
        How it ended. The run folder's manifest holds the same.

    Raises:
        RecordError: The process could not be started.
        KeyboardInterrupt: With `capture_output`; the processes are ended and the folder is kept.
    """
    started, began = time.monotonic(), time.time()
    target = replace(target, args=options.surroundings.applied_arguments(target.args))
    with workspace() as shared:
        config = _session_config(target, folder, shared.path, options)
        process, drain = _start(target, config, options)
        shared.used_by(process.pid)
        timed_out = False
        try:
            with _signals_passed_on(process, options):
                timed_out = _wait(process, config, options, started, on_progress, cancelled)
        except BaseException:
            _end_group(process, options)
            _record_exit(config, process, time.monotonic() - started, [])
            raise
        finally:
            if options.capture_output:
                _end_group(process, options)
            stderr_tail = drain.finish() if drain is not None else ""
        seconds = time.monotonic() - started
        notes = []
        if timed_out and options.timeout is not None:
            notes.append(f"ended after the timeout of {options.timeout:g} s")
        failure = config.error_file.read_text() if config.error_file.exists() else None
        try:
            stdout = drain.stdout if drain is not None else None
            _record_exit(config, process, seconds, notes, began=began, stdout=stdout)
        except (OSError, TraceError) as error:
            failure = failure or str(error)
        captured = config.capture_file.read_bytes() if config.capture_file.exists() else None
        acted = json.loads(config.acted_file.read_text()) if config.acted_file.exists() else {}
        replays = config.replay_file.read_text() if config.replay_file.exists() else None
        cost = config.cost_file.read_text() if config.cost_file.exists() else None
        states = read_step_states(config.states_file)
        made = read_made(config.made_files)
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
        cost=cost,
        failure=failure,
        acted=acted,
        states=states,
        made=made,
    )


def _session_config(
    target: Target, folder: Path, shared: str, options: RunOptions
) -> SessionConfig:
    threads = options.threads
    varied = options.surroundings.environment.get("OMP_NUM_THREADS")
    if varied is not None:
        threads = int(varied)
    elif options.control and threads is None:
        threads = default_threads(os.environ)
    return SessionConfig(
        folder=str(folder.absolute()),
        workspace=shared,
        command=tuple(target.command[1:]),
        level=options.level,
        steps=options.steps,
        seed=options.seed if options.control else None,
        threads=threads if options.control else None,
        ops_from_step=options.ops_from_step,
        capture_row=options.capture_row,
        replay_row=options.replay_row,
        cost_steps=options.cost_steps,
        cost_exact=options.cost_exact,
        stop_row=options.stop_row,
        kill_at_step=options.kill_at_step,
        state_steps=options.state_steps,
        ends_quickly=options.ends_quickly,
        note_made_files=options.note_made_files,
        trace_values=options.trace_values,
        values_limit=options.values_limit,
        ends_with=os.getpid() if options.capture_output else None,
        user_code=_installed_code_of(target),
        hooks=_hooks(options),
        script_folder=os.path.dirname(os.path.realpath(target.script))
        if target.script is not None
        else os.getcwd(),
    )


def _hooks(options: RunOptions) -> tuple[HookSpec, ...]:
    """What acts inside the process: under control, unseeded generators are seeded as well."""
    seeds = Surroundings(hooks=(HookSpec(name="seeds", settings={"seed": options.seed}),))
    asked = options.surroundings
    return (seeds | asked if options.control else asked).hooks


def _installed_code_of(target: Target) -> tuple[str, ...]:
    """The package that `-m` runs counts as the person's code, wherever it lies."""
    if target.module is None:
        return ()
    top = target.module.partition(".")[0]
    with contextlib.suppress(ImportError, ValueError):
        spec = importlib.util.find_spec(top)
        if spec is not None:
            return tuple(spec.submodule_search_locations or ()) or ((spec.origin or ""),)
    return ()


def _start(
    target: Target, config: SessionConfig, options: RunOptions
) -> tuple[subprocess.Popen[bytes], Drain | None]:
    environment = dict(os.environ)
    if options.control:
        environment = ProcessControls(threads=config.threads).environment(environment)
    environment = options.surroundings.applied_environment(environment)
    if "PYTHONPATH" in environment:
        environment["SAMEBITS_PYTHONPATH"] = environment["PYTHONPATH"]
    path = [str(_BOOTSTRAP), *filter(None, [environment.get("PYTHONPATH")])]
    environment["PYTHONPATH"] = os.pathsep.join(path)
    environment["SAMEBITS_SESSION"] = str(config.write())
    streams: dict[str, Any] = {}
    if options.capture_output:
        streams = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            "start_new_session": True,
        }
    try:
        addresses = options.surroundings.addresses
        if options.control and addresses == "as-is":
            addresses = "fixed"
        with programs_at(addresses):
            process = subprocess.Popen(target.command, env=environment, **streams)
    except (OSError, subprocess.SubprocessError) as error:
        raise RecordError(f"cannot start {target.command[0]}: {error}") from error
    return process, Drain(process) if options.capture_output else None


@contextlib.contextmanager
def _signals_passed_on(process: subprocess.Popen[bytes], options: RunOptions) -> Iterator[None]:
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
    if options.capture_output:
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
    config: SessionConfig,
    options: RunOptions,
    started: float,
    on_progress: Callable[[Progress], None] | None,
    cancelled: Callable[[], bool] | None,
) -> bool:
    """Wait for the end of the process; True when it was ended early."""
    while True:
        try:
            process.wait(_POLL_SECONDS)
            return False
        except subprocess.TimeoutExpired:
            seconds = time.monotonic() - started
        if on_progress is not None:
            steps, ops = _read_progress(config)
            on_progress(Progress(steps=steps, ops=ops, seconds=seconds))
        too_long = options.timeout is not None and seconds > options.timeout
        if too_long or (cancelled is not None and cancelled()):
            _end_group(process, options)
            return True


def _read_progress(config: SessionConfig) -> tuple[int, int]:
    try:
        content = config.progress_file.read_bytes()
    except OSError:
        return 0, 0
    steps, ops = PROGRESS.unpack(content) if len(content) == PROGRESS.size else (0, 0)
    return steps, ops


def _end_group(process: subprocess.Popen[bytes], options: RunOptions) -> None:
    """End the process and, where it leads a group of its own, whatever it left running."""

    def send(number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if options.capture_output:
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
    config: SessionConfig,
    process: subprocess.Popen[bytes],
    seconds: float,
    notes: list[str],
    *,
    began: float | None = None,
    stdout: str | None = None,
) -> None:
    """Complete the manifest with what only the parent knows: how the process ended.

    Args:
        config: The recorded process.
        process: The same, ended.
        seconds: How long it ran.
        notes: What to add.
        began: When it began, seconds since 1970; None leaves its other processes out.
        stdout: What arrived on its standard output, where that was kept.
    """
    from samebits.check.record.ledger.merging import add_ledger
    from samebits.check.record.ledger.process_table import read_tables
    from samebits.check.record.processes.completing import add_processes
    from samebits.check.trace.manifest import Manifest
    from samebits.check.trace.writer import TraceWriter

    path = Path(config.folder, MANIFEST_FILE)
    code = process.returncode
    if not path.exists():
        # Ended before it began to record: before torch was imported, and not by its own exit.
        TraceWriter(config.folder, Manifest(command=config.command, level=config.level))
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
    workspace = Path(config.workspace)
    if began is not None:
        manifest = add_processes(manifest, path.parent, workspace, began=began, stdout=stdout)
    tables = read_tables(workspace)
    try:
        manifest = add_ledger(path.parent, manifest, tables)
    finally:
        manifest.write(path)
