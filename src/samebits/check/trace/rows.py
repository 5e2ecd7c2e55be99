"""Rows as a reader gives them: names written out, codes numbered the same in every batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from samebits.check.trace import arrow, schema
from samebits.check.trace.seal import DAMAGED
from samebits.errors import TraceError

Column = npt.NDArray[Any]


class Site(NamedTuple):
    """A source line, once.

    Attributes:
        file: Path as the interpreter knew it.
        line: Counted from 1; 0 where unknown.
        function: Name of the function that the line stands in.
        module: Path of the innermost `torch.nn.Module`, "" outside any.
    """

    file: str
    line: int
    function: str
    module: str


@dataclass(frozen=True)
class OpsBatch:
    """Consecutive rows of ops.arrow.

    Attributes:
        start: Number of the first row.
        columns: Column → values, shape (n,), dtypes of `schema.OPS_DTYPES`. Codes of `op`,
            `signature` and `phase` index `names`.
        names: Coded column → its names so far; the same list grows from batch to batch.
    """

    start: int
    columns: Mapping[str, Column]
    names: Mapping[str, Sequence[str]]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))


@dataclass(frozen=True)
class OpRow:
    """One row of ops.arrow with its names written out.

    Attributes: as the columns of ops.arrow; `site` is None where no line could be named.
    """

    index: int
    step: int
    phase: str
    op: str
    signature: str
    site: Site | None
    outputs: int
    inputs: int
    args: int
    data: int
    flags: schema.Flag


@dataclass(frozen=True, kw_only=True)
class LedgerRow:
    """One row of ledger.arrow: what was drawn or read at one line, and how often.

    Calls are one row when they agree in source, event, detail, line, `seeded` and process.

    Attributes:
        source: One of `schema.LEDGER_SOURCES`.
        event: "draw" (numbers or bytes), "construct" (a generator was made), "seed" (a generator
            was given a seed or a state), "read" (a clock, a variable, a file …), "list" (a folder),
            "start" (a thread, a process, a connection, a loader's worker, a signal's time), "write"
            (a value that processes share).
        detail: The function that the user's line called, such as "random.shuffle" or a library's;
            of a file its path, of the environment a variable's name, of the network an address.
        site: The user's line, of the innermost user code; None where none led there.
        process: 0 for the recorded process, its forked children from 1 in the order of their start.
        worker: Number of the DataLoader's worker that the process is; -1 for any other.
        first_row: Operation rows that were recorded before it happened first.
        first_step: Optimizer steps done before it happened first.
        calls: How often.
        amount: Numbers or bytes drawn, entries listed, the size of a file, the threads that drew in
            turns; 0 where not known.
        seeded: 1: the generator held a seed or a state that was given to it; 0: nobody had given
            it one; 2: not known, or no generator.
        digest: Of what was seen, in order: the seeds, the listing, the clock's values, the file's
            content. 0 where it was not taken.
        order_free: Of a listing, or of seeds, whatever their order; of draws in a DataLoader's
            worker, the first numbers that it drew after its first batch, in order, where they are
            too many to be drawn by chance; 0 for anything else.
        origin: Of a seed whose value was read or drawn a moment before: the number of the row that
            it came from, among all rows of the ledger; -1 for any other.
    """

    source: str
    event: str
    detail: str
    site: Site | None
    process: int = 0
    worker: int = -1
    first_row: int = 0
    first_step: int = 0
    calls: int = 1
    amount: int = 0
    seeded: int = 2
    digest: int = 0
    order_free: int = 0
    origin: int = -1


class NameTable:
    """Gives the names of all batches of a column one numbering, whatever each batch's own is."""

    def __init__(self, names: Sequence[str] = ()) -> None:
        self.names = list(names)
        self._code = {name: i for i, name in enumerate(self.names)}
        self._last: pa.Array | None = None
        self._map: Column = np.empty(0, np.int64)

    def codes(self, array: pa.DictionaryArray, dtype: np.dtype[Any], where: str) -> Column:
        """The codes of a column in this numbering.

        Args:
            array: A batch's column, validated.
            dtype: Dtype of the codes, in the file and in the result.
            where: The file, for messages.

        Raises:
            TraceError: A name is null, or there are more names than codes.
        """
        dictionary = array.dictionary
        if dictionary.null_count:
            raise TraceError(f"{where} holds a name that is null", hint=DAMAGED)
        if self._last is None or not dictionary.equals(self._last):
            numbers = []
            for name in dictionary.to_pylist():
                number = self._code.setdefault(name, len(self.names))
                if number == len(self.names):
                    self.names.append(name)
                numbers.append(number)
            if len(self.names) > np.iinfo(dtype).max:
                raise TraceError(f"{where} holds too many names", hint=DAMAGED)
            self._map = np.array(numbers, dtype=dtype)
            self._last = dictionary
        local = arrow.to_numpy(array.indices, dtype)
        # validate(full=True) has checked the range; an empty batch may have no dictionary.
        return self._map[local] if len(local) else np.empty(0, dtype)


def op_row(batch: OpsBatch, index: int, sites: Sequence[Site]) -> OpRow:
    """Row number `index` of a batch that holds every column, with its names written out."""
    values = {name: column[index - batch.start].item() for name, column in batch.columns.items()}
    for name, table in batch.names.items():
        values[name] = table[values[name]]
    site = values.pop("site")
    flags = schema.Flag(values.pop("flags"))
    known = None if site == schema.NO_SITE else sites[site]
    return OpRow(index=index, site=known, flags=flags, **values)
