"""What is said of the line to blame beside its place: what else was seeded, read or left."""

from __future__ import annotations

import ast
from dataclasses import replace

from samebits.check import causes
from samebits.check.causes.culprit import Culprit
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.hypothesis import Hypothesis
from samebits.check.causes.writing.only_printed import is_only_printed
from samebits.check.trials.attribution.seeded_otherwise import (
    seeded_before,
    seeded_elsewhere,
    seeds_torch,
)
from samebits.check.trials.attribution.wording import shown_place
from samebits.core.source.ordered_fields import (
    OrderedField,
    lines_that_read,
    orders_without_a_key,
)
from samebits.core.source.statement import statement_at


def with_details(place: Culprit, hypothesis: Hypothesis, evidence: Evidence) -> Culprit:
    """The line to blame with what the runs have noted around it."""
    place = replace(place, detail=causes.known(hypothesis.code).detail(hypothesis, place))
    if hypothesis.code in ("clock", "entropy"):
        place = replace(place, seeds=seeded_elsewhere(evidence, place))
    if hypothesis.code == "clock":
        place = replace(place, compared=_compared(place, evidence))
    if hypothesis.code == "entropy":
        digested = [at for at in evidence.digested if not _stands_before(at, place)]
        place = replace(place, digested=tuple(shown_place(*at) for at in digested))
    if hypothesis.pin == "seeds":
        place = replace(
            place,
            seeded_before=seeded_before(evidence, place),
            torch_is_seeded=seeds_torch(evidence),
        )
    if hypothesis.pin == "files":
        place = replace(place, rewritten=tuple(evidence.rewritten), left=tuple(evidence.left))
    return place


def _stands_before(at: tuple[str, int], place: Culprit) -> bool:
    """Whether a line stands above one after which a variable differs: it has not made that so."""
    file, line = at
    return bool(place.variable) and file == place.file and line < (place.line or 0)


def _compared(place: Culprit, evidence: Evidence) -> str:
    """The field of an ordered dataclass that the line stores; "" where it stores none."""
    statement = statement_at(place.file, place.line)
    if statement is None or not isinstance(statement.node, ast.Assign | ast.AugAssign):
        return ""
    node = statement.node
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    names = {target.attr for target in targets if isinstance(target, ast.Attribute)}
    for field in evidence.ordered:
        if field.name in names and _is_only_compared(field, evidence):
            return f"{field.kind}.{field.name}, at {shown_place(field.file, field.line)}"
    return ""


def _is_only_compared(field: OrderedField, evidence: Evidence) -> bool:
    """Whether objects are ordered, and the field is read by its name for no more than text."""
    files = dict.fromkeys([*evidence.sources, field.file])
    return any(map(orders_without_a_key, files)) and all(
        is_only_printed(file, line) for file in files for line in lines_that_read(file, field.name)
    )
