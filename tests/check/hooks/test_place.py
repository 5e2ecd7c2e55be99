"""The recorder knows where hooks stand: what they do is no part of the run."""

from __future__ import annotations

from pathlib import Path

from samebits.check import hooks
from samebits.check.record.sources import OWN, PASSED_OVER, SourceClassifier

FOLDER = Path(hooks.__file__).parent


def test_frames_of_hooks_are_samebits_own():
    kind = SourceClassifier()
    for file in FOLDER.glob("*.py"):
        expected = PASSED_OVER if file.name == "seeds.py" else OWN
        assert kind(str(file), "call") == expected, file.name
