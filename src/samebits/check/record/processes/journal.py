"""The journal of one process: short lines, each written at once, so that a kill loses nothing.

A line is an event and its fields with tabs between them. Bytes that no encoding knows stay what
they are: paths and printed text come from anywhere.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from samebits.core.descriptors import OwnDescriptor

_PREFIX = "process."
_LACKING = 0o700
"""The permissions of a journal that lacks events."""


def journal_path(workspace: str, token: str) -> str:
    """Where the process with this token keeps its journal."""
    return os.path.join(workspace, f"{_PREFIX}{token}")


def token_of(name: str) -> str | None:
    """The token that a file of the workspace belongs to; None for any other file."""
    return name[len(_PREFIX) :] if name.startswith(_PREFIX) else None


class Journal:
    """Appends events to a file; when it cannot, the process goes on and the event is lost.

    That one was lost is told by the permissions of the file.

    Args:
        path: The file; it is made by the first event.

    Attributes:
        token: What the process is called that it belongs to.
        process: The number of the process that has made it.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self.token = token_of(Path(path).name) or ""
        self._descriptor: OwnDescriptor | None = None
        self.process = os.getpid()

    def note(self, event: str, *fields: str) -> None:
        """Append one event."""
        line = "\t".join(map(_escaped, (event, *fields))) + "\n"
        content = line.encode("utf-8", "surrogateescape")
        with contextlib.suppress(OSError, ValueError):
            descriptor = self._open()
            try:
                written = os.write(descriptor, content)
            except OSError:
                written = 0
            if written != len(content):
                # A full disk has room for this: it is no content.
                os.fchmod(descriptor, _LACKING)
                os.ftruncate(descriptor, os.fstat(descriptor).st_size - written)

    def _open(self) -> int:
        # The script may have closed the descriptor and got its number for a file of its own.
        if self._descriptor is None or not self._descriptor.is_ours:
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
            self._descriptor = OwnDescriptor(os.open(self._path, flags, 0o600))
        return self._descriptor.number


def has_lost_events(path: Path) -> bool:
    """Whether there was no room for some event, as on a disk that is full.

    Args:
        path: The journal.
    """
    return bool(path.stat().st_mode & 0o100)


def parse_journal(content: bytes) -> list[list[str]]:
    """The events of a journal, each with its fields; a line without its end is left out."""
    lines = content.split(b"\n")[:-1]
    return [
        [_unescaped(field) for field in line.decode("utf-8", "surrogateescape").split("\t")]
        for line in lines
    ]


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    parts = text.split("\\\\")
    return "\\".join(
        part.replace("\\t", "\t").replace("\\n", "\n").replace("\\r", "\r") for part in parts
    )
