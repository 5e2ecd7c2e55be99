"""What a recorder reports while it works; whoever wants to act on it overrides a method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from samebits.errors import SamebitsError


class RecorderEvents:
    """Does nothing at any of them."""

    def step_ended(self, steps: int) -> None:
        """So many optimizer steps are done; may raise, or end the process, to end the script."""

    def step_recorded(self, row: Mapping[str, Any]) -> None:
        """The digests of a step that ends, as the columns of its row."""

    def rows_written(self, steps: int, ops: int) -> None:
        """Rows were written; the steps and operations so far."""

    def captured(self, result: Any, written: list[Any]) -> None:
        """What the operation of `capture_row` returned, and the arguments that it wrote into."""

    def replay(self, op: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        """The operation of `replay_row` is about to run."""

    def given(self, op: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """An operation from `follow_row` on is about to run; what is returned goes to `gave`.

        None says that no more of them are asked for.
        """

    def gave(self, row: int, given: Any, result: Any, written: list[Any]) -> None:
        """That operation has run: its row, what it returned, and the arguments it wrote into."""

    def stop_row_recorded(self) -> None:
        """The last row that was asked for is recorded; may end the process."""

    def recording_ended(self) -> None:
        """No operation is recorded after this."""

    def recording_failed(self, error: SamebitsError) -> None:
        """Nothing more is recorded; the script runs on."""
