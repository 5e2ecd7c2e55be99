"""Data that were not the same when they reached torch: what one run leaves for the next."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from samebits.check.causes.cause import KnownCause
from samebits.check.causes.culprit import Culprit
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.hypothesis import Hypothesis, Standing
from samebits.check.causes.pin import Pin
from samebits.core.names import printable
from samebits.core.source.statement import Statement, words_of

if TYPE_CHECKING:
    from samebits.check.diff.ledger_pairs import LedgerPair
    from samebits.check.trace.rows import LedgerRow


_TO_STAY = (
    "What is to stay, such as a cache, has to hold the same whichever run comes first: change "
    "copies of what is read from it or written to it (copy.deepcopy; mode 'r' or 'c' of a memory "
    "map), not the originals."
)


class FilesPin(Pin):
    """What a run writes into files that were there before, or makes anew, is for this run alone."""

    name: ClassVar[str] = "files"
    what: ClassVar[str] = "files put back before each run"
    hook: ClassVar[str | None] = "files"
    by_site: ClassVar[bool] = True


class DataChanged(KnownCause):
    """A file held something else."""

    code: ClassVar[str] = "data-changed"
    meaning: ClassVar[str] = "The data were not the same when they reached torch."
    look: ClassVar[str] = (
        "Look at the files, the order in which they are read, and what augments them."
    )
    pins: ClassVar[tuple[Pin, ...]] = (FilesPin(),)

    def hypotheses(self, evidence: Evidence) -> Iterator[Hypothesis]:
        """Files that differ; what a run reads that it has changed is not digested."""
        entries = _of_other_content(evidence.of("file"))
        here = (evidence.found.file, evidence.found.line)
        if any(entry.place == here for entry in entries):
            standing = Standing.SHOWN  # the line that diverges has read something else
        elif entries:
            standing = Standing.NOTED
        elif not evidence.rewritten:
            return
        elif evidence.found_again is False:
            standing = Standing.FAINT  # a library may still have read them by itself, in C
        elif evidence.found_again and (evidence.found.data or evidence.other_seeds):
            standing = Standing.NOTED
        else:
            standing = Standing.POSSIBLE
        left = [entry for entry in entries if entry.row.detail in evidence.left] or entries
        # What each run changes and reads is in no entry: a file that only run 1 wrote, and that
        # stays as it is, stands beside it.
        again = set(evidence.left).intersection(evidence.rewritten)
        entries = [entry for entry in left if entry.row.detail in again] if again else left
        yield Hypothesis(pin="files", code=self.code, standing=standing, entries=entries)

    def advice(self, culprit: Culprit, pinned: Collection[str], statement: Statement | None) -> str:
        """Which file to remove, where one run leaves it for the next."""
        if "files" not in pinned:
            return self.look
        files = _left(culprit)
        names = " and ".join(printable(file, 200) for file in files[:_MOST_FILES]) or "the file"
        if len(files) > _MOST_FILES:
            names += f" and {len(files) - _MOST_FILES} more files"
        it = "them" if len(files) > 1 else "it"
        databases = bool(files) and all(_DATABASE.search(file) for file in files)
        if databases and _COUNTS_ON.search(words_of(culprit.file)):
            return (
                f"Run 1 wrote {names}, and run 2 found {it} there. With AUTOINCREMENT, SQLite goes "
                "on counting where the last run has stopped, also after DELETE: leave the word "
                "out of the table that is filled anew (a table that is there keeps it until it is "
                f"dropped), or go by what a row holds, and not by its id. Else remove {it} before "
                "each run."
            )
        return (
            f"Run 1 wrote {names}, and run 2 found {it} there: remove {it} before each run, or "
            f"write to a folder of the run's own. {_TO_STAY}"
        )


def _of_other_content(entries: Sequence[LedgerPair]) -> list[LedgerPair]:
    """Entries of files that differ, and not only in the order in which they were read."""

    def content(row: LedgerRow) -> tuple[str, int]:
        return row.detail, row.digest

    of_first = {content(entry.row) for entry in entries if not entry.only_second}
    of_second = {content(entry.row) for entry in entries if entry.only_second}
    of_second |= {content(entry.other) for entry in entries if entry.other is not None}
    of_one = of_first ^ of_second
    return [
        entry
        for entry in entries
        if entry.differs
        and any(row is not None and content(row) in of_one for row in (entry.row, entry.other))
    ]


_DATABASE = re.compile(r"\.(?:db3?|sqlite3?|sdb)(?:-\w+)?$", re.IGNORECASE)
_COUNTS_ON = re.compile(r"\bAUTOINCREMENT\b", re.IGNORECASE)
_MOST_FILES = 3
"""So many are told by name."""


def _left(culprit: Culprit) -> tuple[str, ...]:
    """What a run has left for the next one, as far as it is known."""
    if culprit.left:
        return culprit.left
    if culprit.entry is not None and culprit.entry.row.source == "file":
        return (culprit.entry.row.detail,)
    return culprit.rewritten if len(culprit.rewritten) == 1 else ()
