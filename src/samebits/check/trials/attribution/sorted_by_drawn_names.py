"""Files that are named by chance and read in the order of their names: another one in each run."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from samebits.check.causes.entropy import has_drawn_names
from samebits.check.causes.evidence import Evidence
from samebits.check.diff.changed_files import changed_paths
from samebits.check.diff.correspondence import base_name
from samebits.check.diff.ledger_pairs import LedgerPair, makes_temporary_name
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
_TEMPFILE = "tempfile"
_NAMING_FILES = frozenset(
    f"{_TEMPFILE}.{one}" for one in ("NamedTemporaryFile", "mkstemp", "mktemp")
)
_TEMPORARY = re.compile(r"[a-z0-9_]{8}")
"""What tempfile puts into a name."""
_UUID = re.compile(r"(?<![0-9a-f])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f])")
_FIX = (
    "Put the number of what is in the file before the part of its name that is drawn, so that "
    'sorted names keep that order: f"part-{number:05d}-{name}", or whatever the pattern looks for '
    "by which the files are read. Or read them in the order of a list that says which they are."
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
    listed = next(filter(_is_read_in_order, evidence.of("listing")), None)
    if listed is None or listed.place is None:
        return None
    drawn = _names_files(evidence, runs)
    if drawn is None:
        return None
    place = of_entry(drawn)
    what = printable(drawn.row.detail, 80)
    return Cause(
        code="entropy",
        detail=_TEMPFILE if makes_temporary_name(drawn) else drawn.row.source,
        file=place.file,
        line=place.line,
        evidence=f"{what} gives a name here, another one in each run, and "
        f"{shown_place(*listed.place)} {_verb(listed.place)} files in the order of their names. "
        "Files that the runs wrote have such names.",
        fix=_FIX,
        confidence="likely",
    )


def _names_files(evidence: Evidence, runs: tuple[Trace, Trace]) -> LedgerPair | None:
    """The line that names files by chance, where both runs have written such files."""
    drawn = next((e for e in evidence.of(*_DRAWING) if e.place and not e.internal), None)
    if drawn is not None and _have_drawn_names(runs):
        return drawn
    made = next((e for e in evidence.of("python") if _names_a_file(e)), None)
    return made if made is not None and _have_temporary_names(runs) else None


def _have_drawn_names(runs: tuple[Trace, Trace]) -> bool:
    """Whether files that each run writes hold in their names what that run has drawn."""
    first, second = (_drawn_names(run, _changed(run)) for run in runs)
    # The second run may have removed what the first had left, not written it again.
    again = first & second & _drawn_names(runs[1], _left(runs[1]))
    return bool(first and second - first) and not again


def _have_temporary_names(runs: tuple[Trace, Trace]) -> bool:
    """Whether each run writes several files that the other one does not, named as by tempfile."""
    first, second = (set(map(base_name, _changed(run))) for run in runs)
    only = (first - second, second - first)
    return all(sum(map(bool, map(_TEMPORARY.search, names))) > 1 for names in only)


def _names_a_file(entry: LedgerPair) -> bool:
    return makes_temporary_name(entry) and entry.row.detail in _NAMING_FILES


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
        if any(_reads_by_number(node, names) for node in one.expressions()):
            return True
    return False


def _reads_by_number(node: ast.AST, names: set[str | None]) -> bool:
    """Whether a call reads the file at some place of a list, as a data set does."""
    if not isinstance(node, ast.Call) or called(node) not in _READING:
        return False
    given = (part for one in _given(node) for part in ast.walk(one))
    items = (part.value for part in given if isinstance(part, ast.Subscript))
    return not names.isdisjoint(_named(items))


def _given(node: ast.Call) -> list[ast.expr]:
    """What a call is given, and what its method is one of: `paths[n].read_text()`."""
    return [*node.args, *([node.func.value] if isinstance(node.func, ast.Attribute) else ())]


def _stored(node: ast.stmt) -> set[str | None]:
    targets = node.targets if isinstance(node, ast.Assign) else []
    return {ast.unparse(one) for one in targets if isinstance(one, ast.Name | ast.Attribute)}


def _named(nodes: Iterable[ast.AST]) -> set[str | None]:
    """Names, and methods that are called."""
    found: set[str | None] = set()
    for node in nodes:
        found |= {called(node)} if isinstance(node, ast.Call) else set()
        found |= {ast.unparse(node)} if isinstance(node, ast.Name | ast.Attribute) else set()
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
