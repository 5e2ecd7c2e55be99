"""The verdict file: schema `samebits.verdict/1`, strict JSON, written whole or not at all."""

from __future__ import annotations

import contextlib
import json
import math
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from samebits.check.diff.verdict import Verdict
from samebits.check.report.output_stream import write_text
from samebits.check.report.source import short_path
from samebits.errors import UsageError

STDOUT = "-"


def render_json(verdict: Verdict) -> str:
    """A verdict as JSON, keys always in the same order, ASCII only, with a final newline.

    JSON has no NaN and no infinity: such a number becomes null, and the object that holds it says
    so in its `detail`.
    """
    content = _strict(verdict.to_json())
    # A person's own files are named as from where they stand, on whatever machine that is.
    places = [content["first_divergence"]]
    for name in ("causes", "variations", "cuda_outlook", "ledger", "observations", "findings"):
        places += content[name]
    places += [entry.get("first_divergence") for entry in content["variations"]]
    explained = content.get("explanation") or {}
    places += (explained.get("slice") or {}).get("parts", ())
    for place in places:
        if place and place.get("file"):
            place["file"] = short_path(place["file"])
    return json.dumps(content, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def write_json(verdict: Verdict, target: str) -> None:
    """Write the verdict file; see `write_document`.

    Raises:
        UsageError: The file cannot be written.
    """
    write_document(render_json(verdict), target, what="the verdict")


_HINT = "choose another file with --json FILE, or --json - for standard output"


def write_document(text: str, target: str, *, what: str = "JSON", hint: str = _HINT) -> None:
    """Write ASCII text to a file, which appears complete or stays as it was.

    Args:
        text: What to write.
        target: Path of the file, or "-" for standard output.
        what: What it is, for the message.
        hint: What to do where it cannot be written.

    Raises:
        UsageError: The file cannot be written.
    """
    if target == STDOUT:
        write_text(text, sys.stdout)
        return
    path = Path(target)
    try:
        if path.exists() and not path.is_file():
            # A pipe or a device, such as /dev/fd/3, has a reader and no content to protect.
            with open(path, "w", encoding="ascii") as stream:
                stream.write(text)
        else:
            _replace(path.resolve(), text)
    except OSError as error:
        raise UsageError(
            f"cannot write {what} to {target}: {error.strerror or error}",
            hint=hint,
        ) from error


def _replace(path: Path, text: str) -> None:
    """Write a file beside the target, then put it in the target's place."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with open(descriptor, "w", encoding="ascii") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        # mkstemp makes files private; a verdict file is as readable as any other new file.
        Path(name).chmod(_mode_for(path))
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise


def _mode_for(path: Path) -> int:
    """Permission bits of the file that is there, else those that open() would give."""
    with contextlib.suppress(OSError):
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _strict(value: Any) -> Any:
    """A copy with every number that JSON lacks replaced by null."""
    if isinstance(value, dict):
        lost = [
            f"{key} is {item}"
            for key, item in value.items()
            if isinstance(item, float) and not math.isfinite(item)
        ]
        result = {str(key): _strict(item) for key, item in value.items()}
        if lost:
            result["detail"] = "; ".join(filter(None, [str(result.get("detail") or ""), *lost]))
        return result
    if isinstance(value, (list, tuple)):
        return [_strict(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
