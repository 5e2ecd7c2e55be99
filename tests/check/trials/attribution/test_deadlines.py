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


def test_of_two_deadlines_neither_is_blamed(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(2 * "x = await asyncio.wait_for(queue.get(), 0.004)\n")
    timers = [entry("timer", "start", site=Site(str(script), n, "main", "")) for n in (1, 2)]
    assert only_deadline(Evidence(found=divergence(), entries=tuple(timers))) is None
    assert only_deadline(Evidence(found=divergence(), entries=tuple(timers[:1]))) is not None
