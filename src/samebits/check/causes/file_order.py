"""The order in which files are listed."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import ClassVar

from samebits.check.causes.cause import KnownCause
from samebits.check.causes.culprit import Culprit
from samebits.check.causes.entropy import has_drawn_names
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.hypothesis import Hypothesis, Standing
from samebits.check.causes.pin import Pin
from samebits.check.causes.variation import Variation
from samebits.core.setting import Setting
from samebits.core.source.expressions import place
from samebits.core.source.statement import Statement, called

_LISTS = frozenset({"listdir", "scandir", "glob", "iglob", "iterdir", "rglob"})
_ITERATORS = frozenset({"scandir", "iglob", "iterdir", "rglob", "glob"})
_DELETING = ("shutil.rmtree", "tempfile.TemporaryDirectory")


_NUMBERED = (
    "The names that are listed here are drawn anew in each run: sorted, they come in another order "
    'each time. Name each file or folder by the number of what is in it (f"part-{number:05d}"), '
    "and sort the listing by that."
)


class ListingPin(Pin):
    """Directories are listed in the order of their entries' names."""

    name: ClassVar[str] = "listing"
    what: ClassVar[str] = "directory listings sorted"
    beside_a_variation: ClassVar[bool] = True
    hook: ClassVar[str | None] = "listing"
    by_site: ClassVar[bool] = True


class ListingVariation(Variation):
    """Directories are listed in an order that no file system promises against."""

    name: ClassVar[str] = "listing"
    what: ClassVar[str] = "directories listed in another order"
    meaning: ClassVar[str] = "the order in which files are listed reached a result"
    fix: ClassVar[str] = "Write sorted(...) around os.listdir, os.scandir, glob and iterdir."
    hook: ClassVar[str | None] = "listing"
    settings: ClassVar[dict[str, Setting]] = {"order": "permuted"}


class FileOrder(KnownCause):
    """A listing came in another order."""

    code: ClassVar[str] = "file-order"
    meaning: ClassVar[str] = "Files were listed in a different order; file systems promise none."
    look: ClassVar[str] = "Write sorted(...) around os.listdir, glob and iterdir."
    pins: ClassVar[tuple[Pin, ...]] = (ListingPin(),)
    variations: ClassVar[tuple[Variation, ...]] = (ListingVariation(),)

    def hypotheses(self, evidence: Evidence) -> Iterator[Hypothesis]:
        """Listings that differ; what is listed to be deleted has been read by then, if ever."""
        entries = [
            entry
            for entry in evidence.of("listing")
            if entry.differs and not entry.row.detail.startswith(_DELETING)
        ]
        reordered = [entry for entry in entries if entry.reordered]
        if evidence.is_elsewhere:
            yield Hypothesis(pin="listing", code=self.code, standing=Standing.FAINT)
        elif entries:
            # Under names that are drawn, an order is the same only where the names are. A folder
            # that one of the runs alone has listed came in no other order.
            by_both = any(entry.other is not None for entry in entries)
            drawn = by_both and not reordered and has_drawn_names(evidence)
            least = Standing.POSSIBLE if drawn else Standing.FAINT
            yield Hypothesis(
                pin="listing",
                code=self.code,
                standing=Standing.NOTED if reordered else least,
                entries=reordered or entries,
                beside=frozenset({"entropy"}) if drawn else frozenset(),
            )

    def is_one_line(self, pinned: Collection[str]) -> bool:
        """Not where the names are drawn anew: sorted, they come in another order each time."""
        return "entropy" not in pinned

    def advice(self, culprit: Culprit, pinned: Collection[str], statement: Statement | None) -> str:
        """The same as for any listing, or how to name what is listed."""
        return self.look if self.is_one_line(pinned) else _NUMBERED

    def written(self, statement: Statement, culprit: Culprit) -> str | None:
        """The listing with sorted(...) around it."""
        node = statement.node
        if isinstance(node, ast.For) and called(node.iter) == "walk":
            return _sorted_walk(statement, node)
        # A list cannot be entered: there a sentence has to do.
        entered = {id(item.context_expr) for item in getattr(node, "items", ())}
        stepped, named = statement.parsed.stepped_through
        if isinstance(node, ast.Assign) and called(node.value) in _ITERATORS:
            stepped |= {node.value for target in node.targets if place(target) in named}

        def ordered(node: ast.expr) -> str | None:
            if called(node) not in _LISTS or id(node) in entered:
                return None
            key = ", key=lambda entry: entry.name" if called(node) == "scandir" else ""
            text = f"sorted({statement.text_of(node)}{key})"
            return f"iter({text})" if node in stepped else text

        return statement.rewritten(ordered)


def _sorted_walk(statement: Statement, node: ast.For) -> str | None:
    """The head of a loop over os.walk, which goes by the order that its lists are put in."""
    target = node.target
    if not isinstance(target, ast.Tuple) or len(target.elts) != 3:
        return None
    if not all(isinstance(part, ast.Name) for part in target.elts):
        return None
    head = statement.replaced([])
    _, folders, files = (statement.text_of(part) for part in target.elts)
    return f"{head}\n    {folders}.sort()\n    {files}.sort()"
