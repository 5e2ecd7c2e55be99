"""What makes two rows of two runs the same operation at the same place."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from samebits.trace import schema
from samebits.trace.reader import Site, Trace

KEY_COLUMNS = ("op", "signature", "site")

# Odd: multiplying loses nothing. Different: an operation and a signature cannot change places.
_FACTORS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F))


def row_keys(trace: Trace, rank: int = 0, *, lines: bool = True) -> npt.NDArray[np.uint64]:
    """A 64-bit key for each operation: hash of (operation, signature, source site).

    Names are hashed, not their codes, since codes are numbered anew in every run. Of a path only
    the file's name counts: two machines keep the same script in different folders.

    Args:
        trace: The run.
        rank: Whose operations.
        lines: Whether line numbers count; leave them out when the code was edited in between.

    Returns:
        Shape (rows,). Different operations share a key with a chance of 2**-64 a pair.

    Raises:
        TraceError: The trace is damaged.
    """
    keys = np.empty(trace.count_ops(rank), np.uint64)
    sites = _site_hashes(trace.sites(rank), lines=lines)
    tables = {name: np.empty(0, np.uint64) for name in ("op", "signature")}
    for batch in trace.iter_ops(KEY_COLUMNS, rank):
        end = batch.start + len(batch)
        key = keys[batch.start : end]
        at = batch.columns["site"]
        np.take(sites, np.where(at == schema.NO_SITE, len(sites) - 1, at), out=key)
        for factor, (name, table) in zip(_FACTORS, tables.items(), strict=True):
            names = batch.names[name]
            if len(table) < len(names):
                new = [_hash(text) for text in names[len(table) :]]
                table = tables[name] = np.concatenate([table, np.array(new, np.uint64)])
            key += table[batch.columns[name]] * factor
    return keys


def changed_sources(a: Trace, b: Trace) -> list[str]:
    """Names of the user's source files that both runs loaded, in different versions."""
    old, new = (_sources(trace) for trace in (a, b))
    return sorted(name for name in old.keys() & new.keys() if old[name] != new[name])


def base_name(path: str) -> str:
    """The file's own name, whichever system wrote the path."""
    return re.split(r"[/\\]", path)[-1]


def _sources(trace: Trace) -> dict[str, set[str]]:
    files: list[Mapping[str, Any]] = [*trace.manifest.code]
    if trace.manifest.script:
        files.append(trace.manifest.script)
    digests: dict[str, set[str]] = {}
    for file in files:
        digests.setdefault(base_name(file["path"]), set()).add(file["sha256"])
    return digests


def _site_hashes(sites: Sequence[Site], *, lines: bool) -> npt.NDArray[np.uint64]:
    """A hash a site, and one more at the end for rows without a site; shape (sites + 1,)."""
    hashes = [
        _hash(
            "\0".join(
                (base_name(site.file), str(site.line if lines else 0), site.function, site.module)
            )
        )
        for site in sites
    ]
    return np.array([*hashes, _hash("")], np.uint64)


@functools.lru_cache(maxsize=4096)
def _hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")
