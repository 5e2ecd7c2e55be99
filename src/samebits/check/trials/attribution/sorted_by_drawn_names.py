"""Files that are named by chance and read in the order of their names: another one in each run."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from samebits.check.causes.entropy import has_drawn_names
from samebits.check.causes.evidence import Evidence
from samebits.check.diff.changed_files import changed_paths
from samebits.check.diff.correspondence import base_name
from samebits.check.diff.ledger_pairs import LedgerPair
from samebits.check.diff.names_of_processes import NamesOfProcesses
from samebits.check.diff.verdict import Cause
from samebits.check.trace.reader import Trace
from samebits.check.trials.attribution.culprit import of_entry
from samebits.check.trials.attribution.wording import shown_place
from samebits.core.catalog.own_names import without_own_names
from samebits.core.names import printable
from samebits.core.source.statement import (
    Statement,
    called,
    enclosing_function,
    statement_at,
    statements_in,
)

_READING = frozenset(
    {"fromfile", "imread", "load", "loads", "open", "read_bytes", "read_csv", "read_parquet"}
    | {"read_text", "loadtxt", "read_image", "load_file"}
)
_LISTING = frozenset({"glob", "iglob", "iterdir", "listdir", "rglob", "scandir"})
_COMPREHENSIONS = (ast.ListComp, ast.GeneratorExp, ast.DictComp)
_DRAWING = ("uuid", "secrets")
_UUID = re.compile(r"(?<![0-9a-f])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f])")
_FIX = (
    "Begin each name with the number of what is in the file, so that sorted names keep that order: "
    'f"part-{number:05d}-{name}". Or read the files in the order of a list that says which they '
    "are."
)


def order_of_drawn_names(evidence: Evidence, runs: tuple[Trace, Trace]) -> Cause | None:
    """The line that names files by chance, where another one reads them sorted by their names.

    Args:
        evidence: What both runs have noted up to where they diverge.
        runs: The two runs.

    Returns:
        None where no data differ, where something was drawn without a seed or seeded otherwise,
        where the files that a run writes have no such names, or where none is read in that order.
    """
    if not evidence.found.data or evidence.found.process or not has_drawn_names(evidence):
        return None
    if evidence.unseeded or evidence.other_seeds:
        return None
    drawn = next((e for e in evidence.of(*_DRAWING) if e.place and not e.internal), None)
    listed = next(filter(_is_read_in_order, evidence.of("listing")), None)
    if drawn is None or listed is None or listed.place is None:
        return None
    first, second = (_drawn_names(run, _changed(run)) for run in runs)
    # The second run may have removed what the first had left, not written it again.
    if not first or not second - first or first & second & _drawn_names(runs[1], _left(runs[1])):
        return None
    place = of_entry(drawn)
    what = printable(drawn.row.detail, 80)
    return Cause(
        code="entropy",
        detail=drawn.row.source,
        file=place.file,
        line=place.line,
        evidence=f"{what} gives a name here, another one in each run, and "
        f"{shown_place(*listed.place)} {_verb(listed.place)} files in the order of their names. "
        "Files that the runs wrote have such names.",
        fix=_FIX,
        confidence="likely",
    )


def _verb(place: tuple[str, int]) -> str:
    statement = statement_at(*place)
    return "reads" if statement is not None and _reads_what_it_walks(statement) else "lists"


def _changed(run: Trace) -> set[str]:
    return changed_paths(run) | {str(file["path"]) for file in run.manifest.process_files}


def _left(run: Trace) -> set[str]:
    """Paths of files that a run has written, and that were there at its end."""
    return {str(file["path"]) for file in (*run.manifest.files, *run.manifest.process_files)}


def _drawn_names(run: Trace, paths: set[str]) -> set[str]:
    """Names of files that hold what the run has drawn, or a uuid that a process may have."""
    own = NamesOfProcesses(run).of()
    names = set(map(base_name, paths))
    return {name for name in names if without_own_names(name, own) != name or _UUID.search(name)}


def _is_read_in_order(entry: LedgerPair) -> bool:
    """Whether a line sorts a listing that differs, and it or its file reads what is listed."""
    if not entry.differs or entry.place is None:
        return False
    statement = statement_at(*entry.place)
    if statement is None:
        return False
    if _reads_what_it_walks(statement):
        return True
    sorts = any(map(_sorts_a_listing, statement.expressions()))
    return sorts and _reads_what_is_given(statement, *entry.place)


def _reads_what_is_given(statement: Statement, file: str, line: int) -> bool:
    """Whether the file reads what a line returns or stores, wherever it walks that."""
    names = {enclosing_function(file, line)} if isinstance(statement.node, ast.Return) else set()
    names |= _stored(statement.node)
    for one in statements_in(file):  # in their order: a name that is stored is used later on
        if not names.isdisjoint(_named(one.expressions())):
            names |= _stored(one.node)
    for one in statements_in(file):
        for walked, body in _loops(one):
            if not names.isdisjoint(_named(ast.walk(walked))) and _reads(body):
                return True
    return False


def _stored(node: ast.stmt) -> set[str | None]:
    targets = node.targets if isinstance(node, ast.Assign) else []
    return {target.id for target in targets if isinstance(target, ast.Name)}


def _named(nodes: Iterable[ast.AST]) -> set[str | None]:
    """Names, and methods that are called."""
    found: set[str | None] = set()
    for node in nodes:
        found |= {called(node)} if isinstance(node, ast.Call) else set()
        found |= {node.id} if isinstance(node, ast.Name) else set()
    return found


def _reads(body: Iterable[ast.AST]) -> bool:
    return any(called(part) in _READING for one in body for part in ast.walk(one))


def _reads_what_it_walks(statement: Statement) -> bool:
    """Whether a loop over sorted names reads each."""
    return any(called(walked) == "sorted" and _reads(body) for walked, body in _loops(statement))


def _loops(statement: Statement) -> list[tuple[ast.expr, list[ast.AST]]]:
    """What the statement's loops and comprehensions walk, and what they do with each."""
    loops: list[tuple[ast.expr, list[ast.AST]]] = [
        (one.generators[0].iter, [one])
        for one in statement.expressions()
        if isinstance(one, _COMPREHENSIONS)
    ]
    if isinstance(statement.node, ast.For):
        loops.append((statement.node.iter, [*statement.node.body]))
    return loops


def _sorts_a_listing(node: ast.AST) -> bool:
    """Whether names are sorted as they are."""
    if not isinstance(node, ast.Call) or called(node) != "sorted" or node.keywords:
        return False
    return any(called(part) in _LISTING for given in node.args for part in ast.walk(given))
