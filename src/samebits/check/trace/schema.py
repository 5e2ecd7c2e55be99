"""The run folder's file names, columns and codes: one place that writer and reader share.

A run folder holds, for the process of rank 0 (rank N adds `.N` before the last suffix, so that
`ops.arrow` becomes `ops.1.arrow`)::

    manifest.json   facts about the run, schema "samebits.run/1"
    ops.arrow       one row an operation          Arrow IPC stream, zstd
    steps.arrow     one row an optimizer step     Arrow IPC stream, zstd
    sites.arrow     each source line once         Arrow IPC stream, zstd
    ledger.arrow    entropy that was drawn        Arrow IPC stream, zstd; absent in older runs
    received.arrow  what collectives brought      Arrow IPC stream, zstd; absent without any
    piped.arrow     messages of queues and pipes  Arrow IPC stream, zstd; absent without any
    output.log      what the script printed       UTF-8 text
    seals.txt       one checksum a flushed batch  text
"""

from __future__ import annotations

from pathlib import PurePath

import numpy as np
import pyarrow as pa

from samebits.check.trace.codes import LEDGER_EVENTS as LEDGER_EVENTS
from samebits.check.trace.codes import LEDGER_SOURCES as LEDGER_SOURCES
from samebits.check.trace.codes import Flag as Flag

RUN_SCHEMA = "samebits.run/1"
"""The manifest's `schema`; a reader accepts no other."""

MANIFEST_FILE = "manifest.json"
OPS_FILE = "ops.arrow"
STEPS_FILE = "steps.arrow"
SITES_FILE = "sites.arrow"
LEDGER_FILE = "ledger.arrow"
RECEIVED_FILE = "received.arrow"
PIPED_FILE = "piped.arrow"
OUTPUT_FILE = "output.log"
SEALS_FILE = "seals.txt"

MAX_BATCH_ROWS = 65536
"""Rows in one batch at most: what a killed run can lose, and what a writer keeps in memory."""

NO_SITE = 0xFFFFFFFF
"""The site of a row that no user line could be named for."""

PHASES = ("setup", "data", "forward", "backward", "optimizer")
"""Where in a training step a row belongs; a row's `phase` code is the index here."""

STEP_KINDS = ("step", "end")
"""A row of steps.arrow: an optimizer step, or what happened after the last one."""

LEVELS = ("auto", "step", "module", "op")
"""How finely a run was recorded."""

STEP_DIGESTS = (
    "batch",
    "outputs",
    "loss",
    "gradients",
    "parameters",
    "optimizer",
    "generators",
)
"""The digests of a step, in the order in which a step produces them."""

STEPS_IN_ANY_ORDER = "steps_in_any_order"
"""A key of the manifest: `[first step, end]` of each row of steps whose order changes nothing."""


_PHASE = pa.dictionary(pa.uint8(), pa.utf8())
_NAME = pa.dictionary(pa.int32(), pa.utf8())


def _required(*fields: tuple[str, pa.DataType]) -> pa.Schema:
    return pa.schema([pa.field(name, kind, nullable=False) for name, kind in fields])


OPS_SCHEMA = _required(
    ("step", pa.uint32()),
    ("phase", _PHASE),
    ("op", _NAME),
    ("signature", _NAME),
    ("site", pa.uint32()),
    ("outputs", pa.uint64()),
    ("inputs", pa.uint64()),
    ("args", pa.uint64()),
    ("data", pa.uint64()),
    ("flags", pa.uint16()),
)

STEPS_SCHEMA = _required(
    ("kind", _PHASE),
    ("step", pa.uint32()),
    ("site", pa.uint32()),
    ("ops_end", pa.uint64()),
    ("batch", pa.uint64()),
    ("loss", pa.uint64()),
    ("gradients", pa.uint64()),
    ("parameters", pa.uint64()),
    ("optimizer", pa.uint64()),
    ("generators", pa.uint64()),
    ("outputs", pa.uint64()),
    ("loss_value", pa.float64()),
)

