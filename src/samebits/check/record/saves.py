"""What a script saves, fingerprinted as tensors: file bytes are no fair comparison.

A file of `torch.save` holds storage keys and archive details that differ between equal saves, and
nobody wants to know; the tensors in it are what must agree. The plain values beside them, such as
an epoch, a loss or the date, have a digest of their own, and one without the date.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from samebits.check.record.opened_objects import opened
from samebits.check.record.save_hooks import SaveHooks
from samebits.check.record.saved_values import lines_of, order_of, without_times
from samebits.core import _native
from samebits.core.catalog.own_names import OwnNames
from samebits.errors import UsageError


class Saves:
    """Lists what `torch.save` and safetensors' writers save, for the manifest.

    Args:
        native: The process's recorder, which makes the hooks.
        step: Gives the number of optimizer steps done.
        on_saved: Called with the path of each file that was saved.
        own: Gives what the run calls itself by then.
        is_time: Tells a number that a clock has given, or the time between two of its readings.
        keep_lines: Whether to keep the plain values, too, to be compared beside the clock.

    Attributes:
        files: What was saved, for the manifest.
        notes: What could not be fingerprinted, in sentences.
        unknown: Paths of files that hold such content.
        hooks: What tells of each save, once it is installed.
    """

    def __init__(
        self,
        native: _native.Recorder,
        step: Callable[[], int],
        on_saved: Callable[[str], None] | None = None,
        own: Callable[[], OwnNames] = OwnNames,
        is_time: Callable[[float], bool] = lambda number: False,
        keep_lines: bool = False,
    ) -> None:
        self.files: list[dict[str, Any]] = []
        self.notes: list[str] = []
        self.unknown: dict[str, None] = {}
        self.hooks = SaveHooks(native, self._note)
        self._step = step
        self._on_saved = on_saved
        self._own = own
        self._is_time = is_time
        self._keep_lines = keep_lines

    def _note(self, content: Any, path: str) -> None:
        from samebits.core.fingerprint.contents import tensors_in

        if self._on_saved is not None:
            self._on_saved(path)
        if tensors := tensors_in(content):
            self._list("tensors", path, tensors)
        self._list("values", path, content)

    def _list(self, kind: str, path: str, content: Any) -> None:
        from samebits.core.fingerprint.tree import fingerprint

        try:
            if kind == "values":
                content = self._opened(path, content)
            digest = fingerprint(content)
            more: dict[str, Any] = {}
            # Only now: what has a fingerprint contains itself nowhere, and can be walked.
            without = (
                without_times(content, self._own(), self._is_time) if kind == "values" else None
            )
            if without is not None:
                more = {"anonymous": fingerprint(without)}
            if kind == "values" and self._keep_lines:
                more["lines"] = lines_of(content if without is None else without)
            if kind == "values" and (order := order_of(content)):
                more["order"] = order
        except UsageError as error:
            self.unknown[path] = None
            self.notes.append(
                f"{path} was saved with content that has no fingerprint: {error.message}"
            )
            return
        self.files.append(
            {
                "path": path,
                "kind": kind,
                "digest": digest,
                "size": os.path.getsize(path) if os.path.isfile(path) else 0,
                "step": self._step(),
                **more,
            }
        )

    def _opened(self, path: str, content: Any) -> Any:
        """What the file holds of the content, as far as that is known."""
        known, unknown = opened(content)
        if unknown:
            self.unknown[path] = None
            names = ", ".join(sorted(unknown))
            self.notes.append(f"{path} was saved with content that has no fingerprint: {names}")
        return known
