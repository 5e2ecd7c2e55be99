"""What a comparison came to: the content of the verdict file, as plain data.

Everything that shows a verdict (panel, JSON, later HTML and SARIF) renders these classes; nothing
else carries a result from `compare` to `report`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from samebits.check.diff.explanation import DivergenceValues

SCHEMA = "samebits.verdict/1"

VerdictCode = Literal["same", "different", "incomplete", "failed"]
Confidence = Literal["proved", "likely"]

READS_UNWRITTEN = "its output differs: it read memory that nothing had written to"
UNEXPLAINED_INPUTS = (
    "its output and its inputs differ, although every earlier operation agreed: something that is "
    "not recorded changed the inputs"
)
CHANGED_BESIDE = (
    "its output and its inputs differ, although every earlier operation of its thread agreed: "
    "another thread changed the inputs, or something that is not recorded"
)
PLAIN_ARGUMENTS = "its output differs: its tensor arguments agree, its plain arguments do not"
"""What `Divergence.detail` says where the inputs of an operation do not explain its result."""
OTHER_SHAPE = "a tensor that enters here from outside has a different shape or dtype"
"""How it begins where data are of another size."""


@dataclass(frozen=True, kw_only=True)
class ProcessSummary:
    """One recorded process that a run has started.

    Attributes:
        name: What it is called in a sentence: "rank 1".
        label: What a table calls it: "worker 2, actors.py:40".
        folder: Its run folder.
        steps: Optimizer steps recorded.
        ops: Operation rows recorded.
        exit_code: Its exit code; negative for a signal, None while unknown.
        seconds: How long it was recorded.
        complete: False when it was killed and its trace ends at the last flush.
        is_thread: Whether it is a thread, which has no exit code.
    """

    name: str
    label: str
    folder: str
    steps: int
    ops: int
    exit_code: int | None
    seconds: float
    complete: bool = True
    is_thread: bool = False


@dataclass(frozen=True, kw_only=True)
class RunSummary:
    """One recorded run.

    Attributes:
        folder: The run folder.
        steps: Optimizer steps recorded.
        ops: Operation rows recorded.
        exit_code: The script's own exit code; negative for a signal, None while unknown.
        seconds: Wall time of the run.
        level: What was recorded: "auto", "step", "module" or "op".
        complete: False when the run was killed and its trace ends at the last flush.
        timed_out: True when it was ended for taking too long.
        processes: Those that it has started and that computed.
        rank: Of the script's own process, where it is one of several ranks; None where it is none.
    """

    folder: str
    steps: int
    ops: int
    exit_code: int | None
    seconds: float
    level: str = "op"
    complete: bool = True
    timed_out: bool = False
    processes: tuple[ProcessSummary, ...] = ()
    rank: int | None = None


@dataclass(frozen=True, kw_only=True)
class Divergence:
    """The first place where two runs diverge.

    Attributes:
        kind: "output" (same operation, same inputs, other bits), "inserted" (an operation that
            only one run has), "step" (a step's digests differ), "saved" (what a saved or written
            file holds differs), "printed" (other text, where every operation agrees), "exit".
        step: Optimizer steps completed before it, counted from 0.
        phase: "setup", "data", "forward", "backward" or "optimizer".
        op: The operation, such as "aten.uniform_"; for a step, the digest that differs.
        module: Path of the innermost module, such as "encoder.0.fc1"; "" outside any.
        file: The user's source file; None when no user line could be named.
        line: Its line, counted from 1.
        function: The function that the line stands in.
        signature: Output dtypes and shapes.
        max_abs: Largest absolute difference of the outputs, where the values were captured.
        max_ulp: Largest distance in units in the last place, where the values were captured.
        rows: Row numbers in the two traces; None on the side that lacks the row.
        random: True when the operation draws from a torch generator.
        data: True when an input entered from outside (NumPy, a loader, a file) and differs.
        detail: One sentence that says what differs.
        process: What the process is called that differs; "" for the script's own.
        processes: What the manifests of the two runs call it, where its operations are recorded:
            its rows are in the folders `processes/<name>`. Empty for the script's own.
    """

    kind: Literal["output", "inserted", "step", "saved", "printed", "exit"]
    step: int
    phase: str
    op: str
    module: str = ""
    file: str | None = None
    line: int | None = None
    function: str | None = None
    signature: str = ""
    max_abs: float | None = None
    max_ulp: int | None = None
    rows: tuple[int | None, int | None] = (None, None)
    random: bool = False
    data: bool = False
    detail: str = ""
    process: str = ""
    processes: tuple[str, ...] = ()

    @property
    def has_unexplained_inputs(self) -> bool:
        """Whether its inputs differ, and no earlier operation says why."""
        return self.detail in (UNEXPLAINED_INPUTS, CHANGED_BESIDE)

    @property
    def is_own_doing(self) -> bool:
        """Whether an operation gave another result on equal inputs and arguments."""
        is_of_inputs = self.data or self.has_unexplained_inputs or self.detail == PLAIN_ARGUMENTS
        return self.kind == "output" and not is_of_inputs

    @property
    def is_on_own_thread(self) -> bool:
        """Whether it is on another thread of the script's own process."""
        return any(name.startswith("0+") for name in self.processes)

    @property
    def is_unrecorded(self) -> bool:
        """Whether it is in a process of which no operation is recorded."""
        return bool(self.process) and not self.processes


