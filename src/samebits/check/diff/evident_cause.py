"""Causes that the diverging row shows by itself, before any further run is made."""

from __future__ import annotations

from samebits.check.diff.racing_parties import racing_parties
from samebits.check.diff.seen import Seen
from samebits.check.diff.verdict import PLAIN_ARGUMENTS, READS_UNWRITTEN, Cause, Divergence
from samebits.core.catalog.operations import Operation, entries_for

_SHARED = (
    " The script had started {} before: a tensor in memory that they share (share_memory_) holds "
    "what they have written by then."
)


def evident_cause(divergence: Divergence, seen: Seen | None = None) -> Cause:
    """What the first divergence says about its own cause, with confidence "likely".

    Args:
        divergence: The first difference of two runs.
        seen: What the runs have noted before it; None where nothing is known.
    """
    seen = seen or Seen()
    code, detail, evidence, fix = _changed_unseen(divergence, seen) or _reading(divergence, seen)
    return Cause(
        code=code,
        detail=detail,
        file=divergence.file,
        line=divergence.line,
        evidence=evidence,
        fix=fix,
        confidence="likely",
        process=divergence.process,
    )


def _changed_unseen(found: Divergence, seen: Seen) -> tuple[str, str, str, str] | None:
    """Of an operation that was given something else than any operation before it had left."""
    evidence = found.detail[:1].upper() + found.detail[1:]
    if not found.has_unexplained_inputs and found.detail != READS_UNWRITTEN:
        return None
    if seen.reads_unwritten or found.detail == READS_UNWRITTEN:
        if found.detail != READS_UNWRITTEN:
            evidence += "; it read memory that no recorded operation had written to"
        return (
            "uninitialized-memory",
            found.op,
            f"{evidence}.",
            "Write torch.zeros in place of torch.empty, or write every element before it is read.",
        )
    if seen.others:
        return (
            f"{racing_parties(seen.started, found)}-timing",
            "",
            f"{evidence}. The script had started {seen.others} before.",
            "Check whether a tensor is shared with what was started there (share_memory_, a "
            "global, an argument) and written while it runs: the order of concurrent writes is a "
            "race. Give each its own copy and combine the results in a fixed order. A training "
            "that shares its weights on purpose (Hogwild) is nondeterministic by design.",
        )
    return None


def _reading(found: Divergence, seen: Seen) -> tuple[str, str, str, str]:
    """Code, detail, evidence and fix."""
    if found.data or (found.kind == "step" and found.op == "batch"):
        return (
            "data-changed",
            found.signature,
            "The data already differ when they reach torch; no earlier operation differs.",
            "Look at what makes this tensor: the order of files, shuffling or augmentation with "
            "Python's or NumPy's generator, the loader's workers. Seed those, for instance with "
            "samebits.seed_everything(0) at the start, and sort what is listed from disk."
            + (_SHARED.format(seen.others) if seen.others else ""),
        )
    if found.random and found.kind == "output" and not found.has_unexplained_inputs:
        device = "torch-cuda" if "cuda" in found.signature or "cuda" in found.op else "torch-cpu"
        return (
            "unseeded-rng",
            device,
            f"{found.op} draws from torch's generator, and everything before it agrees.",
            "Call torch.manual_seed(0) before this line, or samebits.seed_everything(0) at the "
            "start of the script.",
        )
    if found.random and found.kind == "step":
        return (
            "unseeded-rng",
            "torch",
            "The generators' states differ although everything else in this step agrees.",
            "Call samebits.seed_everything(0) at the start of the script.",
        )
    if found.kind == "inserted" or (found.kind == "step" and found.op == "steps"):
        return (
            "control-flow",
            found.op,
            found.detail[:1].upper() + found.detail[1:] + ".",
            "Find the condition or the loop around this line, and what it reads: a clock, the "
            "environment, a set's order, a number that differs between the runs.",
        )
    evidence = found.detail[:1].upper() + found.detail[1:] + "."
    entry = _known_not_to_repeat(found)
    if entry is not None:
        known = f"It is known not to repeat where this holds: {entry.when}. {entry.why}"
        return ("nondeterministic-op", found.op, f"{evidence} {known}", entry.instead)
    return ("unknown", found.op, evidence, _advice(found))


def _known_not_to_repeat(found: Divergence) -> Operation | None:
    """What the catalog says of an operation that gave another result on equal inputs."""
    if not found.is_own_doing or found.random:
        return None
    on_cuda = "cuda" in found.signature
    devices = ("any", "cuda" if on_cuda else "cpu")
    return next((one for one in entries_for(found.op) if one.device in devices), None)


def _advice(found: Divergence) -> str:
    if found.process and not found.is_on_own_thread:
        return (
            "Look into what that process runs. A seed that is set in the process that starts it "
            "does not reach it (Python's generator not even in a fork): seed Python's, NumPy's and "
            "torch's generators there, for instance with samebits.seed_everything(0, rank=rank). "
            "Then look for clocks, temporary names, listings of folders, a set's order."
        )
    if found.kind == "step":
        return "Record at level op to see the operation: samebits check --level op."
    if found.detail == PLAIN_ARGUMENTS:
        return (
            "Look at where the numbers in this call come from: a clock, Python's or NumPy's "
            "generator, the environment, a set's order."
        )
    if found.has_unexplained_inputs:
        return (
            "Look for code that writes to this tensor outside torch's operations: a NumPy array "
            "or a C library that shares its memory, another thread or process."
        )
    if found.kind == "output":
        return (
            "Try samebits check --control: if the runs then agree, a switch or a seed is missing; "
            "if not, the cause lies outside of torch's switches."
        )
    return (
        "Look for what the script reads that is not the same each time: clocks, random numbers, "
        "temporary names, listings of folders, a set's order."
    )
