"""The source files of runs: those, and only those, that their manifests hold the digest of."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager

from samebits.check.trace.manifest import Manifest
from samebits.core.source.files import only_sources


def only_sources_of(manifests: Iterable[Manifest]) -> AbstractContextManager[None]:
    """Within the block, no source file is read but those of these runs, as they were then.

    Args:
        manifests: Where several hold a file, the first has the word: lines that are shown are its.
    """
    digests: dict[str, str] = {}
    for manifest in manifests:
        for entry in (manifest.script, *manifest.code):
            path, digest = entry.get("path"), entry.get("sha256")
            if isinstance(path, str) and isinstance(digest, str):
                digests.setdefault(path, digest)
    return only_sources(digests)
