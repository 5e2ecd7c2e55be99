"""`--fix`: a file with the edits made that its findings ask for, replaced whole or not at all."""

from __future__ import annotations

import contextlib
import difflib
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from samebits.core.source.edits import Text
from samebits.core.source.files import UnreadableError
from samebits.core.source.tree import parse
from samebits.errors import UsageError
from samebits.lint.finding import Finding, cropped
from samebits.lint.notebooks import rewritten_notebook
from samebits.lint.source import Source, read_source


def fixed_text(source: Source, findings: Sequence[Finding]) -> str:
    """A file's text with its fixable findings rewritten.

    Args:
        source: The file.
        findings: Findings in it. One whose line has changed since is left out.

    Returns:
        The new text; the old one when nothing was fixable, or where the new one would not parse.
    """
    fixes = dict.fromkeys(finding.fix for finding in findings if _still_stands(source, finding))
    try:
        new = Text(source.text).edited(edit for fix in fixes for edit in fix)
        parse(new)
    except (UnreadableError, ValueError):
        return source.text
    return new


def _still_stands(source: Source, finding: Finding) -> bool:
    first = next((cell.first_line for cell in source.cells if cell.number == finding.cell), 1)
    quote = cropped(source.line(first + finding.line - 1), finding.column)
    return quote == (finding.quote, finding.quote_column)


def fix_file(path: Path, shown_as: str, findings: Sequence[Finding], *, write: bool) -> str:
    """Rewrite one file, or say what would be rewritten.

    Args:
        path: The file.
        shown_as: What the diff calls it.
        findings: Its findings.
        write: Replace the file's content; it is replaced whole or stays as it was.

    Returns:
        The change as a unified diff; empty when there is none.

    Raises:
        UsageError: The file cannot be written.
    """
    try:
        source = read_source(path, shown_as)
    except UnreadableError:
        return ""
    new = fixed_text(source, findings)
    if new == source.text:
        return ""
    content = _file_content(path, source, new)
    if content is None:
        return ""
    if write:
        try:
            _replace(path, content)
        except OSError as error:
            raise UsageError(
                f"cannot write {shown_as}: {error.strerror or error}",
                hint="run with --diff to see the changes without writing them",
            ) from error
    lines = difflib.unified_diff(
        source.text.split("\n"), new.split("\n"), shown_as, shown_as, lineterm=""
    )
    return "".join(f"{line}\n" for line in lines)


def _file_content(path: Path, source: Source, text: str) -> bytes | None:
    """What the file holds once its program is another; None where it has to stay as it is."""
    if source.is_notebook:
        return rewritten_notebook(path.read_bytes(), source, text)
    return _encoded(path, text, source.encoding)


def _encoded(path: Path, text: str, encoding: str) -> bytes:
    """The text in the file's own encoding and with its own line ends."""
    content = path.read_bytes()
    if b"\r\n" in content:
        text = text.replace("\n", "\r\n")
    elif b"\r" in content:
        text = text.replace("\n", "\r")
    return text.encode(encoding)


def _replace(path: Path, content: bytes) -> None:
    path = path.resolve()
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with open(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).chmod(path.stat().st_mode & 0o7777)
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
