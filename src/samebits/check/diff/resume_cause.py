"""What a resume did not bring back: which generator, which place in the data, which entry."""

from __future__ import annotations

from collections.abc import Mapping

from samebits.check.diff.verdict import Cause, Divergence
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import Site
from samebits.check.trace.schema import NO_SITE, Flag
from samebits.core.names import printable

_WITH_CHECKPOINT = (
    "samebits.Checkpoint saves and restores it with everything else; docs/guide/resume.md walks "
    "through it."
)

_WHEN = "after all that initialises them, and at the end of a step"

States = tuple[Mapping[str, str], Mapping[str, str]]


def resume_cause(
    found: Divergence, straight: Trace, resumed: Trace, begin: int, states: States
) -> Cause:
    """The cause of the first difference between a straight run and a resumed one.

    Args:
        found: The first step that differs, numbered as in the straight run.
        straight: The straight run.
        resumed: The resumed run.
        begin: The straight run's step that the resumed run's first one is.
        states: Entry → digest as that step begins, in a straight run and in the resumed one; both
            empty where that was not looked at.
    """
    detail, evidence, fix, drawn = _reading(found, straight, resumed, begin, states)
    site = _site(resumed, drawn) if found.step == begin else None
    return Cause(
        code="resume-state",
        detail=detail,
        file=printable(site.file, 4096) if site is not None else found.file,
        line=site.line if site is not None else found.line,
        evidence=evidence,
        fix=f"{fix} {_WITH_CHECKPOINT}",
        confidence="likely",
    )


def saved_cause(found: Divergence) -> Cause:
    """The cause where every step agrees, and what was saved at the end does not."""
    return Cause(
        code="resume-state",
        detail="saved tensors",
        file=found.file,
        line=found.line,
        evidence="Every step of the resumed run agrees with the uninterrupted run's, but "
        f"{found.detail}: state that affects only the file, not the steps, was not restored.",
        fix="Save and load what the file is made of: averaged weights, the best ones so far, sums "
        f"and counters; run.missing() names what has a state and is not saved. {_WITH_CHECKPOINT}",
        confidence="likely",
    )


def printed_cause(found: Divergence) -> Cause:
    """The cause where every step agrees, and what is printed after them does not."""
    return Cause(
        code="resume-state",
        detail="printed numbers",
        file=found.file,
        line=found.line,
        evidence="Every step of the resumed run agrees with the straight run's, and "
        f"{found.detail}. A second straight run printed there what the first did: something that "
        "is printed, and goes into no step, was not restored.",
        fix="Save and load what the printed numbers are made of: running averages, sums and "
        f"counters, histories, the best value so far. {_WITH_CHECKPOINT}",
        confidence="likely",
    )


def began_anew(resumed: Trace, steps: int) -> tuple[Divergence, Cause]:
    """The finding where the resumed run took every step again: nothing was resumed at all."""
    detail = f"the resumed run took all {steps} steps, from the first on"
    found = Divergence(kind="step", step=0, phase="setup", op="steps", detail=detail)
    cause = Cause(
        code="resume-state",
        detail="nothing was restored",
        file=None,
        line=None,
        evidence="The resumed run repeated every step: the bits agree, but nothing was resumed.",
        fix="Load what was saved as the script begins (samebits.Checkpoint: run.restore()), or "
        f"kill it after its first save: a larger --kill-at-step. {_WITH_CHECKPOINT}",
        confidence="likely",
    )
    return found, cause


