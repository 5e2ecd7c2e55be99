"""An object's address in a text, or in a hash, that a seed or a digest is made of."""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import partial

from samebits.check.causes.culprit import Culprit
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.writing.fix import fix
from samebits.check.causes.writing.only_printed import is_only_printed
from samebits.check.diff.ledger_pairs import ENTROPY
from samebits.check.diff.value_lines import ValueDifference
from samebits.check.diff.values import ValueDifferences
from samebits.check.diff.verdict import Cause
from samebits.check.trace.values_format import ValueKind
from samebits.check.trials.attribution import culprit_by_values
from samebits.check.trials.attribution.culprit import of_entry
from samebits.core.names import printable
from samebits.core.source.digests import digests_text_of_object, makes_text_of_object
from samebits.core.source.statement import enclosing_function, statement_at

_MAY_BE_HASHED_TOO = ("clock", "environment", "listing", *ENTROPY)
_KIND = ValueKind.ADDRESS_TEXT.name.lower()
_HOLDS_ADDRESS = (
    "A text that is made or stored here holds an object's address, and is not the same in every "
    "run; a generator got a different seed after it."
)
_IS_DIGESTED = (
    "A digest of an object's text is taken here, and is not the same in every run, where nothing "
    "varies but where objects lie and the order of sets; such a text may hold an address."
)
_IS_DIGESTED_WITH_ADDRESS = (
    "A digest of an object's text is taken here, and is not the same in every run, where nothing "
    "varies but where objects lie: such a text holds an address, or objects in an order of theirs."
)
_IS_MADE_OF_OBJECT = (
    "The text of an object is made here, and is not the same in every run, where nothing varies "
    "but where objects lie; a generator got a different seed after it."
)
_IS_HASHED = (
    "hash() was asked here for a value whose hash is made of an address, and gave another number "
    "in each run."
)


def address_in_text(values: ValueDifferences, evidence: Evidence) -> Culprit | None:
    """The line that stored such a text, where a seed differs later; None where there is none.

    Args:
        values: Where variables diverge.
        evidence: What the two runs have noted up to where they diverge.
    """
    places = [entry.place for entry in evidence.other_seeds if entry.differs]
    seeded = next((place for place in places if place is not None), None)
    holding = [
        line
        for line in values.lines
        if _KIND in line.kinds and not is_only_printed(line.file, line.line)
    ]
    if seeded is None or not holding:
        return None
    function = enclosing_function(*seeded)
    # Other lines may print such a text: the one beside the seed is what the seed is made of.
    line = next((one for one in holding if _is_in(one, seeded[0], function)), holding[0])
    name = line.names[line.kinds.index(_KIND)] if line.role != "result" else ""
    return Culprit(file=line.file, line=line.line, variable=name, holds_address=True)


def digested_text(values: ValueDifferences) -> Culprit | None:
    """The first line that differs, where it takes a digest of an object's text.

    Args:
        values: Where variables diverge when nothing varies but where objects lie and the order of
            sets: the text itself is in no variable.
    """
    first = culprit_by_values.of_values(values)
    statement = None if first is None else statement_at(first.file, first.line)
    if first is None or statement is None or not digests_text_of_object(statement):
        return None
    return replace(first, holds_address=True)


def text_of_object(values: ValueDifferences) -> Culprit | None:
    """The first line that differs, where it makes the text of an object: `f"{loss!r}"`.

    Args:
        values: Where variables diverge when nothing varies but where objects lie.
    """
    first = culprit_by_values.of_values(values)
    statement = None if first is None else statement_at(first.file, first.line)
    if first is None or statement is None or not makes_text_of_object(statement):
        return None
    return replace(first, variable="", holds_address=True)


def _is_in(line: ValueDifference, file: str, function: str | None) -> bool:
    """Whether a line stands in a function, or in a comprehension inside it."""
    return line.file == file and (function or "<module>") in line.function.split(".")


def hashed_address(values: ValueDifferences | None, evidence: Evidence) -> Culprit | None:
    """The line that asks for a hash which is made of an address, where a seed may be made of it.

    Args:
        values: Where variables diverge when nothing varies but where objects lie and the order of
            sets: nothing differs before the line. None where that was not tried.
        evidence: What the two runs have noted up to where they diverge.
    """
    asked = {one.place: one for one in evidence.of("address") if one.differs and one.place}
    if values is not None:
        first = culprit_by_values.of_values(values)
        entry = None if first is None else asked.get((first.file or "", first.line or 0))
    else:
        seeds = any(entry.differs and entry.origin is None for entry in evidence.other_seeds)
        used = [one for place, one in asked.items() if place and not is_only_printed(*place)]
        entry = used[0] if seeds and len(used) == 1 else None
    return None if entry is None else of_entry(entry)


def seeded_by_a_hash(evidence: Evidence) -> Cause | None:
    """The line that seeds generators with a hash of an address: both runs' notes tell it.

    Args:
        evidence: What the two runs have noted up to where they diverge.

    Returns:
        None where a seed that differs is not made of what that line stores, where the same function
        reads something else that may differ, and where something was drawn without a seed.
    """
    place = hashed_address(None, evidence)
    if place is None or place.file is None or place.line is None or evidence.unseeded:
        return None
    here = (place.file, place.line)
    seeds = [entry.place for entry in evidence.other_seeds if entry.origin is None]
    if len(seeds) < len(evidence.other_seeds) or not all(map(partial(_is_made_of, here), seeds)):
        return None
    function = enclosing_function(*here)
    for entry in evidence.of(*_MAY_BE_HASHED_TOO):
        at = entry.place
        if at is not None and at[0] == here[0] and enclosing_function(*at) == function:
            return None
    return cause_by_address(None, evidence)


def _is_made_of(hashed: tuple[str, int], seeded: tuple[str, int] | None) -> bool:
    """Whether a line uses what another one stores, or is the same one."""
    if seeded is None or seeded == hashed:
        return seeded == hashed
    stored, using = statement_at(*hashed), statement_at(*seeded)
    if stored is None or using is None or hashed[0] != seeded[0]:
        return False
    if enclosing_function(*hashed) != enclosing_function(*seeded):
        return False
    targets = stored.node.targets if isinstance(stored.node, ast.Assign) else []
    names = {ast.unparse(target) for target in targets}
    return any(ast.unparse(one) in names for one in using.expressions())


def cause_by_address(
    values: ValueDifferences | None, evidence: Evidence, *, alone: bool = False
) -> Cause | None:
    """What such a text or hash tells by itself, where no counterfactual run has settled it.

    Where objects lie depends on more than can be pinned.

    Args:
        values: Where variables diverge when nothing varies but where objects lie and the order of
            sets; None where that was not tried.
        evidence: What the two runs have noted up to where they diverge.
        alone: Whether the order of sets was still, too, when the values were followed.
    """
    place, told = hashed_address(values, evidence), _IS_HASHED
    if place is None and values is not None:
        place, told = address_in_text(values, evidence), _HOLDS_ADDRESS
        if place is None and any(entry.differs for entry in evidence.other_seeds):
            place = digested_text(values)
            told = _IS_DIGESTED_WITH_ADDRESS if alone else _IS_DIGESTED
            if place is None and alone:
                place, told = text_of_object(values), _IS_MADE_OF_OBJECT
    if place is None:
        return None
    return Cause(
        code="address-order",
        detail=printable(place.variable, 80),
        file=place.file,
        line=place.line,
        evidence=told,
        fix=fix("address-order", place, frozenset()),
        confidence="likely",
    )
