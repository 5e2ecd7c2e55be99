"""Processes that a run leaves behind are ended with it, wherever they have moved to."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from samebits.check.record.remaining import end_remaining
from samebits.check.record.run import Target
from samebits.check.trace.reader import Trace

SLEEPS = "import time; time.sleep(600)"


def lives(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False


def test_a_process_in_a_session_of_its_own_does_not_outlive_its_run(scripts):
    script = scripts.write(
        f"""
        import os, subprocess, sys
        child = subprocess.Popen([sys.executable, "-c", {SLEEPS!r}], start_new_session=True)
        if os.fork() == 0:
            os.setsid()
            open("forked", "w").write(str(os.getpid()))
            import time
            time.sleep(600)
        import time
        while not os.path.exists("forked") or not open("forked").read():
            time.sleep(0.01)
        open("started", "w").write(str(child.pid))
        """
    )
    result = scripts.run(Target(script=script), capture_output=True)
    assert result.exit_code == 0, result.stderr_tail
    for name in ("started", "forked"):
        assert not lives(int((scripts.folder / name).read_text()))
    # What they would have done then is not known.
    processes = Trace.open(result.folder).manifest.processes
    assert [process["ending"]["by"] for process in processes] == ["end", "end"]


def test_a_process_that_ends_soon_after_its_run_is_waited_for(scripts):
    script = scripts.write(
        """
        import os, time
        if os.fork() == 0:
            time.sleep(0.2)
            open("result", "w").write("done")
        """
    )
    result = scripts.run(Target(script=script), capture_output=True)
    (process,) = Trace.open(result.folder).manifest.processes
    assert process["ending"] == {}
    assert (scripts.folder / "result").read_text() == "done"


@pytest.mark.parametrize("is_of_the_run", [True, False])
def test_only_processes_of_the_run_are_ended(tmp_path, is_of_the_run):
    environment = {**os.environ, "SAMEBITS_WATCH": f"{tmp_path}/a/0.1"}
    process = subprocess.Popen([sys.executable, "-c", SLEEPS], env=environment)
    try:
        # The variable stands in /proc once the program has begun.
        while b"SAMEBITS_WATCH" not in Path(f"/proc/{process.pid}/environ").read_bytes():
            assert process.poll() is None
        end_remaining(str(tmp_path / ("a" if is_of_the_run else "ab")))
        assert (process.wait(60) < 0) if is_of_the_run else (process.poll() is None)
    finally:
        process.kill()
        process.wait()
