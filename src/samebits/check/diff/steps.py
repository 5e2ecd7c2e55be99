"""The first step whose digests differ between two runs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from samebits.check.diff.steps_in_a_row import rows_in_any_order, same_steps_otherwise
from samebits.check.diff.verdict import Divergence
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import Column, Site
from samebits.check.trace.schema import NO_SITE, STEP_DIGESTS, STEP_KINDS
from samebits.core.names import printable

_STEP, _END = (STEP_KINDS.index(kind) for kind in ("step", "end"))

# Where in a step each digest is settled; a generator's state is what the whole step left.
_PHASE_OF = {
    "batch": "data",
    "outputs": "forward",
    "loss": "forward",
    "gradients": "backward",
    "parameters": "optimizer",
    "optimizer": "optimizer",
    "generators": "optimizer",
}


def first_step_divergence(
    a: Trace,
    b: Trace,
    *,
    rank: int = 0,
    same_level: bool,
    open_ends: tuple[bool, bool],
    only: Sequence[str] = STEP_DIGESTS,
    skip: tuple[int, int] = (0, 0),
) -> Divergence | None:
    """The first row of steps.arrow that differs, named by the digest that a step makes first.

    That order is batch, outputs, loss, gradients, parameters, optimizer, generators: a difference
    in one usually brings those after it along. Steps that several optimizers take in a row are no
    difference where both runs have noted that their order changes nothing, and they are the same.

    Args:
        a: Run A.
        b: Run B.
        rank: Whose steps.
        same_level: Whether both were recorded at the same level; if not, a digest that only one
            run has says nothing.
        open_ends: For A and B, whether the run was cut or stopped before its own end.
        only: The digests that count.
        skip: Steps at the beginning of A and of B that have no counterpart in the other.

    Raises:
        TraceError: A trace is damaged.
    """
    steps_a, steps_b = (
        {name: column[first:] for name, column in trace.steps(rank).items()}
        for trace, first in zip((a, b), skip, strict=True)
    )
    counts = len(steps_a["step"]), len(steps_b["step"])
    # Under different seeds the generators differ from the start; what they were drawn for tells.
    same_seed = a.manifest.seeds == b.manifest.seeds
    names = [name for name in STEP_DIGESTS if name != "generators" or same_seed]
    names = [name for name in names if name in only]
    # Rows are noted by the script's own process, and numbered from its first step.
    is_numbered_so = rank == 0 and skip == (0, 0)
    noted = [
        rows_in_any_order(trace.manifest, count) if is_numbered_so else {}
        for trace, count in zip((a, b), counts, strict=True)
    ]
    same_until = 0
    for index in range(min(counts)):
        kinds = int(steps_a["kind"][index]), int(steps_b["kind"][index])
        if kinds[0] != kinds[1]:
            if open_ends[kinds.index(_END)]:
                return None
            break
        if kinds[0] == _END and any(open_ends):
            return None
        differing = [
            name
            for name in names
            if _differs(
                int(steps_a[name][index]),
                int(steps_b[name][index]),
                # Generators that nobody has seeded have none, such as where a pin was let go.
                same_level and name != "generators",
            )
        ]
        if differing and index >= same_until:
            row, other = (rows.get(index) for rows in noted)
            same_until = same_steps_otherwise(steps_a, steps_b, row, other, names)
        if differing and index >= same_until:
            return _divergence(index, differing, steps_a, steps_b, a.sites(rank))
    taken = [int((steps["kind"] == _STEP).sum()) for steps in (steps_a, steps_b)]
    if taken[0] == taken[1] or any(
        is_open and own < other
        for is_open, own, other in zip(open_ends, taken, taken[::-1], strict=True)
    ):
        return None
    return Divergence(
        kind="step",
        step=skip[0] + min(taken),
        phase="optimizer",
        op="steps",
        detail=f"run A takes {taken[0]} optimizer steps, run B takes {taken[1]}",
    )


def _differs(of_a: int, of_b: int, none_counts: bool) -> bool:
    return of_a != of_b and (none_counts or (of_a != 0 and of_b != 0))


def _divergence(
    index: int,
    differing: Sequence[str],
    a: Mapping[str, Column],
    b: Mapping[str, Column],
    sites: Sequence[Site],
) -> Divergence:
    first, *others = differing
    number = int(a["site"][index])
    site = None if number == NO_SITE else sites[number]
    where = "after the last step" if a["kind"][index] == _END else f"of step {a['step'][index]}"
    detail = f"the {first} {where} {'differs' if first in _SINGULAR else 'differ'}"
    losses = float(a["loss_value"][index]), float(b["loss_value"][index])
    gap = abs(losses[0] - losses[1]) if all(map(math.isfinite, losses)) else None
    if "loss" in differing and gap is not None:
        detail += f" (loss {losses[0]!r} in A, {losses[1]!r} in B)"
    if others:
        detail += f"; so do {', '.join(others)}"
    return Divergence(
        kind="step",
        step=int(a["step"][index]),
        phase=_PHASE_OF[first],
        op=first,
        module=printable(site.module) if site else "",
        file=printable(site.file, 4096) if site else None,
        line=site.line if site and site.line > 0 else None,
        function=printable(site.function) if site else None,
        max_abs=gap if first == "loss" else None,
        rows=(index, index),
        random=first == "generators",
        detail=detail,
    )


_SINGULAR = ("batch", "loss", "optimizer")
