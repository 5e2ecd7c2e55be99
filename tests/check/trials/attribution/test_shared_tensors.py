"""A tensor in shared memory that is changed while workers read it is told by the source."""

from __future__ import annotations

import textwrap
from types import SimpleNamespace
from typing import Any

import pytest
from tests.check.causes.made_up import divergence, entry

from samebits.check.causes.evidence import Evidence
from samebits.check.trials.attribution.shared_tensors import tensor_changed_under_workers

CURRICULUM = """
    class Curriculum:
        def __init__(self, start):
            self._noise = torch.tensor(start).share_memory_()

        def observe(self, mean):
            {change}
    """
WORKER = entry("worker", "start", 3)


@pytest.fixture
def told(tmp_path):
    """What is said of a script with such a class in a file of its own."""

    def ask(change, *entries, source=CURRICULUM, **found):
        main, other = tmp_path / "train.py", tmp_path / "curriculum.py"
        main.write_text("curriculum = Curriculum(0.3)\n")
        other.write_text(textwrap.dedent(source).lstrip("\n").format(change=change))
        manifest = SimpleNamespace(script={"path": str(main)}, code=[{"path": str(other)}])
        run: Any = SimpleNamespace(manifest=manifest)
        where = divergence(**{"data": True, "random": False} | found)
        return tensor_changed_under_workers(Evidence(found=where, entries=entries), run)

    return ask


@pytest.mark.parametrize(
    "change",
    [
        "self._noise += self.step",
        "self._noise[0] = mean",
        "self._noise.fill_(mean)",
        "self._noise.data = mean",
        "state._noise.copy_(mean)",
    ],
)
def test_the_line_that_changes_it_is_named(told, change):
    cause = told(change, WORKER)
    assert (cause.code, cause.line, cause.detail) == ("process-timing", 6, "_noise")
    assert cause.file.endswith("curriculum.py")
    assert "that processes share (curriculum.py:3), and is changed here" in cause.evidence
    assert "along with each request" in cause.fix


@pytest.mark.parametrize(
    "change",
    ["self.step += self._noise", "self._noise = mean", "self._noise.share_memory_()", "pass"],
)
def test_what_is_left_as_it_is_is_not(told, change):
    assert told(change, WORKER) is None


def test_it_may_be_shared_by_a_line_of_its_own(told):
    source = """
        level = torch.zeros(1)
        level.share_memory_()
        def observe():
            {change}
        """
    assert told("level.add_(1)", WORKER, source=source).line == 4
    assert told("other.add_(1)", WORKER, source=source) is None


def test_other_reasons_come_first(told):
    change = "self._noise += self.step"
    assert told(change) is None  # no loader has workers
    assert told(change, WORKER, entry("numpy", "draw", seeded=0)) is None
    assert told(change, WORKER, data=False) is None
