"""Lines of an event loop that give up after a time."""

from __future__ import annotations

import pytest
from tests.check.causes.made_up import divergence, entry

from samebits.check.causes.evidence import Evidence
from samebits.check.trace.reader import Site
from samebits.check.trials.attribution.deadlines import only_deadline


@pytest.mark.parametrize(
    ("line", "is_one"),
    [
        ("x = await asyncio.wait_for(queue.get(), 0.004)", True),
        ("x = await asyncio.wait_for(queue.get(), timeout=limit)", False),
        ("async with asyncio.timeout(0.5):\n    pass", True),
        ("x = await asyncio.wait_for(queue.get(), 30)", False),
        ("x = await asyncio.wait_for(queue.get(), timeout=60.0)", False),
        ("await asyncio.sleep(0.01)", False),
    ],
)
@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_deadline_is_what_gives_up_soon(tmp_path, line, is_one, elsewhere):
    script = tmp_path / "train.py"
    script.write_text("async def main():\n    " + line.replace("\n", "\n    ") + "\n")
    timer = entry("timer", "start", site=Site(str(script), 2, "main", ""))
    entries = {"starts": (timer,)} if elsewhere else {"entries": (timer,)}
    found = only_deadline(Evidence(found=divergence(), **entries))
    assert (found is not None and found.line == 2) == is_one


@pytest.mark.parametrize(
    ("lines", "is_one"),
    [
        (
            ("try:", "    x = replies.get(timeout=patience)", "except queue.Empty:", "    pass"),
            True,
        ),
        (("try:", "    x = replies.get(timeout=0.01)", "except queue.Empty:", "    pass"), True),
        (("try:", "    got[10] = replies.get(True, 0.01)", "except Exception:", "    pass"), True),
        (("try:", "    x = replies.get(timeout=60)", "except queue.Empty:", "    pass"), False),
        (("try:", "    x = replies.get(timeout=limit)", "except Exception:", "    raise"), False),
        (("if True:", "    x = replies.get(timeout=limit)"), False),
        (("if True:", "    x = replies.get()"), False),
    ],
    ids=[
        "by a name",
        "short",
        "beside another number",
        "generous",
        "an error",
        "nobody catches it",
        "no limit",
    ],
)
def test_so_is_a_queue_that_is_waited_for_no_longer_than_a_time(tmp_path, lines, is_one):
    script = tmp_path / "train.py"
    script.write_text("\n".join(lines) + "\n")
    site = Site(str(script), 2, "main", "")
    asked = entry("clock", "read", site=site, detail="queue.Queue.get")
    found = only_deadline(Evidence(found=divergence(), entries=(asked,)))
    assert (found is not None and found.line == 2) == is_one
    by_script = entry("clock", "read", site=site, detail="time.monotonic")
    assert only_deadline(Evidence(found=divergence(), entries=(by_script,))) is None


@pytest.mark.parametrize(("when_up", "is_one"), [("continue", False), ("x = None", True)])
def test_a_loop_that_waits_once_more_has_no_deadline(tmp_path, when_up, is_one):
    script = tmp_path / "train.py"
    lines = ("while True:", "    try:", "        x = jobs.get(timeout=0.1)")
    script.write_text("\n".join((*lines, "    except Empty:", f"        {when_up}")) + "\n")
    site = Site(str(script), 3, "main", "")
    asked = entry("clock", "read", site=site, detail="queue.Queue.get")
    found = only_deadline(Evidence(found=divergence(), entries=(asked,)))
    assert (found is not None) == is_one


def test_of_two_deadlines_neither_is_blamed(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(2 * "x = await asyncio.wait_for(queue.get(), 0.004)\n")
    timers = [entry("timer", "start", site=Site(str(script), n, "main", "")) for n in (1, 2)]
    assert only_deadline(Evidence(found=divergence(), entries=tuple(timers))) is None
    assert only_deadline(Evidence(found=divergence(), entries=tuple(timers[:1]))) is not None
