"""Data that were not the same when they reached torch: what one run leaves for the next."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import ClassVar

from samebits.check.causes.cause import KnownCause
from samebits.check.causes.culprit import Culprit
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.hypothesis import Hypothesis, Standing
from samebits.check.causes.pin import Pin
from samebits.core.names import printable
from samebits.core.source.statement import Statement


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
        entries = [entry for entry in evidence.of("file") if entry.differs]
        if entries:
            standing = Standing.NOTED
        elif not evidence.rewritten:
            return
        elif not evidence.found_again:
            standing = Standing.FAINT  # a library may still have read them by itself, in C
        elif evidence.found.data or evidence.other_seeds:
            standing = Standing.NOTED
        else:
            standing = Standing.POSSIBLE
        yield Hypothesis(pin="files", code=self.code, standing=standing, entries=entries)

    def advice(self, culprit: Culprit, pinned: Collection[str], statement: Statement | None) -> str:
        """Which file to remove, where one run leaves it for the next."""
        if "files" not in pinned:
            return self.look
        return (
            f"Run 1 wrote {_file(culprit)}, run 2 read it: remove it before each run, or write to "
            "a folder of the run's own."
        )


def _file(culprit: Culprit) -> str:
    entry = culprit.entry
    if entry is not None and entry.row.source == "file":
        return printable(entry.row.detail, 200)
    return printable(culprit.rewritten[0], 200) if len(culprit.rewritten) == 1 else "the file"
