"""`cost` of a script whose processes make the steps, measured."""

from __future__ import annotations

import textwrap

from samebits.check.record.cost import DETERMINISTIC, PLAIN
from samebits.check.record.run import Target
from samebits.check.trials.cost import measure_cost

SCRIPT = """
import multiprocessing, torch

def train(rank, model):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(1_000_000):
        model(torch.ones(2, 4)).sum().backward()
        optimizer.step()
        optimizer.zero_grad()

if __name__ == "__main__":
    torch.set_num_threads(1)
    model = torch.nn.Linear(4, 1).share_memory()
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=train, args=(rank, model)) for rank in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
"""


def test_processes_time_their_own_steps_and_the_run_ends_when_they_have(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(textwrap.dedent(SCRIPT))
    measured = measure_cost(Target(script=script), steps=3, exact=False, timeout=120)
    assert not measured.result.timed_out
    assert measured.samples is not None
    assert measured.samples.kinds == (PLAIN, DETERMINISTIC)
    assert [len(seconds) for seconds in measured.samples.seconds.values()] == [3, 3]
    started = {name for name in measured.processes if "started at train.py:17" in name}
    assert started == measured.processes.keys()
    assert started
