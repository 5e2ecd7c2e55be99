"""Runs that end without Python's search for cycles: what a script does at its end stays."""

from __future__ import annotations

import pytest

from samebits.record.launcher import Target

ENDING = """
    import atexit, os, sys
    import torch
    told_to = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)
    class Told:
        def __init__(self, name): self.name = name
        def __del__(self, write=os.write, to=told_to): write(to, self.name)
    told = Told(b"global ")
    ring = Told(b"cycle ")
    ring.itself = ring
    atexit.register(os.write, told_to, b"handler ")
    sys.exit(3)
    """


@pytest.mark.parametrize("short_end", [False, True])
def test_handlers_and_globals_end_as_ever(scripts, tmp_path, short_end):
    told = tmp_path / "told"
    target = Target(script=scripts.write(ENDING), args=(str(told),))
    result = scripts.run(target, capture_output=True, short_end=short_end)
    assert (result.exit_code, result.failure) == (3, None)
    ended = told.read_text().split()
    assert ended[:2] == ["handler", "global"]
    assert ended[2:] == ([] if short_end else ["cycle"])
