"""`samebits check --kill-at-step`: the part of the command that proves a resume."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from samebits.cli.target import require_valid_syntax, resolve_target
from samebits.errors import UsageError

if TYPE_CHECKING:
    from samebits.check.diff.verdict import Verdict
    from samebits.check.record.plan import RunPlan
    from samebits.check.record.run import Target


def check_resume(
    target: Target,
    resume: str,
    *,
    kill_at_step: int,
    kill_rank: int | None,
    plan: RunPlan,
    out: Path,
    quiet: bool,
) -> Verdict:
    """Run a script straight, then killed and resumed, and compare.

    Args:
        target: The script.
        resume: The command that resumes it, as a shell would take it; "" for the same command.
        kill_at_step: After how many optimizer steps to kill it.
        kill_rank: The rank to kill alone; None for all processes of the run.
        plan: How to run and what to record.
        out: Folder for the run folders, empty.
        quiet: Show no progress.

    Raises:
        UsageError: `resume` names no script, or `out` holds something already.
    """
    from samebits.check.trials.resume_proof import prove_resume
    from samebits.cli.folders import require_new_folder
    from samebits.cli.progress import show_progress

    resuming = _resuming_target(resume) if resume else target
    require_new_folder(out, "--out DIR")
    with show_progress(quiet=quiet) as on_progress:
        try:
            return prove_resume(
                target,
                resuming,
                kill_at_step=kill_at_step,
                kill_rank=kill_rank,
                plan=plan,
                out=out,
                on_progress=on_progress,
            )
        except BaseException:
            _say_what_was_moved(out)
            raise


def _say_what_was_moved(out: Path) -> None:
    """Where files of the first run lie, for someone whose check ended in the middle."""
    from samebits.check.report.source import short_path
    from samebits.check.trials.written_files import MOVED_FILE

    journal = out / MOVED_FILE
    if journal.exists():
        print(
            f"samebits: {short_path(str(journal))} says where files lie that runs had made",
            file=sys.stderr,
        )


def _resuming_target(command: str) -> Target:
    """The script or module of a command line such as "python train.py --resume"."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"--resume {command!r} cannot be read: {error}") from error
    if words and Path(words[0]).name.startswith("python"):
        words = words[1:]
    is_module = bool(words) and words[0] == "-m"
    words = words[1:] if is_module else words
    if not words:
        raise UsageError(
            "--resume names no script", hint="write for example --resume 'train.py --resume'"
        )
    target = resolve_target(words[0], words[1:], is_module=is_module)
    if target.script is not None:
        require_valid_syntax(target.script)
    return target
