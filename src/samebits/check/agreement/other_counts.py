"""Compares runs with other numbers of ranks: what the ranks of each share, step by step.

Which rank of one run is which of the other means nothing then: each has other batches. What all
replicas of a run hold after a step does, and can be compared with what those of the other run hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from samebits.check.agreement.ranks import Rank, ranks_of
from samebits.check.agreement.replicas import listed_tensors
from samebits.check.agreement.samples import SamplesComparison, compare_samples
from samebits.check.diff.correspondence import correspondence
from samebits.check.diff.run_summary import run_summary
from samebits.check.diff.verdict import Cause, Divergence, NotCompared, Verdict
from samebits.check.trace.reader import Trace
from samebits.check.trace.run_parts import lacking_ranks
from samebits.check.trace.schema import NO_SITE, STEP_KINDS
from samebits.core.names import printable

_HELD = ("parameters", "optimizer")


def rank_count(trace: Trace) -> int:
    """How many ranks a run has, those included that no part of it holds."""
    return len(ranks_of(trace)) + len(lacking_ranks(trace))


def have_other_counts(a: Trace, b: Trace) -> bool:
    """Whether two runs are trainings with other numbers of ranks.

    Raises:
        TraceError: A run folder is damaged.
    """
    counts = rank_count(a), rank_count(b)
    return counts[0] != counts[1] and min(counts) > 0


def compare_other_counts(a: Trace, b: Trace) -> Verdict:
    """The verdict on two runs with other numbers of ranks.

    It is never "same": what a single rank computes has no counterpart in the other run. Compared is
    what all ranks hold after each step, and, of the steps that are noted, which samples they have
    read together.

    Args:
        a: Run A.
        b: Run B.

    Raises:
        TraceError: A run folder is damaged.
    """
    held = _Held(ranks_of(a)), _Held(ranks_of(b))
    length = min(one.agreed for one in held)
    samples = compare_samples(held[0].ranks, held[1].ranks, length)
    found = _first_difference(held, length, samples)
    counts = [rank_count(trace) for trace in (a, b)]
    what = f"{_steps(length)} (parameters and optimizer)"
    if samples.steps:
        what += f", and which samples all ranks read together for {_steps(samples.steps)}"
    notes = [
        f"run A has {_ranks(counts[0])}, run B {_ranks(counts[1])}: compared was what all ranks of "
        f"each run hold after {what}"
    ]
    files = correspondence(a, b)
    if files.edited:
        shown = ", ".join(printable(edited.name, 160) for edited in files.edited[:5])
        notes.append(f"the code differs ({shown})")
    seeds = [trace.manifest.seeds.get("seed") for trace in (a, b)]
    if seeds[0] != seeds[1]:
        notes.append(f"recorded under different seeds: {seeds[0]} in A, {seeds[1]} in B")
    return Verdict(
        verdict="incomplete" if found is None else "different",
        runs=(run_summary(a), run_summary(b)),
        first_divergence=found,
        causes=() if found is None else (_cause(found, samples),),
        not_compared=tuple(_not_compared(held, length, samples)),
        notes=tuple(notes),
    )


class _Held:
    """What the replicas of one run hold after each step.

    Attributes:
        ranks: The ranks.
        taken: Steps that every rank has taken.
        agreed: Steps at the beginning after each of which all ranks hold the same.
        digests: Of those steps, for each of `_HELD`.
    """

    def __init__(self, ranks: Sequence[Rank]) -> None:
        self.ranks = ranks
        steps = []
        for rank in ranks:
            rows = rank.trace.steps()
            kept = rows["kind"] == STEP_KINDS.index("step")
            steps.append({name: rows[name][kept] for name in ("site", *_HELD)})
        self.taken = min(len(one["site"]) for one in steps)
        self.sites = steps[0]["site"]
        agree: npt.NDArray[np.bool_] = np.ones(self.taken, bool)
        for name in _HELD:
            first = steps[0][name][: self.taken]
            for other in steps[1:]:
                agree &= other[name][: self.taken] == first
        self.agreed = self.taken if agree.all() else int(agree.argmin())
        self.digests = {name: steps[0][name] for name in _HELD}

    def tensors(self, step: int) -> dict[str, str]:
        """Digests of parameters and buffers that all ranks agree in, where they were noted."""
        noted: list[dict[str, str]] = [
            next((one["tensors"] for one in rank.noted("steps") if one["step"] == step), {})
            for rank in self.ranks
        ]
        first, *others = noted
        return {
            name: digest
            for name, digest in first.items()
            if all(other.get(name) == digest for other in others)
        }


def _first_difference(
    held: tuple[_Held, _Held], length: int, samples: SamplesComparison
) -> Divergence | None:
    one, other = held
    differing = {
        name: (mine != theirs) & (mine != 0) & (theirs != 0)
        for name in _HELD
        for mine, theirs in [(one.digests[name][:length], other.digests[name][:length])]
    }
    either = np.logical_or.reduce(list(differing.values()))
    step = int(either.argmax()) if either.any() else None
    if samples.others_in is not None and (step is None or samples.others_in <= step):
        step = samples.others_in
        detail = f"the samples that all ranks of a run read together for step {step} differ"
        return _divergence(one, step, "batch", detail)
    if step is None:
        return None
    what = next(name for name in _HELD if differing[name][step])
    tensors = [run.tensors(step) for run in held]
    names = [name for name, digest in tensors[0].items() if tensors[1].get(name, digest) != digest]
    of = f" ({listed_tensors(names)})" if names and what == "parameters" else ""
    verb = "differ" if what == "parameters" else "differs"
    detail = f"the {what} that all ranks of a run share{of} {verb} after step {step}"
    return _divergence(one, step, what, detail)


def _divergence(run: _Held, step: int, what: str, detail: str) -> Divergence:
    number = int(run.sites[step])
    site = None if number == NO_SITE else run.ranks[0].trace.sites()[number]
    return Divergence(
        kind="step",
        step=step,
        phase="data" if what == "batch" else "optimizer",
        op=what,
        module=printable(site.module) if site else "",
        file=printable(site.file, 4096) if site else None,
        line=site.line if site and site.line > 0 else None,
        function=printable(site.function) if site else None,
        rows=(step, step),
        data=what == "batch",
        detail=detail,
        process="all ranks",
    )


_SAME_SAMPLES = (
    "Let all ranks together read the same samples for each step: the batch size of a rank times "
    "the number of ranks must be equal in both runs, and so must the sampler's seed. Augment each "
    "sample from a seed that depends on its index and the epoch, and not on the rank."
)
_SUMMED_OTHERWISE = (
    "Gradients of another number of ranks are averaged in another order, which alone can change "
    "the last bits: keep the number of ranks where bits must be equal. Dropout masks and batch "
    "statistics of a rank's part of the batch differ as well."
)


def _cause(found: Divergence, samples: SamplesComparison) -> Cause:
    fix = _SUMMED_OTHERWISE
    if found.op == "batch":
        evidence = "As many samples are read in both runs, and they are not the same."
        fix = _SAME_SAMPLES
    elif samples.numbers is not None:
        evidence, fix = f"{_how_many(samples.numbers)}.", _SAME_SAMPLES
        evidence = evidence[:1].upper() + evidence[1:]
    elif samples.steps:
        evidence = "The ranks of both runs read the same samples together."
    elif found.step:
        evidence = f"What all ranks share agreed after {_steps(found.step)}."
    else:
        evidence = "The first step that can be compared differs."
    return Cause(
        code="unknown",
        detail=found.op,
        file=found.file,
        line=found.line,
        evidence=evidence,
        fix=fix,
        confidence="likely",
        process=found.process,
    )


def _how_many(numbers: tuple[int, int, int]) -> str:
    step, of_a, of_b = numbers
    return f"all ranks of run A read {of_a:,} samples for step {step}, those of run B {of_b:,}"


def _not_compared(
    held: Sequence[_Held], length: int, samples: SamplesComparison
) -> Iterator[NotCompared]:
    for name, run in zip("AB", held, strict=True):
        if run.agreed < run.taken:
            why = f"the ranks of run {name} do not hold the same after step {run.agreed}"
            yield NotCompared("process", f"steps from {run.agreed} on", why)
    taken = [run.taken for run in held]
    if taken[0] != taken[1] and length == min(taken):
        why = f"run A takes {_steps(taken[0])}, run B {_steps(taken[1])}"
        yield NotCompared("process", f"steps from {length} on", why)
    if samples.numbers is not None:
        yield NotCompared("process", "the samples of each step", _how_many(samples.numbers))
    elif not samples.steps:
        why = "no rank noted them: they came from no DataLoader, or not as tensors on the CPU"
        yield NotCompared("process", "the samples of each step", why)
    why = "a rank of one run has no counterpart in a run of another number of ranks"
    yield NotCompared("process", "what a single rank computes", why)


def _steps(count: int) -> str:
    return f"{count:,} step{'' if count == 1 else 's'}"


def _ranks(count: int) -> str:
    return f"{count} rank{'' if count == 1 else 's'}"