Outcome = Literal["agree", "diverge", "unusable"]


@dataclass(frozen=True, kw_only=True)
class Observation:
    """One comparison of two runs: what the sentences about a cause rest on.

    Attributes:
        runs: The folders of the two runs.
        pinned: What was held as it is in both, such as "seeds"; empty for runs as they are.
        varied: What alone was let go, or moved, in the second one: "addresses"; "" for nothing.
        compared: How far: "whole", or "to row 40", "to step 3".
        outcome: "agree", "diverge", or "unusable" where a run ended in another way than the script
            does by itself.
        step: Of a divergence: its step; None without one.
        op: Of a divergence: the operation or digest; "" without one.
        file: Of a divergence: the user's file, where known.
        line: Of a divergence: the line, where known.
    """

    runs: tuple[str, str]
    pinned: tuple[str, ...] = ()
    varied: str = ""
    compared: str = "whole"
    outcome: Outcome
    step: int | None = None
    op: str = ""
    file: str | None = None
    line: int | None = None


@dataclass(frozen=True, kw_only=True)
class Cause:
    """Why the runs diverge, with the line to blame and what to write there.

    Attributes:
        code: Code of a module in `samebits.check.causes`: "clock".
        detail: Which one, such as "torch-cpu".
        evidence: One sentence.
        fix: What to write instead.
        confidence: "proved" where runs agreed under the intervention, diverged without it, and
            luck explains that with less than 1 in 1,000; else "likely".
        observations: Numbers of the entries of `Verdict.observations` that it rests on.
        process: What the process is called that the line ran in; "" for the script's own.
    """

    code: str
    detail: str
    file: str | None
    line: int | None
    evidence: str
    fix: str
    confidence: Confidence
    observations: tuple[int, ...] = ()
    process: str = ""


@dataclass(frozen=True)
class NotCompared:
    """Something that may have differed and was not compared.

    Attributes:
        what: "process", "file", "output" or "draw"; "run" where there was nothing to compare.
        name: Which one: "the process started at train.py:12 (mp.spawn)", "out/w.bin".
        why: Why not.
    """

    what: Literal["process", "file", "output", "draw", "run"]
    name: str
    why: str


RunFindingCode = Literal[
    "replicas-disagree", "identical-randomness", "duplicate-data", "missing-data"
]


