"""A run folder that is made at the first row: most processes that import torch never use it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy.typing as npt

from samebits.check.trace.writer import TraceWriter


class LateWriter:
    """Stands in for a `TraceWriter` and opens it once there is something to write.

    Args:
        open_writer: Makes the folder and its writer; None where nothing is to be written after all.

    Attributes:
        opened: The writer, once there is one.
    """

    def __init__(self, open_writer: Callable[[], TraceWriter | None]) -> None:
        self._open_writer: Callable[[], TraceWriter | None] | None = open_writer
        self._before: list[Callable[[TraceWriter], None]] = []
        self.opened: TraceWriter | None = None

    def append_ops(
        self,
        columns: Mapping[str, npt.NDArray[Any]],
        *,
        new_ops: Sequence[str] = (),
        new_signatures: Sequence[str] = (),
    ) -> None:
        """As `TraceWriter.append_ops`; the first row opens the folder."""
        self._write(
            lambda writer: writer.append_ops(
                columns, new_ops=new_ops, new_signatures=new_signatures
            ),
            is_content=any(len(values) for values in columns.values()),
        )

    def append_received(
        self, columns: Mapping[str, npt.NDArray[Any]], *, new_groups: Sequence[str] = ()
    ) -> None:
        """As `TraceWriter.append_received`."""
        self._write(
            lambda writer: writer.append_received(columns, new_groups=new_groups),
            is_content=False,
        )

    def append_piped(self, columns: Mapping[str, npt.NDArray[Any]]) -> None:
        """As `TraceWriter.append_piped`."""
        self._write(lambda writer: writer.append_piped(columns), is_content=False)

    def append_sites(self, rows: Sequence[tuple[str, int, str, str]]) -> None:
        """As `TraceWriter.append_sites`."""
        self._write(lambda writer: writer.append_sites(rows), is_content=False)

    def append_steps(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """As `TraceWriter.append_steps`; the first optimizer step opens the folder."""
        is_content = any(row["kind"] == "step" for row in rows)
        self._write(lambda writer: writer.append_steps(rows), is_content=is_content)

    def flush(self) -> None:
        """As `TraceWriter.flush`."""
        if self.opened is not None:
            self.opened.flush()

    def rest(self) -> None:
        """As `TraceWriter.rest`."""
        if self.opened is not None:
            self.opened.rest()

    def close(self, facts: Callable[[], Mapping[str, Any]]) -> None:
        """As `TraceWriter.close`; where nothing was written there is no folder.

        Args:
            facts: Gives what the manifest keeps; asked only where there is one.
        """
        if self.opened is not None:
            self.opened.close(**facts())

    def _write(self, action: Callable[[TraceWriter], None], *, is_content: bool) -> None:
        if self.opened is None and self._open_writer is not None:
            self._before.append(action)
            if is_content:
                self.opened, self._open_writer = self._open_writer(), None
                self._catch_up()
        elif self.opened is not None:
            action(self.opened)

    def _catch_up(self) -> None:
        """Give the writer, if there is one, what was kept for it."""
        if self.opened is not None:
            for action in self._before:
                action(self.opened)
        self._before.clear()
