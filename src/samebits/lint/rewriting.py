"""`--fix`: findings rewritten with LibCST, which keeps every blank and comment as it was."""

from __future__ import annotations

import contextlib
import difflib
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from samebits.errors import UsageError
from samebits.lint.finding import Finding
from samebits.lint.notebooks import rewritten_notebook, within_program
from samebits.lint.registry import all_rules
from samebits.lint.source import Source, UnreadableError, read_source


def fixed_text(source: Source, findings: Sequence[Finding]) -> str:
    """A file's text with its fixable findings rewritten.

    Args:
        source: The file.
        findings: Findings in it, with the places of this very text.

    Returns:
        The new text; the old one when LibCST cannot read it or nothing was fixable.
    """
    import libcst as cst
    from libcst.metadata import MetadataWrapper, PositionProvider

    rewrites: dict[tuple[int, int, int, int], Any] = {}
    for finding in findings:
        fix = all_rules()[finding.code].fix
        if finding.fixable and fix is not None:
            at = (finding.line, finding.column, finding.end_line, finding.end_column)
            rewrites.setdefault(at, fix)
    if not rewrites:
        return source.text

    class Rewriter(cst.CSTTransformer):
        METADATA_DEPENDENCIES = (PositionProvider,)

        def on_leave(self, original_node: Any, updated_node: Any) -> Any:
            left = super().on_leave(original_node, updated_node)
            if isinstance(original_node, cst.BaseExpression | cst.BaseSmallStatement):
                where = self.get_metadata(PositionProvider, original_node)
                start, end = where.start, where.end
                place = (start.line, start.column + 1, end.line, end.column + 1)
                # The outermost node of several at one place comes last; the first fits as well.
                fix = rewrites.pop(place, None)
                if fix is not None:
                    return fix(left)
            return left

    try:
        module = MetadataWrapper(cst.parse_module(source.text))
        return module.visit(Rewriter()).code
    except (cst.ParserSyntaxError, RecursionError):
        return source.text


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
    if source.is_notebook:
        findings = within_program(source, findings)
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
