"""How a script is to be run and recorded, and how that travels into the process: one JSON file."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal

from samebits.check.trace.process_folders import process_folder
from samebits.core.interposition.surroundings import HookSpec, Surroundings
from samebits.errors import RecordError

PROGRESS = struct.Struct("<QQ")
"""Content of the progress file: optimizer steps done, operations recorded."""

OUTPUTS_FILE = "outputs.safetensors"
"""What an operation gave, in a run folder that keeps it."""

FOLLOWED_FILE = "followed.arrow"
"""What operations were given and gave, tensor by tensor, in a run folder that keeps it."""

KEPT_FOLDER = "kept"
"""Values after some steps, in a run folder that keeps them: "step-7.safetensors"."""

VALUES_LIMIT = 10_000_000
"""Lines and calls whose values a process writes down at most: about 300 MB."""


THREAD_OPERATIONS = 20_000
"""No step of its own tells when a thread has met most of what it does: one that prepares batches
takes none. A recorded operation takes two to five times as long as one that is not."""


@dataclass(frozen=True, kw_only=True)
class RunPlan:
    """How to run a script and what to record of it.

    Attributes:
        level: "auto" (operations until the first optimizer step has ended, and those that other
            optimizers take right after it; steps from then on), "step", "module" or "op".
        steps: Stop after so many optimizer steps; None for the whole script.
        timeout: Seconds after which the run is ended.
        control: Run under control: seeds, switches, hash seed, addresses, threads.
        seed: Seed of every generator under control.
        threads: Threads under control; None pins the number that is usual here.
        capture_output: Keep the script's output from the terminal (it is recorded all the same),
            give it no input, and end what it leaves running.
        ops_from_step: Record operations from this step on, whatever the level.
        capture_row: Save the outputs of this operation row.
        keep_captured: Leave what `capture_row` saves in the run folder, as "outputs.safetensors".
        kept_steps: Steps after which the values of parameters, gradients and optimizer are kept, in
            the folder "kept" of each process's run folder.
        follow_row: From this operation row to the end of its step, note of each tensor which
            operation made it, in the run folder, as "followed.arrow".
        replay_row: At this operation row, run the operation again and again on its inputs and stop.
        cost_steps: Record nothing; time so many steps with and without determinism, and stop.
        cost_exact: With `cost_steps`: time as many under exact arithmetic too.
        stop_row: Stop after this operation row.
        acts_in: What the process is called whose rows these four are, and whose variables are
            followed; "0" is the script's own.
        trace_values: Follow what the script's variables hold, line by line, into the folder
            `values` of the run folder, for `samebits.check.diff.values`.
        values_limit: Lines and calls that are followed at most.
        against: The folder of a recorded run that each step is compared with as it ends; None for
            none. The script's own process is compared.
        stops_where_different: With `against`: stop after the first step that differs.
        kill_at_step: End all processes of the run by SIGKILL once one has done so many optimizer
            steps.
        kill_rank: With `kill_at_step`: end the process of this rank alone, once it has done them.
        state_steps: (first, count) of the steps whose state is digested entry by entry.
        ends_quickly: Leave out Python's last search for cycles of objects, after all is recorded,
            and what is finalized by it: for a script that leaves nothing behind.
        note_made_files: Report in the result which files and folders the run makes.
        is_further: The run is compared with runs of the same check only: its manifest leaves out
            the installed packages, and Python's search for cycles what torch's import has made.
        leaves_files_unread: Where the run is stopped at a row, what it has left in files by then is
            named and not read: nobody compares it.
        removes_temporary_folders: Whether whole runs of the script remove the folders that
            `tempfile.mkdtemp` makes: those of a further run that is ended early are removed, too.
        keep_text: Whether the manifest also holds what was written into small text files.
        thread_operations: At level "auto", how many operations are recorded at least of a thread
            beside the process's first one: more, until that has ended its first step. None for all
            of them, whatever the level.
        surroundings: What to pin or to change around the script.
    """

    level: str = "auto"
    steps: int | None = None
    timeout: float | None = None
    control: bool = False
    seed: int = 0
    threads: int | None = None
    capture_output: bool = False
    ops_from_step: int | None = None
    capture_row: int | None = None
    keep_captured: bool = False
    kept_steps: tuple[int, ...] = ()
    follow_row: int | None = None
    replay_row: int | None = None
    cost_steps: int | None = None
    cost_exact: bool = False
    stop_row: int | None = None
    acts_in: str = "0"
    trace_values: bool = False
    values_limit: int = VALUES_LIMIT
    against: str | None = None
    stops_where_different: bool = False
    kill_at_step: int | None = None
    kill_rank: int | None = None
    state_steps: tuple[int, int] | None = None
    ends_quickly: bool = False
    note_made_files: bool = False
    is_further: bool = False
    leaves_files_unread: bool = False
    removes_temporary_folders: bool = False
    keep_text: bool = False
    thread_operations: int | None = THREAD_OPERATIONS
    surroundings: Surroundings = field(default_factory=Surroundings)

    def acting_in(self, process: str) -> RunPlan:
        """The plan without what is asked of another process than this one."""
        if self.acts_in == process:
            return self
        return replace(
            self,
            capture_row=None,
            follow_row=None,
            replay_row=None,
            stop_row=None,
            trace_values=False,
        )

    @property
    def addresses(self) -> Literal["as-is", "fixed", "random"]:
        """How the process is laid out, as `Surroundings.addresses`; control fixes it."""
        asked = self.surroundings.addresses
        return "fixed" if self.control and asked == "as-is" else asked

    @property
    def pinned_seed(self) -> int | None:
        """Seed of every generator; None where the script runs as written."""
        return self.seed if self.control else None

    @property
    def seeds(self) -> dict[str, int]:
        """What the manifest says of seeds."""
        return {"seed": self.seed} if self.control else {}

    @property
    def pinned_threads(self) -> int | None:
        """Threads that the process keeps to; None where it is left alone."""
        return self.threads if self.control else None

    @classmethod
    def from_json(cls, content: Any) -> RunPlan:
        """The plan that `dataclasses.asdict` made plain data of.

        Raises:
            RecordError: A key is missing or unknown.
        """
        values = _complete(cls, content)
        around = _complete(Surroundings, values["surroundings"])
        around["hooks"] = tuple(HookSpec(**_complete(HookSpec, hook)) for hook in around["hooks"])
        around["argv"] = tuple(around["argv"])
        values["surroundings"] = Surroundings(**around)
        if values["state_steps"] is not None:
            first, count = values["state_steps"]
            values["state_steps"] = first, count
        values["kept_steps"] = tuple(values["kept_steps"])
        return cls(**values)


@dataclass(frozen=True, kw_only=True)
class RecordedProcess:
    """A process that is recorded as a plan says.

    Attributes:
        plan: How to run and what to record.
        folder: The run folder.
        workspace: A private folder that launcher and process share while the run lasts.
        command: What the person ran, for the manifest.
        ends_with: The process that this one must not outlive, where there is one.
        user_code: Installed folders that count as the user's own, for `-m`.
        script_folder: Where the script's own modules lie.
    """

    plan: RunPlan
    folder: str
    workspace: str
    command: tuple[str, ...] = ()
    ends_with: int | None = None
    user_code: tuple[str, ...] = ()
    script_folder: str = ""

    def further(self, token: str) -> RecordedProcess | None:
        """The process with this token that the recorded one has started; None to record none.

        What is asked for at one step is asked of the script's own process; `kept_steps` of each.
        """
        plan = self.plan.acting_in(token)
        plan = replace(
            plan,
            state_steps=None,
            against=None,
            is_further=True,
        )
        return replace(self, plan=plan, folder=str(process_folder(Path(self.folder), token)))

    @property
    def progress_file(self) -> Path:
        """Where the process counts, for the launcher to show."""
        return Path(self.workspace, "progress")

    @property
    def error_file(self) -> Path:
        """Where the process reports that samebits itself failed."""
        return error_file(self.workspace)

    @property
    def capture_file(self) -> Path:
        """Where the outputs of `capture_row` are saved."""
        if self.plan.keep_captured:
            return Path(self.folder, OUTPUTS_FILE)
        return Path(self.workspace, "captured.safetensors")

    @property
    def followed_file(self) -> Path:
        """Where the tensors from `follow_row` on are noted."""
        return Path(self.folder, FOLLOWED_FILE)

    @property
    def kept_folder(self) -> Path:
        """Where the values after `kept_steps` are kept."""
        return Path(self.folder, KEPT_FOLDER)

    @property
    def replay_file(self) -> Path:
        """Where it is reported how the operation of `replay_row` repeats."""
        return Path(self.workspace, "replay.json")

    @property
    def replayed_files(self) -> tuple[Path, Path]:
        """Where the first two of its results are saved that differ."""
        return (
            Path(self.workspace, "replayed-1.safetensors"),
            Path(self.workspace, "replayed-2.safetensors"),
        )

    @property
    def acted_file(self) -> Path:
        """Where the process reports how often each hook has acted."""
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
        """Write the file that the process reads, into the workspace, and return its path."""
        path = Path(self.workspace, "session.json")
        path.write_text(json.dumps(asdict(self)))
        return path

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> RecordedProcess:
        """Read what `write` wrote.

        Raises:
            RecordError: A key is missing or unknown: another version of samebits wrote it.
        """
        values = _complete(cls, json.loads(Path(path).read_text()))
        values["plan"] = RunPlan.from_json(values["plan"])
        for name in ("command", "user_code"):
            values[name] = tuple(values[name])
        return cls(**values)


def error_file(workspace: str | os.PathLike[str]) -> Path:
    """Where a process of this workspace reports that samebits itself failed."""
    return Path(workspace, "error")


def _complete(kind: type, content: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of plain data that has every field of a dataclass, and nothing else."""
    expected = {one.name for one in fields(kind)}
    for what, names in (("no", expected - set(content)), ("an unknown", set(content) - expected)):
        if names:
            raise RecordError(
                f"the plan of the run has {what} {', '.join(sorted(names))} in its {kind.__name__}",
                hint="The recorded process runs another version of samebits than its launcher: "
                "look which one its PYTHONPATH leads to.",
            )
    return dict(content)
