"""What makes two rows of two runs the same operation at the same place."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from samebits.check.diff.correspondence import SAME_NAMES, RunFiles
from samebits.check.trace import schema
from samebits.check.trace.reader import Site, Trace

KEY_COLUMNS = ("op", "signature", "site")

# Odd: multiplying loses nothing. Different: an operation and a signature cannot change places.
_FACTORS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F))


def row_keys(
    trace: Trace, rank: int = 0, *, lines: bool = True, files: RunFiles = SAME_NAMES
) -> npt.NDArray[np.uint64]:
    """A 64-bit key for each operation: hash of (operation, signature, source site).

    Names are hashed, not their codes, since codes are numbered anew in every run. Of a path only
    the file's name counts, which two machines keep in different folders; a file that is called
    otherwise in the other run goes by the name that both share.

    Args:
        trace: The run.
        rank: Whose operations.
        lines: Whether line numbers count; leave them out when the code was edited in between.
        files: What the run's files are called in the comparison.

    Returns:
        Shape (rows,). Different operations share a key with a chance of 2**-64 a pair.

    Raises:
        TraceError: The trace is damaged.
    """
    keys = np.empty(trace.count_ops(rank), np.uint64)
    sites = _site_hashes(trace.sites(rank), files, lines=lines)
    tables = {name: np.empty(0, np.uint64) for name in ("op", "signature")}
    for batch in trace.iter_ops(KEY_COLUMNS, rank):
        end = batch.start + len(batch)
        key = keys[batch.start : end]
        at = batch.columns["site"]
        np.take(sites, np.where(at == schema.NO_SITE, len(sites) - 1, at), out=key)
        for factor, (name, table) in zip(_FACTORS, tables.items(), strict=True):
            names = batch.names[name]
            if len(table) < len(names):
                new = [_hash(files.operation(text)) for text in names[len(table) :]]
                table = tables[name] = np.concatenate([table, np.array(new, np.uint64)])
            key += table[batch.columns[name]] * factor
    return keys


def _site_hashes(sites: Sequence[Site], files: RunFiles, *, lines: bool) -> npt.NDArray[np.uint64]:
    """A hash a site, and one more at the end for rows without a site; shape (sites + 1,)."""
    hashes = [
        _hash(
            "\0".join(
                (files.name(site.file), str(site.line if lines else 0), site.function, site.module)
            )
        )
        for site in sites
    ]
    return np.array([*hashes, _hash("")], np.uint64)


@functools.lru_cache(maxsize=4096)
def _hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")
