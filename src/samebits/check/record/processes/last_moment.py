"""What the launcher sees of a run's processes just before it ends all of them.

Each process that is still there is asked where it stands. How others have ended, of which nobody
has asked, is told by what the kernel keeps of them.
"""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

from samebits.check.record.processes.journal import Journal, journal_path, parse_journal, token_of
from samebits.check.record.processes.standing import ask

TIME_UP = "time-up"
"""The event that says that a process was still there, in its own journal."""
LEFT = "left"
"""The event that says in the script's journal which process the script has left running."""

_GRACE_S = 2.0
"""So long may processes take to end of themselves once the script has ended."""
_LOOK_EVERY_S = 0.02

_EXIT_CODE = 49
"""Which word of /proc/…/stat behind the name is how a process has ended."""


def note_last_moment(workspace: str, own: int) -> None:
    """Note which processes of a run are still there, and where they stand.

    Args:
        workspace: The run's folder for its processes.
        own: The number of the script's own process.
    """
    note_unasked_ends(workspace)
    living = []
    for process, token in {own: "0", **_started(Path(workspace))}.items():
        if _is_alive(process):
            living.append(process)
            # Into its own journal: what it says after this is of no account.
            Journal(journal_path(workspace, token)).note(TIME_UP, str(process))
    ask(workspace, living, patient=True)


def note_left_running(workspace: str) -> None:
    """Note which processes the script has left running: they are about to be ended.

    Some are about to end by themselves, and are waited for.

    Args:
        workspace: The run's folder for its processes.
    """
    until = time.monotonic() + _GRACE_S
    while living := [process for process in _started(Path(workspace)) if _is_alive(process)]:
        if time.monotonic() >= until:
            break
        time.sleep(_LOOK_EVERY_S)
    journal = Journal(journal_path(workspace, "0"))
    for process in living:
        journal.note(LEFT, str(process))


def note_unasked_ends(workspace: str) -> None:
    """Note how processes have ended of which nobody has asked yet."""
    journal = Journal(journal_path(workspace, "0"))
    for process in _started(Path(workspace)):
        state, status = _state(process)
        if state == "Z":
            journal.note("end", str(process), str(status))


def _started(workspace: Path) -> dict[int, str]:
    """Number and token of every process that was started."""
    found: dict[int, str] = {}
    for path in workspace.glob("process.*"):
        with contextlib.suppress(OSError):
            for event, *fields in parse_journal(path.read_bytes()):
                if event == "pid" and len(fields) == 2 and fields[1].isdecimal():
                    found[int(fields[1])] = fields[0]
                elif event == "python" and fields[0].isdecimal():
                    found[int(fields[0])] = token_of(path.name) or ""
    return found


def _is_alive(process: int) -> bool:
    return _state(process)[0] not in ("", "Z", "X")


def _state(process: int) -> tuple[str, int]:
    """The state of a process, and how it has ended; "" where there is none."""
    try:
        words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return "", 0
    return words[0], int(words[_EXIT_CODE])
