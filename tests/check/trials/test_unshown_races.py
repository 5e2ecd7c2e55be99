"""Weights that are handed over without a copy are told of where runs agree."""

from __future__ import annotations

import textwrap

import pytest

from samebits.check.record.launcher import run_script
from samebits.check.record.plan import RunPlan
from samebits.check.record.run import Target
from samebits.check.trace.reader import Trace
from samebits.check.trials.unshown_races import notes_of_unshown_races

SCRIPT = """
    import queue, threading, torch

    torch.manual_seed(0)
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    jobs = queue.Queue()
    thread = threading.Thread(target=lambda: [None for _ in iter(jobs.get, None)])
    thread.start()
    for step in range({steps}):
        model(torch.ones(2, 4)).sum().backward()
        optimizer.step()
        state = {state}
        jobs.put(state)
    jobs.put(None)
    thread.join()
    """
LIVE = "{name: value.detach().cpu() for name, value in model.state_dict().items()}"
COPIED = LIVE.replace("cpu()", "clone()")


@pytest.mark.parametrize(
    ("state", "steps", "told"),
    [
        (LIVE, 3, True),
        (COPIED, 3, False),
        (LIVE, 1, False),  # nothing is trained after it
    ],
    ids=["live", "copied", "once"],
)
def test_weights_that_others_read_while_they_change_are_told(
    tmp_path, monkeypatch, state, steps, told
):
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "train.py"
    source = textwrap.dedent(SCRIPT).lstrip("\n")
    script.write_text(source.format(state=state, steps=steps))
    result = run_script(Target(script=script), tmp_path / "run", RunPlan())
    notes = notes_of_unshown_races(Trace.open(result.folder))
    assert [note.partition(" ")[0] for note in notes] == (["train.py:13"] if told else [])