def _reading(
    found: Divergence, straight: Trace, resumed: Trace, begin: int, states: States
) -> tuple[str, str, str, str]:
    """Detail, evidence, fix, and what kind of row shows the line: "data", "random" or ""."""
    if found.op == "steps":
        return (
            "number of steps",
            f"{found.detail[:1].upper()}{found.detail[1:]}.",
            "Save how far the run has come: the epoch, and the place in it (run.epochs(n) gives "
            "the epochs that are left), and what decides when it ends.",
            "",
        )
    entries = _differing(states, _sources_drawn_from(resumed))
    if found.op == "batch":
        position = _loader_position(found, straight, resumed, begin)
        lost = [name for name in entries if not name.startswith("generator.")]
        if position[0] or not lost:
            return (
                "loader position",
                position[1],
                "Save the place in the data and the generators that shuffle and augment: "
                "samebits.DataLoader has both in its state_dict().",
                "data",
            )
    for prefix, what, advice in (
        (
            "parameters.",
            "parameters",
            f"Save and load the model's state_dict(), {_WHEN}.",
        ),
        (
            "optimizer.state.",
            "entries of the optimizer's state",
            f"Save and load the optimizer's state_dict(), {_WHEN}.",
        ),
        (
            "optimizer.param_groups.",
            "entries of the optimizer's groups",
            "Save and load the state_dict() of the optimizer and of the scheduler that sets it.",
        ),
        ("generator.", "generators", "Save and set the states of the generators."),
    ):
        names = [name for name in entries if name.startswith(prefix)]
        if names:
            shown = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
            plain = names[0].removeprefix("generator.") if prefix == "generator." else names[0]
            evidence = (
                f"As step {found.step} begins, {what} of the resumed run differ from the straight "
                f"run's: {shown}."
            )
            drawn = "random" if prefix == "generator." else ""
            return plain, evidence, advice, drawn
    if found.op == "generators":
        return (
            "generators",
            "The generators' states differ although everything else in this step agrees.",
            "Save and set the states of the generators.",
            "random",
        )
    return (
        found.op,
        f"{found.detail[:1].upper()}{found.detail[1:]}; every parameter, optimizer entry and "
        "generator that was looked at agrees as the step begins."
        if states[0]
        else f"{found.detail[:1].upper()}{found.detail[1:]}.",
        "Look for state outside of model, optimizer and global generators: generators and "
        "counters of the script's own, a gradient scaler, averaged weights, buffers that are not "
        "persistent, gradients of an unfinished accumulation. run.missing() names what lives and "
        "is not saved.",
        "",
    )


def _loader_position(
    found: Divergence, straight: Trace, resumed: Trace, begin: int
) -> tuple[bool, str]:
    """Whether the batch is one that the straight run had elsewhere, and a sentence that says so."""
    digest = int(resumed.steps()["batch"][found.step - begin])
    batches = [int(value) for value in straight.steps()["batch"]]
    seen = [step for step, value in enumerate(batches) if value == digest and value != 0]
    where = f"In step {found.step} the resumed run got"
    if seen:
        return True, (
            f"{where} the batch of step {seen[0]}: the loader resumed at the wrong position."
        )
    return False, (
        f"{where} a batch that the uninterrupted run never saw: a different order, or different "
        "augmentation."
    )


def _differing(states: States, drawn_from: set[str]) -> list[str]:
    """Entries that differ or that one run lacks; generators only if they were drawn from."""
    mine, theirs = states
    names = [name for name in mine if mine[name] != theirs.get(name)]
    names += [name for name in theirs if name not in mine]
    # Python's and NumPy's begin with the system's entropy in each process, and few scripts care.
    unused = {f"generator.{source}" for source in ("python", "numpy") if source not in drawn_from}
    return [name for name in names if name not in unused]


def _sources_drawn_from(trace: Trace) -> set[str]:
    return {row.source for row in trace.ledger() if row.event == "draw"}


def _site(trace: Trace, drawn: str) -> Site | None:
    """The first line of the first step that draws random numbers, or that data enter at."""
    if not drawn or trace.count_ops() == 0:
        return None
    sites = trace.sites()
    for batch in trace.iter_ops(["step", "phase", "site", "flags", "data"]):
        columns = batch.columns
        by_kind = columns["flags"] & Flag.RANDOM if drawn == "random" else columns["data"]
        matches = by_kind != 0
        matches = matches & (columns["step"] == 0) & (columns["site"] != NO_SITE)
        forward = [
            code for code, name in enumerate(batch.names["phase"]) if name in ("forward", "data")
        ]
        for row in matches.nonzero()[0]:
            if int(columns["phase"][row]) in forward:
                return sites[int(columns["site"][row])]
    return None
