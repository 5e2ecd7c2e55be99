"""What the processes of a timed run tell their launcher: that they step, and what steps took."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path

from samebits.check.record.cost import CostSamples

SCRIPT = "0"
"""The token of the script's own process."""

_BEGUN, _DONE = ".begun", ".json"


class CostFiles:
    """The files of one run, in the folder that its launcher and its processes share.

    Args:
        workspace: That folder.
    """

    def __init__(self, workspace: str | Path) -> None:
        self._folder = Path(workspace, "cost")

    def begin(self, token: str, environment: Mapping[str, str]) -> None:
        """Note that a process makes steps.

        Args:
            token: What it is called.
            environment: Its own, which says how many ranks step together.
        """
        self._write(token + _BEGUN, environment.get("WORLD_SIZE", "1"))

    def finish(self, token: str, samples: CostSamples) -> None:
        """Note what the steps of a process took: as many as were asked for."""
        self._write(token + _DONE, samples.to_json())

    @property
    def others_step(self) -> bool:
        """Whether a process that the script has started makes steps."""
        return any(token != SCRIPT for token in self._tokens(_BEGUN))

    @property
    def are_complete(self) -> bool:
        """Whether processes that the script has started have timed all that they have begun."""
        begun = {token for token in self._tokens(_BEGUN) if token != SCRIPT}
        return (
            bool(begun)
            and begun <= self._tokens(_DONE)
            and len(begun) >= max(self._world(token) for token in begun)
        )

    def read(self) -> dict[str, str]:
        """Token → what `CostSamples.parse` reads, of each process that has timed enough steps."""
        tokens = sorted(self._tokens(_DONE))
        return {token: (self._folder / (token + _DONE)).read_text() for token in tokens}

    def _tokens(self, ending: str) -> set[str]:
        with contextlib.suppress(OSError):
            paths = list(self._folder.iterdir())
            return {path.name.removesuffix(ending) for path in paths if path.suffix == ending}
        return set()

    def _world(self, token: str) -> int:
        text = (self._folder / (token + _BEGUN)).read_text()
        return int(text) if text.isdecimal() else 1

    def _write(self, name: str, text: str) -> None:
        self._folder.mkdir(exist_ok=True)
        part = self._folder / f"{name}.part"
        part.write_text(text)
        part.replace(self._folder / name)  # the launcher reads it whole or not at all
