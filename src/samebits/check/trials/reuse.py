"""Which run a run folder is the answer to, so that it need not be made again."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from importlib import metadata
from pathlib import Path
from typing import Any

from samebits.check.record.opened_files import file_digest
from samebits.check.record.plan import RunPlan
from samebits.check.record.run import RunResult, Target
from samebits.check.trace.manifest import Manifest
from samebits.check.trace.schema import MANIFEST_FILE
from samebits.errors import TraceError

KEY = "request"
"""Key of the manifest that holds it."""

# What changes from one terminal or login to the next and tells programs nothing about the work.
_PASSING_VARIABLES = frozenset(
    {"_", "COLUMNS", "LINES", "OLDPWD", "PYTEST_CURRENT_TEST", "SHLVL", "TERM", "WINDOWID"}
)
_PASSING_PREFIXES = ("SSH_", "TERM_", "TMUX", "VSCODE_", "XDG_SESSION_")
_LIBRARIES = ("samebits", "torch", "numpy")
_RESULT = ("exit_code", "signal", "seconds", "timed_out", "stderr_tail", "replays")


def describe(target: Target, plan: RunPlan) -> str:
    """A digest of all that is asked for: command, folder, plan, variables, versions."""
    variables = {
        name: value
        for name, value in sorted(os.environ.items())
        if name not in _PASSING_VARIABLES and not name.startswith(_PASSING_PREFIXES)
    }
    # How long a run may take decides nothing about one that has ended by itself.
    asked = {
        "command": target.command,
        "cwd": str(Path.cwd()),
        "options": asdict(replace(plan, timeout=None)),
        "variables": variables,
        "versions": {name: _version(name) for name in _LIBRARIES},
    }
    text = json.dumps(asked, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


def note(folder: Path, request: str, result: RunResult) -> None:
    """Write into a run folder what it is the answer to, and how the run ended.

    Raises:
        TraceError: The folder's manifest cannot be read.
        OSError: It cannot be written.
    """
    path = folder / MANIFEST_FILE
    how = {name: getattr(result, name) for name in _RESULT}
    how["acted"] = dict(result.acted)
    Manifest.read(path).replaced({KEY: {"digest": request, "result": how}}).write(path)


def answered_by(folder: Path, request: str) -> RunResult | None:
    """The result that a run folder holds, where it is the answer to this request.

    The files of code and data that the run read must still be what they were.

    Args:
        folder: A run folder, or anything else.
        request: What `describe` says of the run that is asked for.
    """
    try:
        manifest = Manifest.read(folder / MANIFEST_FILE)
    except TraceError:
        return None
    noted = manifest.extra.get(KEY)
    if not manifest.complete or not isinstance(noted, Mapping) or noted.get("digest") != request:
        return None
    if not _unchanged([manifest.script] if manifest.script else [], manifest.code, manifest.inputs):
        return None
    result = noted.get("result")
    if not isinstance(result, Mapping) or result.get("timed_out"):
        return None
    try:
        acted = {str(name): int(count) for name, count in result["acted"].items()}
        return RunResult(folder=folder, acted=acted, **{name: result[name] for name in _RESULT})
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _unchanged(*groups: Iterable[Mapping[str, Any]]) -> bool:
    for group in groups:
        for file in group:
            path = Path(file["path"])
            if "size" in file and (not path.is_file() or path.stat().st_size != file["size"]):
                return False
            if file_digest(path, "sha256") != file["sha256"]:
                return False
    return True


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""
