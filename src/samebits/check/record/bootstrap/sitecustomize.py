"""Starts a recording in a process that Python itself starts, before the script's first line.

The launcher puts this file's folder first on PYTHONPATH. Everything else about the process is plain
Python: `sys.argv`, `__main__`, tracebacks, exit codes and signals are the script's own. This module
removes its traces from the environment and the path, runs the sitecustomize that it stands before,
and hands over to `samebits.check.record.session`, or, in a Python process that the script has
started, to the watcher of `samebits.check.record.processes`.
"""

from __future__ import annotations

import os
import sys


def _start() -> None:
    config = os.environ.pop("SAMEBITS_SESSION", None)
    child = os.environ.pop("SAMEBITS_WATCH", None)
    if config is None and child is None:
        return
    earlier = os.environ.pop("SAMEBITS_PYTHONPATH", None)
    if earlier is None:
        os.environ.pop("PYTHONPATH", None)
    else:
        os.environ["PYTHONPATH"] = earlier
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != here]
    sys.path_importer_cache.pop(here, None)
    this = sys.modules.pop("sitecustomize")
    try:
        import sitecustomize  # noqa: F401 (the machine's own, if it has one)
    except ImportError as error:
        if error.name != "sitecustomize":
            raise
    finally:
        # Python looks a module up once more when its import ends.
        sys.modules.setdefault("sitecustomize", this)
    before = set(sys.modules)
    theirs = [os.path.abspath(entry or ".") for entry in (earlier or "").split(os.pathsep) if entry]
    path = list(sys.path)
    # What samebits imports must not come from the script's folders: see own_imports.
    sys.path.sort(key=lambda entry: os.path.abspath(entry or ".") in theirs)
    try:
        if config is None:
            assert child is not None
            _watch(child, before, theirs)
            return
        from samebits.check.record.session import start
    finally:
        sys.path[:] = path
    start(config, before, theirs)


def _watch(place: str, before: set[str], folders: list[str]) -> None:
    """Watch this process; one in which samebits cannot be found runs without, and that is said."""
    try:
        from samebits.check.record.processes.here import begin_in_child

        begin_in_child(place, before, folders)
    except Exception:
        folder, token = os.path.split(place)
        try:
            with open(os.path.join(folder, "process." + token), "a") as journal:
                journal.write("unwatched\n")
        except OSError:
            pass


_start()