@dataclass(frozen=True, kw_only=True)
class RunFinding:
    """Something that is wrong in a single run, whether or not it repeats.

    Attributes:
        code: What kind.
        detail: One sentence that says what.
        process: Whose: "rank 1", or "ranks 0 and 1"; "" for the script itself.
        file: The user's source file; None where no line could be named.
        line: Its line.
        evidence: What it rests on.
        fix: What to write instead.
    """

    code: RunFindingCode
    detail: str
    process: str
    file: str | None
    line: int | None
    evidence: str
    fix: str


@dataclass(frozen=True, kw_only=True)
class Failure:
    """The exception that ended a script which failed on its own.

    Attributes:
        error: The exception's type: "RuntimeError".
        message: The first line of its message.
        file: The user's source file; None where no line could be named.
        line: Its line.
    """

    error: str
    message: str
    file: str | None
    line: int | None


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The answer of `samebits check` and `samebits diff`.

    Attributes:
        verdict: "same", "different", "incomplete" (what was compared agrees, and `not_compared` was
            not) or "failed".
        not_compared: What may have differed unseen.
        ignored_output: Regular expressions whose lines of printed text were left out.
        minimal_controls: The smallest set of holds under which the runs agree.
        under_run: Whether runs agreed under `samebits run --seed 0`: two of them, or one with
            another one in which only a part of that was pinned. None where not tried.
        under_controls_whole: Whether the runs under these controls went to the script's own end;
            otherwise they ended right after the first divergence.
        ledger: Where the two runs did not draw, list or read alike, see
            `samebits.check.diff.ledger_differences.LedgerDifference`.
        overwritten_draws: Operations that drew different random numbers in each run, of which no
            recorded operation shows a trace: as many tensors of their shapes were overwritten.
        observations: The comparisons that were made to tell the cause, in order.
        findings: What comparing the ranks of a run with each other has shown.
        compared: Which of `runs` are run A and run B, by their places.
        closer: Folders of two further runs that recorded the step of the first divergence operation
            by operation: its rows stand there. Empty where they stand in `runs`.
        explanation: The values behind the first divergence; None where they were not asked for.
        failure: Of a script that failed, the exception that ended it, where one is known.
        notes: Facts that do not decide the verdict but that a person should know, one line each
            (printed output differs, a worker process was not recorded, a run was cut).
    """

    verdict: VerdictCode
    runs: tuple[RunSummary, ...]
    first_divergence: Divergence | None = None
    causes: tuple[Cause, ...] = ()
    variations: tuple[dict[str, Any], ...] = ()
    minimal_controls: tuple[str, ...] = ()
    under_run: bool | None = None
    under_controls_whole: bool = False
    cuda_outlook: tuple[dict[str, Any], ...] = ()
    ledger: tuple[dict[str, Any], ...] = ()
    overwritten_draws: int = 0
    observations: tuple[Observation, ...] = ()
    not_compared: tuple[NotCompared, ...] = ()
    ignored_output: tuple[str, ...] = ()
    findings: tuple[RunFinding, ...] = ()
    compared: tuple[int, int] = (0, 1)
    closer: tuple[str, ...] = ()
    explanation: DivergenceValues | None = None
    failure: Failure | None = None
    notes: tuple[str, ...] = field(default=())

    @property
    def agreed(self) -> bool:
        """Whether the plain runs agreed, whatever became of them when something was varied."""
        diverged = [one.get("first_divergence") for one in self.variations]
        found = self.first_divergence
        return found is None or asdict(found) in diverged

    @property
    def nothing_compared(self) -> bool:
        """Whether no two runs were compared at all."""
        alone = any(one.what == "run" for one in self.not_compared)
        return self.verdict == "incomplete" and alone

    @property
    def exit_code(self) -> int:
        """0 same, 1 different, 3 the script failed on its own, 4 incomplete."""
        return {"same": 0, "different": 1, "failed": 3, "incomplete": 4}[self.verdict]

    def to_json(self) -> dict[str, Any]:
        """The verdict file's content, schema `samebits.verdict/1`."""
        return {"schema": SCHEMA, **asdict(self)}
