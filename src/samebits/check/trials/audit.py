"""`audit`: one recorded run, and what it says of switches and of CUDA."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samebits.check.diff.cuda_outlook import cuda_outlook
from samebits.check.diff.run_summary import run_summary
from samebits.check.diff.verdict import ProcessSummary
from samebits.check.record.plan import RunPlan
from samebits.check.record.run import Progress, RunResult, Target
from samebits.check.trace.reader import Trace
from samebits.check.trials.recordings import Recordings
from samebits.check.trials.runner import Runner

SCHEMA = "samebits.audit/1"


@dataclass(frozen=True, kw_only=True)
class ScriptAudit:
    """What one run of a script shows.

    Attributes:
        result: How the run ended.
        outlook: Recorded operations that raise or switch on CUDA, as in the verdict file.
        switches: Name → reading, as the switches stood at the end of the run.
        ops: Operations recorded of the script's own process.
        steps: Its optimizer steps.
        processes: What was recorded of each process and thread that it has started.
        notes: What a person should know of the recording.
    """

    result: RunResult
    outlook: tuple[dict[str, Any], ...]
    switches: Mapping[str, Any]
    ops: int
    steps: int
    notes: tuple[str, ...]
    processes: tuple[ProcessSummary, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether the script failed on its own."""
        return self.result.timed_out or self.result.exit_code != 0

    @property
    def raises(self) -> bool:
        """Whether any operation raises on CUDA under deterministic algorithms."""
        return any(entry["status"] == "raises" for entry in self.outlook)

    @property
    def open_switches(self) -> list[Mapping[str, Any]]:
        """The switches that apply to this script and do not hold."""
        return [reading for reading in self.switches.values() if reading.get("holds") is False]

    def to_json(self) -> dict[str, Any]:
        """Plain data, schema `samebits.audit/1`."""
        return {
            "schema": SCHEMA,
            "folder": str(self.result.folder),
            "exit_code": self.result.exit_code,
            "steps": self.steps,
            "ops": self.ops,
            "processes": [
                {
                    "process": one.name,
                    "folder": one.folder,
                    "steps": one.steps,
                    "ops": one.ops,
                    "exit_code": one.exit_code,
                }
                for one in self.processes
            ],
            "cuda_outlook": list(self.outlook),
            "switches": list(self.switches.values()),
            "notes": list(self.notes),
        }


def audit_script(
    target: Target,
    folder: Path,
    plan: RunPlan,
    on_progress: Callable[[Progress], None] | None = None,
) -> ScriptAudit:
    """Run a script once, recorded, and look its operations and switches up.

    Args:
        target: What to run.
        folder: The run folder: new or empty.
        plan: How to run; level "op" sees every operation.
        on_progress: Called a few times a second while the script runs.

    Raises:
        RecordError: The run could not be started or recorded.
        TraceError: The run folder could not be written or read.
    """

    def progress(_: str, now: Progress) -> None:
        if on_progress is not None:
            on_progress(now)

    result = Runner(Recordings(target, folder, progress), plan).run("the run", "")
    trace = Trace.open(folder)
    manifest = trace.manifest
    return ScriptAudit(
        result=result,
        outlook=cuda_outlook(trace),
        switches={name: r for name, r in manifest.switches.items() if isinstance(r, Mapping)},
        ops=trace.count_ops(),
        steps=manifest.counts["steps"],
        processes=run_summary(trace).processes,
        notes=tuple(manifest.notes),
    )
