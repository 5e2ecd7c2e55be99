"""What a launcher tells the process that it starts: one small JSON file."""

from __future__ import annotations

import json
import os
import struct
from dataclasses import asdict, dataclass
from pathlib import Path

from samebits.core.interposition.surroundings import HookSpec

PROGRESS = struct.Struct("<QQ")
"""Content of the progress file: optimizer steps done, operations recorded."""

VALUES_LIMIT = 10_000_000
"""Lines and calls whose values a process writes down at most: about 300 MB."""


@dataclass(frozen=True, kw_only=True)
class SessionConfig:
    """One recorded process.

    Attributes:
        folder: The run folder.
        workspace: A private folder that launcher and process share while the run lasts.
        command: What the person ran, for the manifest.
        level: "auto", "step", "module" or "op".
        steps: Stop after so many optimizer steps; None for the whole script.
        seed: Seed of every generator under control; None runs the script as written.
        threads: Threads under control; None leaves them alone.
        ops_from_step: Record operations from this step on, whatever the level.
        capture_row: Number of the operation row whose outputs are saved.
        cost_steps: Record nothing; time so many steps with and without determinism.
        cost_exact: With `cost_steps`: time as many under exact arithmetic too.
        replay_row: Number of the operation row whose operation is run again and again on the inputs
            it gets, ending the run.
        stop_row: Number of the last operation row: the run ends there.
        trace_values: Follow what the script's variables hold, line by line.
        values_limit: Lines and calls that are followed at most.
        kill_at_step: End the process by SIGKILL once so many optimizer steps are done.
        state_steps: (first, count) of the steps whose state is digested entry by entry.
        ends_quickly: Leave out Python's last search for cycles of objects, after all is recorded.
        note_made_files: Write down which files and folders the process makes.
        ends_with: The process that this one must not outlive, where there is one.
        user_code: Installed folders that count as the user's own, for `-m`.
        script_folder: Where the script's own modules lie.
        hooks: What acts inside the process.
    """

    folder: str
    workspace: str
    command: tuple[str, ...] = ()
    level: str = "op"
    steps: int | None = None
    seed: int | None = None
    threads: int | None = None
    ops_from_step: int | None = None
    capture_row: int | None = None
    replay_row: int | None = None
    cost_steps: int | None = None
    cost_exact: bool = False
    stop_row: int | None = None
    trace_values: bool = False
    values_limit: int = VALUES_LIMIT
    kill_at_step: int | None = None
    state_steps: tuple[int, int] | None = None
    ends_quickly: bool = False
    note_made_files: bool = False
    ends_with: int | None = None
    user_code: tuple[str, ...] = ()
    script_folder: str = ""
    hooks: tuple[HookSpec, ...] = ()

    @property
    def progress_file(self) -> Path:
        """Where the process counts, for the launcher to show."""
        return Path(self.workspace, "progress")

    @property
    def error_file(self) -> Path:
        """Where the process says that samebits itself failed."""
        return Path(self.workspace, "error")

    @property
    def capture_file(self) -> Path:
        """Where the outputs of `capture_row` are saved."""
        return Path(self.workspace, "captured.safetensors")

    @property
    def cost_file(self) -> Path:
        """Where the process puts what its steps cost."""
        return Path(self.workspace, "cost.json")

    @property
    def replay_file(self) -> Path:
        """Where it is told how the operation of `replay_row` repeats."""
        return Path(self.workspace, "replay.json")

    @property
    def acted_file(self) -> Path:
        """Where the process says how often each hook has acted."""
        return Path(self.workspace, "acted.json")

    @property
    def states_file(self) -> Path:
        """Where the digests of `state_steps` are written."""
        return Path(self.workspace, "states.jsonl")

    @property
    def made_files(self) -> Path:
        """Where the process writes down what it makes."""
        return Path(self.workspace, "made.jsonl")

    def write(self) -> Path:
        """Write the file into the workspace, and return its path."""
        path = Path(self.workspace, "session.json")
        path.write_text(json.dumps(asdict(self)))
        return path

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> SessionConfig:
        """Read what `write` wrote."""
        content = json.loads(Path(path).read_text())
        for name in ("command", "user_code"):
            content[name] = tuple(content[name])
        content["hooks"] = tuple(HookSpec(**hook) for hook in content["hooks"])
        return cls(**content)
