"""What a thread computes after its operations were enough, in checks and variations."""

from __future__ import annotations

from pathlib import Path

import pytest

from samebits.check.record.plan import RunPlan
from samebits.check.record.run import Target
from samebits.check.trials.experiment import check
from samebits.check.trials.limits import Limits
from samebits.check.trials.variation_request import VariationRequest

ENOUGH = 50

SCRIPT = """
import os, threading, torch
def step():
    weight = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    for _ in range(3):
        weight.square().sum().backward()
        optimizer.step()
def work():
{work}
step()
thread = threading.Thread(target=work)
thread.start()
thread.join()
{then}
"""
WALKED = """
    names = {"ash", "oak", "elm", "fir", "yew", "bay", "box", "fig", "may", "sal"}
    place = {name: n for n, name in enumerate(sorted(names))}
    for batch in range(6):
        lengths = torch.zeros(10)
        for name in names:  # each has a place of its own: the order does not matter
            lengths[place[name]] = float(place[name] + batch)
"""
DRAWN = """
    x = torch.ones(2)
    for n in range(ENOUGH + 40):
        x = x * (1.0 + (n == AT) * int.from_bytes(os.urandom(4), "big"))
"""


@pytest.fixture
def checked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(work, then="", **options):
        Path("script.py").write_text(SCRIPT.format(work=work, then=then))
        plan = RunPlan(capture_output=True, thread_operations=ENOUGH)
        options = {"limits": Limits(runs=0), **options}
        return check(Target(script=Path("script.py")), plan=plan, out=tmp_path / "out", **options)

    return run


def drawn(at):
    return DRAWN.replace("ENOUGH", str(ENOUGH)).replace("AT", str(at))


def told_whole(verdict):
    return [note for note in verdict.notes if "two more runs recorded all of it" in note]


def test_an_order_that_is_cut_short_is_no_difference(checked):
    verdict = checked(WALKED)

    assert verdict.verdict == "same"
    assert len(verdict.runs) == 4
    assert told_whole(verdict)
    assert verdict.compared == (2, 3)


def test_nor_is_it_where_the_hash_seed_is_varied(checked, monkeypatch):
    monkeypatch.setenv("PYTHONHASHSEED", "1")

    verdict = checked(WALKED, vary=VariationRequest(names=("hash-seed",)))

    assert [(one["name"], one["verdict"]) for one in verdict.variations] == [("hash-seed", "same")]
    assert verdict.verdict == "same"


def test_what_differs_in_a_thread_alone_is_different(checked):
    verdict = checked(drawn(at=ENOUGH // 2))

    assert verdict.verdict == "different"
    assert told_whole(verdict)
    assert verdict.first_divergence.op == "aten.mul.Tensor"
    assert verdict.first_divergence.process


def test_what_differs_once_and_reaches_nothing_is_incomplete(checked):
    once = f"""
    x = torch.ones(2)
    first = "made" not in os.listdir()
    for n in range({ENOUGH + 40}):
        x = x * (2.0 if n == 20 and first else 1.0)
    open("made", "w").close()
"""
    verdict = checked(once)

    assert verdict.verdict == "incomplete"
    (gone,) = [one for one in verdict.not_compared if "intermittent" in one.why]
    assert "script.py:" in gone.why
    assert gone.name.startswith("the thread started at")


def test_what_differs_elsewhere_too_needs_no_more_runs(checked):
    verdict = checked(drawn(at=ENOUGH // 2), then="torch.save(os.urandom(3), 'x.pt')")

    assert verdict.verdict == "different"
    assert len(verdict.runs) == 2


def test_what_comes_later_is_found_in_the_thread_by_what_it_reaches(checked):
    work = drawn(at=ENOUGH + 20) + "    torch.save(x, 'x.pt')"

    verdict = checked(work, limits=None)

    assert verdict.verdict == "different"
    assert verdict.first_divergence.process
    assert verdict.causes[0].code == "entropy"