RECEIVED_SCHEMA = _required(
    ("row", pa.uint64()),
    ("looked", pa.uint64()),
    ("group", _NAME),
    ("sequence", pa.uint64()),
    ("place", pa.uint64()),
    ("digest", pa.uint64()),
)

PIPED_SCHEMA = _required(
    ("row", pa.uint64()),
    ("event", pa.uint8()),
    ("channel", pa.uint64()),
    ("digest", pa.uint64()),
)
"""`row`: operations recorded before it. `event`: a position in `PIPE_EVENTS`. `channel`: the end of
a pipe or socket. `digest`: of the message; for "joined", the end at the other side."""

PIPE_EVENTS = ("sent", "received", "joined")

SITES_SCHEMA = _required(
    ("file", pa.utf8()),
    ("line", pa.int32()),
    ("function", pa.utf8()),
    ("module", pa.utf8()),
)

LEDGER_SCHEMA = _required(
    ("source", _PHASE),
    ("event", _PHASE),
    ("detail", pa.utf8()),
    ("file", pa.utf8()),
    ("line", pa.int32()),
    ("function", pa.utf8()),
    ("process", pa.uint32()),
    ("worker", pa.int32()),
    ("first_row", pa.uint64()),
    ("first_step", pa.uint32()),
    ("calls", pa.uint64()),
    ("amount", pa.uint64()),
    ("seeded", pa.uint8()),
    ("digest", pa.uint64()),
    ("order_free", pa.uint64()),
    ("origin", pa.int32()),
)

CODED_OPS_COLUMNS = ("phase", "op", "signature")
"""Columns of ops.arrow that hold dictionary codes."""


def column_dtype(kind: pa.DataType) -> np.dtype[np.generic]:
    """The NumPy dtype of a fixed-width column; of a dictionary column, of its codes.

    Args:
        kind: A type out of the schemas above, not utf8.
    """
    if pa.types.is_dictionary(kind):
        kind = kind.index_type
    names = {
        pa.uint8(): "u1",
        pa.uint16(): "<u2",
        pa.uint32(): "<u4",
        pa.uint64(): "<u8",
        pa.int32(): "<i4",
        pa.float64(): "<f8",
    }
    return np.dtype(names[kind])


OPS_DTYPES: dict[str, np.dtype[np.generic]] = {
    field.name: column_dtype(field.type) for field in OPS_SCHEMA
}
"""Column of ops.arrow → NumPy dtype that `TraceWriter.append_ops` takes and `Trace.ops` gives.

The dtype of a coded column is the dtype of its codes.
"""

STEPS_DTYPES: dict[str, np.dtype[np.generic]] = {
    field.name: column_dtype(field.type) for field in STEPS_SCHEMA
}
"""Column of steps.arrow → NumPy dtype."""


RECEIVED_DTYPES: dict[str, np.dtype[np.generic]] = {
    field.name: column_dtype(field.type) for field in RECEIVED_SCHEMA
}
"""Column of received.arrow → NumPy dtype; of `group`, of its codes."""


PIPED_DTYPES: dict[str, np.dtype[np.generic]] = {
    field.name: column_dtype(field.type) for field in PIPED_SCHEMA
}
"""Column of piped.arrow → NumPy dtype."""


LEDGER_DTYPES: dict[str, np.dtype[np.generic]] = {
    field.name: column_dtype(field.type)
    for field in LEDGER_SCHEMA
    if not pa.types.is_string(field.type)
}
"""Column of ledger.arrow that holds no text → NumPy dtype."""


def for_rank(name: str, rank: int) -> str:
    """The name of a file of the process of that rank: `ops.arrow`, `ops.1.arrow`."""
    if rank == 0:
        return name
    path = PurePath(name)
    return f"{path.stem}.{rank}{path.suffix}"
