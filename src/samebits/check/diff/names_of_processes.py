"""The numbers of a run's processes: what they print and write themselves goes by other names."""

from __future__ import annotations

from dataclasses import replace

from samebits.check.diff.changed_files import changed_paths
from samebits.check.trace.process_folders import owner_of
from samebits.check.trace.reader import Trace
from samebits.core.catalog.drawn_names import drawn_names_in
from samebits.core.catalog.own_names import OwnNames


class NamesOfProcesses:
    """What the processes of one run call themselves and each other, where the run has noted it.

    Args:
        trace: The run.
    """

    def __init__(self, trace: Trace) -> None:
        own = OwnNames.from_facts(trace.manifest.extra)
        self._script = replace(own, written=_written_names(trace, own)) if own.chosen else own
        self._numbers = {one["name"]: one["pid"] for one in trace.manifest.processes if one["pid"]}
        if self._script.process is not None:
            self._numbers["0"] = self._script.process
        self._names = {number: name for name, number in self._numbers.items()}

    def of(self, token: str = "0") -> OwnNames:
        """In what one process prints or writes.

        Args:
            token: The process, or a thread of it; the script's own unless given.
        """
        number = self._numbers.get(owner_of(token))
        return replace(self._script, process=number, others=self._names)


def _written_names(trace: Trace, own: OwnNames) -> frozenset[str]:
    """What files and folders that a run wrote are called, where that was drawn."""
    paths = {*changed_paths(trace), *(str(f["path"]) for f in trace.manifest.process_files)}
    return frozenset(name for path in paths for name in drawn_names_in(path, own.chosen))
