"""What a process besides the script's own saves beside tensors, without the times in it.

The bytes of the file do not say which of its numbers a clock has given; the process that saves
them knows.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from samebits.check.record.opened_objects import opened
from samebits.check.record.saved_values import order_of, without_times
from samebits.core.catalog.own_names import OwnNames
from samebits.errors import UsageError


class SavedValues:
    """One digest for each file, of what was saved there last.

    It says everything that the content does, tensors and the order of dicts included, but for
    times and what the run calls itself. A file that was written in another way since has none, nor
    has one that holds what has no fingerprint.

    Args:
        own: Gives what the process calls itself by then.
        is_time: Tells a number that a clock has given, or the time between two of its readings.
    """

    def __init__(self, own: Callable[[], OwnNames], is_time: Callable[[float], bool]) -> None:
        self._own = own
        self._is_time = is_time
        self._held: dict[str, str] = {}

    def saved(self, content: Any, path: str) -> None:
        """A file was saved.

        Args:
            content: What was given to be saved.
            path: The file's absolute path.
        """
        self.written(path)
        digest = self._digest(content)
        if digest:
            self._held[path] = digest

    def written(self, path: str) -> None:
        """A file is about to be written, in whatever way."""
        self._held.pop(path, None)

    def renamed(self, before: str, after: str) -> None:
        """A file, or a folder with files, is about to take the place of what has another name."""
        moved = {path for path in self._held if is_within(path, before)}
        digests = {after + path[len(before) :]: self._held.pop(path) for path in moved}
        for path in [path for path in self._held if is_within(path, after)]:
            self.written(path)
        self._held |= digests

    def to_json(self) -> dict[str, list[Any]]:
        """Path → digest, and the file's size in bytes by now."""
        there = ((path, digest) for path, digest in self._held.items() if os.path.isfile(path))
        return {path: [digest, os.path.getsize(path)] for path, digest in there}

    def _digest(self, content: Any) -> str:
        from samebits.core.fingerprint.contents import tensors_in
        from samebits.core.fingerprint.tree import fingerprint

        try:
            known, unknown = opened(content)
            if unknown:
                return ""
            # First: what has a fingerprint contains itself nowhere, and can be walked.
            parts = [fingerprint(known)]
            without = without_times(known, self._own(), self._is_time)
            if without is not None:
                parts = [fingerprint(without), fingerprint(tensors_in(known))]
            return " ".join((*parts, order_of(known)))
        except UsageError:
            return ""


def is_within(path: str, place: str) -> bool:
    """Whether a path is that of a file or folder, or of something in that folder."""
    return path == place or path.startswith(os.path.join(place, ""))
