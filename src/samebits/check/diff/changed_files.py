"""The files that runs have changed, as their manifests name them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from samebits.check.trace.reader import Trace


def changed_by_both(a: Trace, b: Trace) -> tuple[str, ...]:
    """Files that were written, renamed or removed in both runs, sorted; folders are none."""
    both = changed_paths(a) & changed_paths(b)
    return tuple(sorted(path for path in both if not Path(path).is_dir()))


def changed_paths(trace: Trace) -> set[str]:
    """Files that a run wrote, renamed or removed.

    torch's own writer opens files without telling Python: what was saved by it is among the
    manifest's files alone.
    """
    found = changes_of(trace)
    saved = {str(file["path"]) for file in trace.manifest.files}
    return saved if found is None else saved | set(found["paths"])


def found_paths(trace: Trace) -> set[str]:
    """Files that a run changed, and had read or added to before, as it had found them."""
    changed = changes_of(trace)
    return set() if changed is None else set(changed["found"])


def read_again(trace: Trace) -> set[str]:
    """The same without those that it only added to, as to a log."""
    changed = changes_of(trace)
    return set() if changed is None else set(changed["found"]) - set(changed["added"])


def changes_of(trace: Trace) -> Mapping[str, list[str]] | None:
    """What the manifest says of them: `paths`, `found` and `added`, and what went `beyond` files.

    None where it says nothing, or what no recorder writes.
    """
    found = trace.manifest.extra.get("changed")
    if not isinstance(found, Mapping):
        return None
    lists = {name: found.get(name, []) for name in ("paths", "found", "added", "beyond")}
    if not all(isinstance(value, list) for value in lists.values()):
        return None
    return {name: [str(item) for item in value or ()] for name, value in lists.items()}
