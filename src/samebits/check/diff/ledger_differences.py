"""Two ledgers side by side: where one run drew, listed or read what the other did not."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

from samebits.check.diff.correspondence import Correspondence, RunFiles
from samebits.check.diff.ledger_reach import ledger_reach
from samebits.check.diff.verdict import Divergence
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import LedgerRow
from samebits.core import _native
from samebits.core.counted import how_often

_VALUES_COUNT = frozenset(
    ("listing", "environment", "file", "worker", "hash", "address", "network", "process", "thread")
)
"""Sources whose digests differ for a reason; clocks and entropy never repeat."""
_OWN_CLOCKS = ("time.", "datetime.", "os.getp")

_BY_PACE = frozenset(
    {"hand-over", "readiness", "shared-file", "shared-generator", "shared-value", "timer"}
)
"""How often a loop sets a timer, and what a process reads of others, says nothing by itself."""

_Key = tuple[str, str, str, str, int | str, int, int]


@dataclass(frozen=True, kw_only=True)
class LedgerDifference:
    """One thing that two runs did not draw, list or read alike.

    Attributes:
        source: Where it came from, such as "torch-cpu".
        event: What was done, such as "draw".
        detail: The function, file, variable or address.
        file: The user's source file; None where no user line led there.
        line: Its line.
        process: 0 for the script's own process, its children from 1.
        worker: Number of the DataLoader's worker; -1 for any other process.
        calls: How often, in each run.
        amount: Numbers or bytes drawn, entries listed, in each run.
        what: One sentence.
    """

    source: str
    event: str
    detail: str
    file: str | None
    line: int | None
    process: int
    worker: int
    calls: tuple[int, int]
    amount: tuple[int, int]
    what: str


def ledger_differences(
    a: Trace,
    b: Trace,
    until: Divergence | None = None,
    files: Correspondence | None = None,
) -> tuple[LedgerDifference, ...]:
    """Where the ledgers of two runs diverge, in the order in which it happened first.

    What libraries do while they are imported is left out, and so are the values of clocks and of
    entropy, which never repeat; what a script does differently after its runs have diverged is a
    consequence, and is left out, too, and so is what the other run does later. Where they diverge
    because one run does something more, such as an evaluation, what only that run draws in this
    step belongs to it. What a run has not done because it was stopped or killed is no difference.

    Args:
        a: One run.
        b: The other one.
        until: Where they diverge; None looks at the whole runs.
        files: Which files of A are which of B; None where they have the same names.

    Raises:
        TraceError: A ledger is damaged.
    """
    ledgers = a.ledger(), b.ledger()
    files = files or Correspondence()
    keys = tuple(_Keys(run, lines=not files.edited) for run in (files.a, files.b))
    mine, theirs = (_counted(rows, until, side) for side, rows in enumerate(ledgers))
    if until is not None and until.kind == "inserted":
        mine += _only_there(ledgers, keys, 0, mine, until.step)
        theirs += _only_there(ledgers, keys, 1, theirs, until.step)
    whole = _by_key(ledgers[0], keys[0]), _by_key(ledgers[1], keys[1])
    pairs = [
        pair for pair in _paired((mine, theirs), keys) if not _only_later(pair, whole, keys, until)
    ]
    reach = ledger_reach(a, b)
    found = (pair for pair in pairs if entries_differ(*pair) and not reach.explains(pair))
    return tuple(_difference(*pair) for pair in found)


def differences_as_data(found: Iterable[LedgerDifference]) -> tuple[dict[str, object], ...]:
    """The differences as the verdict file holds them."""
    return tuple(asdict(difference) for difference in found)


def _counted(rows: Sequence[LedgerRow], until: Divergence | None, side: int) -> list[LedgerRow]:
    kept = [
        row for row in rows if not row.detail.startswith("import ") and row.source not in _BY_PACE
    ]
    if until is None or until.kind in ("saved", "printed", "exit"):
        return kept
    if until.kind == "step":
        return [row for row in kept if row.first_step <= until.step]
    last = until.rows[side]
    if last is None:
        last = until.rows[1 - side]
    return [row for row in kept if last is None or row.first_row <= last]


@dataclass(frozen=True)
class _Keys:
    """What makes an entry of one run the counterpart of one of the other's."""

    files: RunFiles
    lines: bool

    def of(self, row: LedgerRow) -> _Key:
        name, place = "", 0 if self.lines else ""
        if row.site is not None:
            name = self.files.name(row.site.file)
            place = row.site.line if self.lines else row.site.function
        return row.source, row.event, row.detail, name, place, row.worker, min(row.process, 1)


def _only_there(
    ledgers: Sequence[Sequence[LedgerRow]],
    keys: Sequence[_Keys],
    side: int,
    counted: list[LedgerRow],
    step: int,
) -> list[LedgerRow]:
    """Rows of later in the step at which the other run never did anything."""
    known = {keys[1 - side].of(row) for row in ledgers[1 - side]}
    known |= {keys[side].of(row) for row in counted}
    return [
        row
        for row in ledgers[side]
        if row.first_step <= step
        and not row.detail.startswith("import ")
        and keys[side].of(row) not in known
    ]


def _only_later(
    pair: tuple[LedgerRow | None, LedgerRow | None],
    whole: Sequence[Mapping[_Key, list[LedgerRow]]],
    keys: Sequence[_Keys],
    until: Divergence | None,
) -> bool:
    """Whether what one run alone did so far is what the other does once they have diverged."""
    side = 0 if pair[0] is not None else 1
    row = pair[side]
    if until is None or row is None or pair[1 - side] is not None:
        return False
    later = _summed(whole[1 - side].get(keys[side].of(row), ()))
    if later is None:
        return False
    if not entries_differ(row, later):
        return True
    # A run that lacks the operation does here what the other one does after it.
    return until.rows[side] is None and row.first_row == until.rows[1 - side]


