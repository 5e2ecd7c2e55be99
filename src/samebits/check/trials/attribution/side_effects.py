"""What runs of a script do to each other: whether they disturb, or leave anything behind."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from samebits.check.causes import RACES
from samebits.check.causes.hypothesis import Hypothesis
from samebits.check.diff.changed_files import changed_by_both, changed_paths, changes_of
from samebits.check.diff.ledger_pairs import LedgerPair, makes_temporary_name
from samebits.check.diff.names_of_processes import NamesOfProcesses
from samebits.check.trace.reader import Trace
from samebits.core.catalog.own_names import OwnNames, without_own_names

_LONG_S = 30.0
_NAMING = frozenset({"clock", "entropy", "seeds"})
"""Pins under which what a run makes is called the same each time."""
_NUMBER = re.compile(r"\d+")


def may_run_together(a: Trace, b: Trace) -> bool:
    """Whether two further runs may be made side by side.

    Not where both runs have changed the same file, or files whose names are numbers apart, as of
    version_0 and version_1: two runs that look for the next free number at the same time find the
    same one. Not where they started programs or opened a server; not where they make temporary
    files, which cannot have the same pinned names at the same time; not on a GPU, whose memory they
    would share; and not where there are too few processors for the threads of both.
    A long run is left alone too: it may need the memory, and all processors, for itself.

    Args:
        a: One run.
        b: Another run of the same script, made after it.
    """
    changed = [changes_of(trace) for trace in (a, b)]
    if any(trace.cut or found is None for trace, found in zip((a, b), changed, strict=True)):
        return False
    if changed_by_both(a, b) or _numbered(a) & _numbered(b):
        return False
    if any(found["beyond"] for found in changed if found is not None):
        return False
    if any(makes_temporary_name(LedgerPair(row=row)) for row in a.ledger()):
        return False
    if a.manifest.environment.get("gpus"):
        return False
    # Threads of operations wait for each other busily: two runs that share a processor hold each
    # other up, at times for ten times as long as they take.
    fits = _processors() >= 2 * max(_threads(a), _threads(b))
    return fits and float(a.manifest.seconds) < _LONG_S


def _numbered(trace: Trace) -> set[str]:
    """The files that a run has changed, with every number in their names left out."""
    own = trace.folder.resolve()
    numbered = (path for path in changed_paths(trace) if _NUMBER.search(path))
    return {_NUMBER.sub("#", path) for path in numbered if own not in Path(path).parents}


def leave_nothing(a: Trace, b: Trace) -> bool:
    """Whether nothing outside its process tells that a run of a script has been.

    Neither run changed or saved a file, started a program, or opened or asked a server, and both
    ended well. What a finalizer writes once a recording has ended would show in the second run: it
    found the same files and folders as the first.

    Args:
        a: One run.
        b: Another run of the same script, made after it.
    """
    return _touches_nothing(a) and _touches_nothing(b) and _found(a) == _found(b)


def leave_no_temporary_folders(a: Trace, b: Trace) -> bool:
    """Whether whole runs of a script have removed each folder that they made by `tempfile`.

    Args:
        a: One run.
        b: Another run of the same script.
    """
    made = [trace.manifest.extra.get("temporary_folders") for trace in (a, b)]
    whole = all(trace.manifest.exit.get("reason") == "finished" for trace in (a, b))
    return whole and all(isinstance(one, Mapping) and one.get("left") == 0 for one in made)


def _touches_nothing(trace: Trace) -> bool:
    changed = changes_of(trace)
    if trace.cut or changed is None or any(changed.values()) or trace.manifest.files:
        return False
    if trace.manifest.exit.get("code") != 0:
        return False
    return not any(row.source in ("network", "process") for row in trace.ledger())


def _found(trace: Trace) -> set[tuple[str, str, int]]:
    return {
        (row.source, row.detail, row.digest)
        for row in trace.ledger()
        if row.source in ("file", "listing")
    }


def _threads(trace: Trace) -> int:
    """How many threads torch has used within one operation."""
    found = trace.manifest.environment.get("threads")
    number = found.get("torch") if isinstance(found, Mapping) else None
    return number if isinstance(number, int) else 1


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def without_needs_of_names(
    confirmed: Sequence[Hypothesis], traces: tuple[Trace, Trace]
) -> tuple[Hypothesis, ...]:
    """The causes, without what had to be pinned only for names to be the same each time.

    What a run leaves behind under a name that it has drawn stands in the way of the next one only
    where the name is pinned: by itself it does no harm. Where workers make up names, which of them
    takes a task decides which of the pinned names it gets; otherwise it gets any.

    Args:
        confirmed: The causes.
        traces: The runs of the check.
    """
    makers = [
        entry
        for one in confirmed
        if one.pin == "entropy"
        for entry in one.entries
        if makes_temporary_name(entry)
    ]
    if any(entry.row.process for entry in makers):
        confirmed = [one for one in confirmed if one.code not in RACES]
    if all(one.pin != "files" for one in confirmed):
        return tuple(confirmed)
    named = bool(makers)
    drawn = _NAMING & {one.pin for one in confirmed} and names_differ(*traces)
    return tuple(
        one
        for one in confirmed
        # That a file was read which held something else is a cause, whatever it was called.
        if one.pin != "files" or not (named or (drawn and not one.entries))
    )


def names_differ(a: Trace, b: Trace) -> bool:
    """Whether each run has made files under names that the other has not used.

    A temporary file gets another name where one is taken.
    """
    paths = lasting_changes(a), lasting_changes(b)
    return bool(paths[0] - paths[1]) and bool(paths[1] - paths[0])


def names_are_drawn(a: Trace, b: Trace) -> bool:
    """Whether files that only one of the runs has made are named by what it drew without a seed."""
    paths = lasting_changes(a), lasting_changes(b)
    alone = paths[0] - paths[1], paths[1] - paths[0]
    return all(
        any(without_own_names(path, _words_of(trace)) != path for path in own)
        for trace, own in zip((a, b), alone, strict=True)
    )


def _words_of(trace: Trace) -> OwnNames:
    """What a run drew of words and numbers, without its other names."""
    noted = OwnNames.from_facts(trace.manifest.extra)
    own = NamesOfProcesses(trace).of() if noted.chosen else noted
    return OwnNames(words=own.words, spelt=own.spelt, chosen=own.chosen, written=own.written)


def lasting_changes(trace: Trace) -> set[str]:
    """What a run has changed, but for temporary files outside of its own folder."""
    own, temporary = Path(trace.manifest.cwd), Path(tempfile.gettempdir())
    return {
        path
        for path in changed_paths(trace)
        if Path(path).is_relative_to(own) or not Path(path).is_relative_to(temporary)
    }
