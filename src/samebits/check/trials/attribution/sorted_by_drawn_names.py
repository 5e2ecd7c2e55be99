"""Files that are named by chance and read in the order of their names: another one in each run."""

from __future__ import annotations

import re
from collections.abc import Set

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
from samebits.core.source.listed_files import reads_what_it_sorts, reads_what_it_walks
from samebits.core.source.statement import statement_at

_DRAWING = ("uuid", "secrets")
_TEMPFILE = "tempfile"
_NAMING_FILES = frozenset(
    f"{_TEMPFILE}.{one}" for one in ("NamedTemporaryFile", "mkstemp", "mktemp")
)
_TEMPORARY = re.compile(r"[a-z0-9_]{8}")
"""What tempfile puts into a name."""
_UUID = re.compile(
    r"(?<![0-9a-f])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f])"
    r"|(?<![0-9a-zA-Z])[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}(?![0-9a-zA-Z])"
)
"""Of `uuid4`, also without hyphens: it may have been drawn in another process."""
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
    # Tensors of other shapes count as other operations.
    reads = evidence.found.data or evidence.found.kind == "inserted"
    if not reads or evidence.found.process or not has_drawn_names(evidence):
        return None
    if evidence.unseeded or evidence.other_seeds:
        return None
    files = {entry.place[0] for entry in evidence.entries if entry.place and not entry.internal}
    listings = evidence.of("listing")
    listed = next((one for one in listings if _is_read_in_order(one, files)), None)
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
    return "reads" if statement is not None and reads_what_it_walks(statement) else "lists"


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


def _is_read_in_order(entry: LedgerPair, files: Set[str]) -> bool:
    """Whether a listing differs and is sorted, and what it lists is read in that order.

    Args:
        entry: The listing.
        files: The script's own files, as far as something was noted at their lines.
    """
    if not entry.differs or entry.place is None:
        return False
    statement = statement_at(*entry.place)
    if statement is None:
        return False
    return reads_what_it_walks(statement) or reads_what_it_sorts(*entry.place, files)