def _paired(
    rows: Sequence[Sequence[LedgerRow]], keys: Sequence[_Keys]
) -> list[tuple[LedgerRow | None, LedgerRow | None]]:
    """Rows of the same thing beside each other, each key's in their own order."""
    left, right = (_by_key(*one) for one in zip(rows, keys, strict=True))
    pairs: list[tuple[LedgerRow | None, LedgerRow | None]] = []
    for key in {**left, **right}:
        pairs.append((_summed(left.get(key, ())), _summed(right.get(key, ()))))

    def when(pair: tuple[LedgerRow | None, LedgerRow | None]) -> tuple[int, int]:
        return min((row.first_row, row.first_step) for row in pair if row is not None)

    return sorted(pairs, key=when)


def _by_key(rows: Iterable[LedgerRow], keys: _Keys) -> dict[_Key, list[LedgerRow]]:
    found: dict[_Key, list[LedgerRow]] = {}
    for row in rows:
        found.setdefault(keys.of(row), []).append(row)
    return found


def _summed(rows: Sequence[LedgerRow]) -> LedgerRow | None:
    """One row for what was done while a generator was seeded and while it was not."""
    if not rows:
        return None
    first = rows[0]
    if len(rows) == 1:
        return first
    digests = [row.digest for row in rows]
    return LedgerRow(
        **{
            **{name: getattr(first, name) for name in LedgerRow.__dataclass_fields__},
            "calls": sum(row.calls for row in rows),
            "amount": sum(row.amount for row in rows),
            "seeded": min(row.seeded for row in rows),
            "digest": functools.reduce(_native.combine, digests, 0),
        }
    )


def entries_differ(a: LedgerRow | None, b: LedgerRow | None) -> bool:
    """Whether two entries of one thing differ; None where a run has none."""
    row = a or b
    assert row is not None
    if row.source in ("clock", "pid") and not row.detail.startswith(_OWN_CLOCKS):
        return False  # a library that measures how long something takes
    if a is None or b is None:
        return True
    if a.event in ("seed", "construct"):
        return a.digest != b.digest or a.calls != b.calls or a.seeded != b.seeded
    if a.source in _VALUES_COUNT and a.digest != b.digest:
        return True
    if a.source == "python" and a.seeded == b.seeded == 0:
        return False  # how many words of a generator a choice takes depends on the words
    return (a.calls, a.amount) != (b.calls, b.amount)


def _difference(a: LedgerRow | None, b: LedgerRow | None) -> LedgerDifference:
    row = a or b
    assert row is not None
    return LedgerDifference(
        source=row.source,
        event=row.event,
        detail=row.detail,
        file=row.site.file if row.site is not None else None,
        line=row.site.line if row.site is not None else None,
        process=row.process,
        worker=row.worker,
        calls=(a.calls if a is not None else 0, b.calls if b is not None else 0),
        amount=(a.amount if a is not None else 0, b.amount if b is not None else 0),
        what=_sentence(a, b, row),
    )


def _sentence(a: LedgerRow | None, b: LedgerRow | None, row: LedgerRow) -> str:
    where = f" in process {row.process}" if row.process else ""
    where = where if row.worker < 0 else f" in worker {row.worker}"
    more, run = _more(a, b)
    if row.event == "draw":
        unit = "bytes" if row.source in ("urandom", "uuid", "secrets") else "numbers"
        extra = " more" if a is not None and b is not None else ""
        return f"run {run} drew {more}{extra} {unit} from {row.source}{where}"
    if a is None or b is None:
        return f"only run {run} {_done(row)}{where}"
    if row.event == "list":
        same = a.order_free == b.order_free and a.amount == b.amount
        return "the entries came in a different order" if same else "the entries differ"
    if row.event in ("seed", "construct") and a.calls == b.calls:
        same = 0 != a.order_free == b.order_free
        other = "the same values in a different order" if same else "different values"
        return f"{row.source} was seeded with {'another value' if a.calls == 1 else other}{where}"
    if row.source == "environment":
        return f"the variable {row.detail} has a different value"
    if row.source == "file":
        return f"the file {row.detail} has different content"
    if row.source == "worker":
        return f"worker {row.worker} got different seeds"
    if row.source in ("address", "hash") and a.calls == b.calls:
        return "hash() gave different values"
    return f"run {run} {_done(row)} {how_often(abs(a.calls - b.calls))} more{where}"


def _more(a: LedgerRow | None, b: LedgerRow | None) -> tuple[int, str]:
    """By how much one run exceeds the other, and which."""
    counts = [row.amount or row.calls if row is not None else 0 for row in (a, b)]
    if counts[0] == counts[1] and a is not None and b is not None:
        counts = [a.calls, b.calls]
    return abs(counts[0] - counts[1]), "A" if counts[0] > counts[1] else "B"


def _done(row: LedgerRow) -> str:
    """What a run did, for a sentence that says how often."""
    match row.event, row.source:
        case "seed", source:
            return f"seeded {source}"
        case "construct", source:
            return f"made a generator ({source})"
        case "list", _:
            return "listed a folder"
        case "start", "network":
            return f"connected to {row.detail}"
        case "start", "worker":
            return "seeded a loader's worker"
        case "start", source:
            return f"started a {source}"
        case _, "environment":
            return f"asked for the variable {row.detail}"
        case _, "file":
            return f"read the file {row.detail}"
        case _, "hash":
            return "asked for hash() of a string"
        case _, "address":
            return "asked for a hash() that is made of an address"
        case _, source:
            return f"read the {source}"
