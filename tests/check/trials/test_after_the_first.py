"""Scripts whose first run makes what the later runs find."""

from __future__ import annotations

from pathlib import Path

import pytest

from samebits.check.record.plan import RunPlan
from samebits.check.record.run import Target
from samebits.check.report.model import build_report
from samebits.check.trials.experiment import check

from .light_scripts import WITHOUT_DYNAMO

CACHED = """
import os, torch
{seed}
if not os.path.exists("cache.pt"):
    print("making the cache of", 40, "rows")
    torch.save({kept}, "cache.pt")
x = torch.load("cache.pt").float()
net = torch.nn.Linear(10, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(2):
    loss = net(x).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
"""
SEED = "torch.manual_seed(0)"
ROWS = "torch.linspace(0, 9, 400).reshape(40, 10).sin()"


@pytest.fixture
def checked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(source, out="out", said=None):
        Path("script.py").write_text(f"import torch\n{WITHOUT_DYNAMO}{source}")
        target = Target(script=Path("script.py"))
        plan = RunPlan(capture_output=True)
        return check(target, plan=plan, out=tmp_path / out, on_progress=said)

    return run


def test_a_cache_is_no_difference_where_a_run_without_it_makes_the_same(checked):
    labels: list[str] = []
    script = CACHED.format(seed=SEED, kept=ROWS)
    verdict = checked(script, said=lambda label, progress: labels.append(label))
    assert (verdict.verdict, len(verdict.runs), verdict.not_compared) == ("same", 3, ())
    told = list(dict.fromkeys(labels))
    assert told[2].startswith("runs 1 and 2 differ at script.py:")  # before it is known why
    (note,) = [note for note in verdict.notes if "run 1 wrote" in note]
    assert "cache.pt" in note
    assert "without made the same again" in note
    # What the first run left is still there, for the next check.
    verdict = checked(CACHED.format(seed=SEED, kept=ROWS), out="again")
    assert (verdict.verdict, len(verdict.runs)) == ("same", 2)


CACHED_IN_C = """
import ctypes, os, torch
torch.manual_seed(0)
libc = ctypes.CDLL(None)
if libc.access(b"cache.bin", 0) != 0:
    print("making the cache of", 40, "rows")
    torch.linspace(0, 9, 40).sin().numpy().tofile("cache.bin")
x = torch.frombuffer(bytearray(open("cache.bin", "rb").read()), dtype=torch.float32)
print(x.sum().item())
"""


@pytest.mark.slow
def test_a_cache_that_is_found_in_c_is_not_compared(checked):
    verdict = checked(CACHED_IN_C)
    assert verdict.verdict == "incomplete"
    (made,) = verdict.not_compared
    assert (made.what, made.name.endswith("cache.bin")) == ("file", True)
    assert "was not compared" in made.why
    assert "cache.bin" in build_report(verdict).headline


CACHED_OBJECT = """
import os, torch

class Corpus:
    def __init__(self, first):
        self.words = ["a", "b", first]
        self.numbers = {numbers}

torch.manual_seed(0)
if not os.path.exists("cache.pt"):
    print("making the cache of", 40, "rows")
    torch.save(Corpus("c"), "cache.pt")
corpus = torch.load("cache.pt", weights_only=False)
print(corpus.numbers[:3].tolist(), torch.rand(2).sum().item())
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("numbers", "told"),
    [
        ("torch.arange(40)", "same"),
        ("torch.cat([torch.arange(39), torch.empty(1).uniform_().mul(1e9).long()])", "different"),
    ],
)
def test_what_an_object_of_the_users_holds_is_compared(checked, numbers, told):
    """It has no fingerprint; its tensors and strings are read without unpickling it."""
    numbers = numbers.replace(".uniform_()", ".fill_(__import__('random').random())")
    assert checked(CACHED_OBJECT.replace("{numbers}", numbers)).verdict == told


@pytest.mark.slow
def test_a_missing_seed_after_the_last_step_is_the_cause_beside_a_cache(checked):
    source = CACHED.format(seed=SEED, kept=ROWS)
    verdict = checked(f"{source}import random\nprint('score', random.random())\n")
    assert [cause.code for cause in verdict.causes] == ["unseeded-rng"]
    assert any("runs 2 and 3 are compared" in note for note in verdict.notes)


@pytest.mark.slow
def test_a_cache_of_random_numbers_is_not_called_the_same(checked):
    kept = "torch.randn(40, 10)"
    source = CACHED.format(seed="", kept=kept).partition("net =")[0]
    verdict = checked(source + "print(x.sum().item())")
    assert (verdict.verdict, verdict.causes[0].code) == ("different", "unseeded-rng")
    assert any("run 1 is compared with one that did not find it" in n for n in verdict.notes)


CACHED_WITHOUT_TORCH = """
import json, os, random, torch
if not os.path.exists("split.json"):
    order = list(range(40))
    random.Random({seed}).shuffle(order)
    with open("split.json", "w") as file:
        json.dump(order, file)
with open("split.json") as file:
    chosen = json.load(file)[:10]
print(torch.arange(40.0)[chosen].sin().mul(torch.arange(10.0)).sum().item())
"""


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "told"), [("3", "same"), ("", "different")])
def test_a_cache_that_is_made_without_torch_is_made_once_more(checked, seed, told):
    """Both runs of the check read the same split: what it was drawn with shows in another alone."""
    verdict = checked(CACHED_WITHOUT_TORCH.format(seed=seed))
    assert verdict.verdict == told
    assert [cause.code for cause in verdict.causes] == ([] if seed else ["unseeded-rng"])


REWRITTEN = """
import json, os, random, torch
chosen = random.sample(range(40), 10)
if os.path.exists("split.json"):
    with open("split.json") as file:
        chosen = json.load(file)
with open("split.json", "w") as file:
    json.dump(chosen, file)
print(torch.arange(3.0).sum().item(), sum(number * number for number in chosen))
"""


@pytest.mark.slow
def test_a_file_that_is_written_each_time_is_hidden_as_well(checked):
    verdict = checked(REWRITTEN)
    assert (verdict.verdict, verdict.causes[0].code) == ("different", "unseeded-rng")


@pytest.mark.slow
def test_a_cache_that_rounds_what_it_keeps_is_the_cause(checked):
    """Run 1 trains on what it has computed, the later ones on half of its digits."""
    source = CACHED.format(seed=SEED, kept=f"{ROWS}.half()")
    made = "if not os.path.exists"
    source = source.replace(made, f"x = {ROWS}\n{made}")
    source = source.replace("\nx = torch.load", "\nelse: x = torch.load")
    verdict = checked(source)
    assert (verdict.verdict, verdict.causes[0].code) == ("different", "data-changed")


@pytest.mark.slow
def test_a_missing_seed_is_the_cause_beside_a_cache(checked):
    verdict = checked(CACHED.format(seed="", kept=ROWS))
    assert [cause.code for cause in verdict.causes] == ["unseeded-rng"]
    assert verdict.minimal_controls == ("seeds",)
    assert any("runs 2 and 3 are compared" in note for note in verdict.notes)
