"""Takes files and run folders from this machine to wherever fsspec can write."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from samebits.check.trace.schema import MANIFEST_FILE
from samebits.check.trace.urls import file_system, reason
from samebits.core.names import printable
from samebits.errors import SamebitsError, UsageError


def require_new_url(url: str, option: str) -> None:
    """See that a URL can be reached, and that no run lies there; nothing is written.

    Args:
        url: Where a run folder is to go.
        option: The option that named it, for messages.

    Raises:
        UsageError: It cannot be reached, or holds a run.
    """
    shown = printable(url)
    try:
        files, root = file_system(url)
        taken = files.exists(f"{root.rstrip('/')}/{MANIFEST_FILE}")
    except SamebitsError:
        raise
    except Exception as error:  # each kind of storage has errors of its own
        raise UsageError(
            f"cannot reach {shown}: {reason(error)}", hint=f"name another place with {option}"
        ) from None
    if taken:
        raise UsageError(
            f"{shown} already holds a run; nothing that was recorded is overwritten",
            hint=f"name another place with {option}",
        )


def send_folder(folder: Path, url: str) -> None:
    """Copy a run folder to a URL, its manifest last: where that is, the rest is.

    Raises:
        UsageError: It cannot be written there.
    """
    found = sorted(file for file in folder.rglob("*") if file.is_file() and not file.is_symlink())
    found.sort(key=lambda file: file == folder / MANIFEST_FILE)
    hint = f"The run is complete in {printable(str(folder))}; copy it from there."
    with _writing_to(url, hint):
        files, root = file_system(url)
        for file in found:
            target = PurePosixPath(root, file.relative_to(folder).as_posix())
            _put(files, file, str(target))


def send_file(file: Path, url: str) -> None:
    """Copy a file to a URL.

    Raises:
        UsageError: It cannot be written there.
    """
    hint = "See that the address is right and that this machine may write there."
    with _writing_to(url, hint):
        files, root = file_system(url)
        _put(files, file, root)


@contextmanager
def _writing_to(url: str, hint: str) -> Iterator[None]:
    """Whatever a file system raises, as one error that says where it was."""
    try:
        yield
    except SamebitsError:
        raise
    except Exception as error:
        raise UsageError(f"cannot write {printable(url)}: {reason(error)}", hint=hint) from None


def _put(files: Any, file: Path, target: str) -> None:
    parent = str(PurePosixPath(target).parent)
    if parent not in ("", "."):
        files.makedirs(parent, exist_ok=True)
    files.put_file(str(file), target)
