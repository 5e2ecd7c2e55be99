"""Steps are timed with and without determinism, and everything is put back."""

from __future__ import annotations

import pytest
import torch

from samebits.arithmetic.mode import active
from samebits.check.record.cost import DETERMINISTIC, EXACT, PLAIN, CostSamples
from samebits.check.record.cost_files import SCRIPT, CostFiles
from samebits.check.record.cost_meter import CostMeter, _plan


class EnoughError(Exception):
    """Ends the loop below, as the process ends in a real run."""


class Program:
    """A model with one optimizer or two, and what held during each of its steps."""

    def __init__(self, optimizers: int = 1) -> None:
        self.model = torch.nn.Linear(4, 4)
        self.optimizers = [
            torch.optim.SGD(self.model.parameters(), lr=0.1) for _ in range(optimizers)
        ]
        self.held: list[bool] = []
        self.computed_exactly: list[bool] = []

    def run(self, steps: int, *, exact: bool = False) -> CostSamples:
        found: list[CostSamples] = []

        def done(samples: CostSamples) -> None:
            found.append(samples)
            raise EnoughError

        meter = CostMeter(steps, done, exact=exact)
        meter.start()
        try:
            for _ in range(1000):
                self.held.append(torch.are_deterministic_algorithms_enabled())
                self.computed_exactly.append(active())
                for optimizer in self.optimizers:
                    optimizer.zero_grad()
                    self.model(torch.ones(2, 4)).sum().backward()
                    optimizer.step()
        except EnoughError:
            pass
        finally:
            meter.stop()
        return found[0]


@pytest.mark.parametrize("optimizers", [1, 2])
def test_both_kinds_get_as_many_steps(optimizers):
    samples = Program(optimizers).run(3)
    assert [len(samples.seconds[kind]) for kind in (PLAIN, DETERMINISTIC)] == [3, 3]
    assert len(samples.ratios(DETERMINISTIC)) == 3
    assert samples.ratio(DETERMINISTIC) > 0


def test_every_other_step_is_deterministic_in_turns():
    program = Program()
    program.run(4)
    # The first step is the script's setting up; then pairs, each in the other order.
    planned = [kind == DETERMINISTIC for kind, _ in _plan(4, (PLAIN, DETERMINISTIC))]
    assert program.held[1 : 1 + len(planned)] == planned
    assert planned[:4] == [False, True, True, False]


def test_every_third_step_is_exact_where_that_is_asked_for():
    program = Program()
    samples = program.run(3, exact=True)
    planned = [kind == EXACT for kind, _ in _plan(3, (PLAIN, DETERMINISTIC, EXACT))]
    assert program.computed_exactly[1 : 1 + len(planned)] == planned
    assert planned[:6] == [False, False, True, True, False, False]
    assert samples.kinds == (PLAIN, DETERMINISTIC, EXACT)
    assert len(samples.ratios(EXACT)) == 3
    assert "aten.addmm.default" in samples.operations[EXACT]
    assert not active()


def test_the_operations_of_a_step_are_timed_in_both_kinds():
    samples = Program().run(3)
    for kind in (PLAIN, DETERMINISTIC):
        assert {"aten.addmm.default", "aten.mm.default"} <= samples.operations[kind].keys()
        assert len(samples.operations[kind]["aten.addmm.default"]) == 3


def test_everything_is_put_back():
    Program().run(2)
    assert not torch.are_deterministic_algorithms_enabled()
    assert torch.utils._python_dispatch._get_current_dispatch_mode() is None
    assert torch.get_float32_matmul_precision() == "highest"


def test_what_was_measured_survives_the_way_to_another_process():
    samples = Program().run(2)
    assert CostSamples.parse(samples.to_json()) == samples


def test_a_run_is_complete_once_each_rank_has_timed_its_steps(tmp_path):
    files, ranks = CostFiles(tmp_path), {"WORLD_SIZE": "2"}
    assert not files.are_complete
    samples = CostSamples.empty((PLAIN,))
    files.begin("0.1", ranks)
    files.finish("0.1", samples)
    assert not files.are_complete  # the other rank has not begun
    files.begin("0.2", ranks)
    assert not files.are_complete
    files.finish("0.2", samples)
    assert files.are_complete
    assert files.read().keys() == {"0.1", "0.2"}


def test_a_script_that_steps_alone_is_not_ended_by_its_launcher(tmp_path):
    files = CostFiles(tmp_path)
    files.begin(SCRIPT, {})
    files.finish(SCRIPT, CostSamples.empty((PLAIN,)))
    assert not files.others_step
    assert not files.are_complete
    files.begin("0.1", {})
    assert files.others_step
