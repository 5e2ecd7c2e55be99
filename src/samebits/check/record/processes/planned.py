"""How a further process of the run is to be recorded, by the plan that its launcher has written."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from samebits.errors import RecordError

if TYPE_CHECKING:
    from samebits.check.record.made_files import MadeFiles
    from samebits.check.record.plan import RecordedProcess

_FILE = "session.json"


def process_to_record(workspace: str, token: str) -> RecordedProcess | None:
    """How the process with this token is to be recorded; None where it is not.

    Args:
        workspace: The run's folder for its processes.
        token: What the process is called.
    """
    # Imported now: most processes never ask, and it takes longer than their start.
    from samebits.check.record.plan import RecordedProcess

    try:
        return RecordedProcess.read(os.path.join(workspace, _FILE)).further(token)
    except (OSError, ValueError, RecordError):
        return None


def follows_values(workspace: str, token: str) -> bool:
    """Whether the variables of the process with this token are to be followed; quick to tell.

    Args:
        workspace: The run's folder for its processes.
        token: What the process is called.
    """
    try:
        plan = json.loads(Path(workspace, _FILE).read_text())["plan"]
        return bool(plan["trace_values"]) and plan["acts_in"] == token
    except (OSError, ValueError, KeyError):
        return False


def made_files_noted(workspace: str) -> MadeFiles | None:
    """What notes the files that this process makes, where the launcher asks for that.

    Args:
        workspace: The run's folder for its processes.
    """
    try:
        content = json.loads(Path(workspace, _FILE).read_text())
        if not content["plan"]["note_made_files"]:
            return None
    except (OSError, ValueError, KeyError):
        return None
    from samebits.check.record.made_files import MadeFiles
    from samebits.check.record.plan import RecordedProcess

    try:
        process = RecordedProcess.read(Path(workspace, _FILE))
    except (OSError, ValueError, RecordError):
        return None
    return MadeFiles(process.made_files, (process.folder, process.workspace))
