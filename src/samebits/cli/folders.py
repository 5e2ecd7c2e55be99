"""Where results go, checked before a run that may take an hour, not after it."""

from __future__ import annotations

import os
import tempfile
from datetime import datetime, timezone
from pathlib import Path

from samebits.errors import UsageError

DEFAULT_PARENT = Path("runs")


def require_local(place: str | os.PathLike[str], why: str) -> None:
    """Refuse a URL where only a path will do.

    Args:
        place: What a person has named.
        why: What cannot be done elsewhere, as a sentence without its end.

    Raises:
        UsageError: It is a URL.
    """
    from samebits.check.trace.urls import is_url

    if is_url(os.fspath(place)):
        raise UsageError(
            f"{os.fspath(place)} is a URL: {why}", hint="Name a folder on this machine."
        )


def new_run_folder() -> Path:
    """Name a folder that nobody named: runs/<date and time, UTC>-<four random digits>."""
    # os.urandom, not a generator: a name must draw nothing from any stream of numbers.
    stamp = datetime.now(timezone.utc).strftime("%Y-%m-%d-%H%M%S")
    return DEFAULT_PARENT / f"{stamp}-{os.urandom(2).hex()}"


def require_new_folder(folder: Path, option: str) -> None:
    """Make a folder, or accept an empty one.

    Raises:
        UsageError: It holds something already, or cannot be made or written.
    """
    require_writable_folder(folder, option)
    if any(folder.iterdir()):
        raise UsageError(
            f"{folder} already holds files; nothing that was recorded is overwritten",
            hint=f"name another folder with {option}, or remove this one",
        )


def require_run_folders(folder: Path, option: str) -> None:
    """Make a folder, or accept one that holds nothing but recorded runs.

    Raises:
        UsageError: It holds something else, or cannot be made or written.
    """
    require_writable_folder(folder, option)
    if not _holds_only_runs(folder):
        raise UsageError(
            f"{folder} contains files that are not recorded runs",
            hint=f"name another folder with {option}, or remove this one",
        )


def _holds_only_runs(folder: Path, depth: int = 0) -> bool:
    """Whether each entry is a run folder, empty, or at depth 0 a folder of such, or a verdict."""
    from samebits.check.trace.recorded import VERDICT_FILE

    for entry in folder.iterdir():
        if depth == 0 and entry.name == VERDICT_FILE and entry.is_file():
            continue
        if not entry.is_dir() or entry.is_symlink():
            return False
        known = (entry / "manifest.json").is_file() or not any(entry.iterdir())
        if not known and (depth > 0 or not _holds_only_runs(entry, depth + 1)):
            return False
    return True


def require_writable_folder(folder: Path, option: str) -> None:
    """Make a folder where there is none, and try to write into it.

    Raises:
        UsageError: The folder cannot be made or written.
    """
    require_local(folder, "this is recorded and written on this machine alone")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except FileExistsError as error:
        raise UsageError(
            f"{folder} is a file, not a folder", hint=f"name a folder with {option}"
        ) from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise UsageError(
            f"cannot write into the folder {folder}: {reason}",
            hint=f"name another folder with {option}",
        ) from error


def require_writable_file(file: str, option: str) -> None:
    """See that a file can be written; it is neither made nor touched.

    Raises:
        UsageError: It is a directory, or the folder it would lie in is missing or not writable.
    """
    require_local(file, f"{option} writes on this machine alone")
    path = Path(file)
    hint = f"name another file with {option}"
    if not file or path.is_dir():
        raise UsageError(f"{file or '(empty name)'} is no file that can be written", hint=hint)
    if path.exists() and not path.is_file():
        return  # a device or a pipe
    parent = path.resolve().parent
    if not parent.is_dir():
        raise UsageError(f"cannot write {file}: there is no folder {parent}", hint=hint)
    if not os.access(parent, os.W_OK | os.X_OK):
        raise UsageError(f"cannot write {file}: the folder {parent} is not writable", hint=hint)
