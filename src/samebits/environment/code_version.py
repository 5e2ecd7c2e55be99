"""The code's version: the commit, what is not committed, the script."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from samebits.core.names import printable
from samebits.errors import UsageError

_SECONDS = 20.0
# A repository from elsewhere may name programs in its configuration: none of them is run.
_SAFE = (
    *("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "diff.external="),
    *("-c", "core.attributesFile=/dev/null", "-c", "core.pager=cat"),
)


def code_facts(folder: Path, script: Path | None = None) -> dict[str, Any]:
    """Commit, branch, changes and script.

    Args:
        folder: Where the code lies; a folder outside of any repository gives no commit.
        script: The script, whose digest is taken.

    Returns:
        The `code` section of an `Environment`. `changes` is "" where all is committed, else a
        digest over the difference to the commit and the names and contents of new files; None
        where that cannot be told.

    Raises:
        UsageError: The script cannot be read.
    """
    facts: dict[str, Any] = {}
    commit = _git(folder, "rev-parse", "--verify", "HEAD")
    if commit is not None:
        facts["commit"] = commit.decode().strip()
        branch = _git(folder, "symbolic-ref", "--short", "--quiet", "HEAD")
        facts["branch"] = branch.decode("utf-8", "replace").strip() if branch else None
        facts["changes"] = _changes(folder)
    if script is not None:
        facts["script"] = file_facts(script)["sha256"]
    return facts


def file_facts(path: Path) -> dict[str, Any]:
    """Size and digest of a file.

    Raises:
        UsageError: It is no file, or cannot be read.
    """
    digest = hashlib.sha256()
    size = 0
    try:
        if not path.is_file():
            raise UsageError(
                f"{printable(str(path), 4096)} is no file", hint="Name files that exist."
            )
        with path.open("rb") as file:
            while piece := file.read(1 << 20):
                digest.update(piece)
                size += len(piece)
    except OSError as error:
        raise UsageError(f"cannot read {printable(str(path), 4096)}: {error.strerror}") from error
    return {"size": size, "sha256": digest.hexdigest()}


def _changes(folder: Path) -> str | None:
    difference = _git(folder, "diff", "--no-ext-diff", "--no-textconv", "--binary", "HEAD")
    new = _git(folder, "ls-files", "--others", "--exclude-standard", "-z", "--full-name", ":/")
    top = _git(folder, "rev-parse", "--show-toplevel")
    if difference is None or new is None or top is None:
        return None
    names = sorted(filter(None, new.split(b"\0")))
    if not difference and not names:
        return ""
    digest = hashlib.sha256(difference)
    root = Path(os.fsdecode(top.rstrip(b"\n")))
    for name in names:
        digest.update(b"\0" + name + b"\0")
        path = root / os.fsdecode(name)
        if path.is_file() and not path.is_symlink():
            digest.update(file_facts(path)["sha256"].encode())
    return digest.hexdigest()[:16]


def _git(folder: Path, *arguments: str) -> bytes | None:
    """What git prints, or None where it fails, is missing, or there is no repository."""
    program = shutil.which("git")
    if program is None:
        return None
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
    try:
        done = subprocess.run(
            [program, *_SAFE, "-C", str(folder), *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            env=environment,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout if done.returncode == 0 else None
