"""Reads what `samebits.check.record.step_states` wrote; the launcher does, without torch."""

from __future__ import annotations

import json
from pathlib import Path


def read_step_states(path: Path) -> dict[int, dict[str, str]]:
    """Step → entry → digest, of what `StepStates` wrote; an unfinished line is passed over."""
    states: dict[int, dict[str, str]] = {}
    if path.exists():
        for line in path.read_text().split("\n")[:-1]:
            content = json.loads(line)
            states[int(content["step"])] = dict(content["entries"])
    return states
