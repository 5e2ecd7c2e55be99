"""Files that are named by chance and read in the order of their names: another one in each run."""

from __future__ import annotations

import ast
import re

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
from samebits.core.source.statement import Statement, called, statement_at, statements_in

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
    return _reads_what_it_walks(statement) or (
        any(map(_sorts_a_listing, statement.expressions())) and _reads_files(entry.place[0])
    )


def _reads_files(file: str) -> bool:
    nodes = (node for statement in statements_in(file) for node in statement.expressions())
    return any(called(node) in _READING for node in nodes)


def _reads_what_it_walks(statement: Statement) -> bool:
    """Whether a loop over sorted names reads each."""
    node, walks = statement.node, [*statement.expressions()]
    loops: list[tuple[ast.expr, list[ast.AST]]] = [
        (one.generators[0].iter, [one]) for one in walks if isinstance(one, _COMPREHENSIONS)
    ]
    if isinstance(node, ast.For):
        loops.append((node.iter, [*node.body]))
    return any(
        called(walked) == "sorted"
        and any(called(part) in _READING for one in body for part in ast.walk(one))
        for walked, body in loops
    )


def _sorts_a_listing(node: ast.AST) -> bool:
    """Whether names are sorted as they are."""
    if not isinstance(node, ast.Call) or called(node) != "sorted" or node.keywords:
        return False
    return any(called(part) in _LISTING for given in node.args for part in ast.walk(given))
