"""What a script asks its model by the clock for the person who looks on is no difference."""

from __future__ import annotations

from pathlib import Path

import pytest

from samebits.check.record.plan import RunPlan
from samebits.check.record.run import Target
from samebits.check.trials.experiment import check
from samebits.check.trials.limits import Limits

TRAINING = """
import os, sys, time, zlib
from pathlib import Path
import torch

torch.manual_seed(0)
torch.set_num_threads(1)
net = torch.nn.Sequential(torch.nn.Linear(32, 32), torch.nn.BatchNorm1d(32), torch.nn.Linear(32, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

def now_and_then():
    # By no period: one that a clock goes on by at each question, it meets always or never.
    return zlib.crc32(repr(time.monotonic()).encode()) % 5 == 0

@torch.inference_mode()
def answer(probe):
    net.eval()
    began = time.perf_counter()
    given = net(probe)
    print("an answer takes", time.perf_counter() - began, file=sys.stderr)
    net.train()
    return given

{before}
for step in range(100):
    loss = net(torch.sin(torch.arange(256.0) * step).reshape(8, 32)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    {always}
    if 0 < step < 90 and now_and_then():
        {heartbeat}
print("loss", loss.item())
{after}
"""
PROBE = "torch.zeros(4, 32)"


def training(heartbeat=f"answer({PROBE})", before="", always="", after=""):
    after += "\ntorch.save(net.state_dict(), 'net.pt')"
    return TRAINING.format(before=before, heartbeat=heartbeat, always=always, after=after)


SHOWN = {
    "to nobody who is recorded": training(),
    "in print": training(f"print('step', step, 'shows', answer({PROBE}).mean().item())"),
}
KEPT = {
    "draws from the generator of the training": training("answer(torch.rand(4, 32))"),
    "moves the averages of the model": training("net(torch.ones(4, 32))"),
    "is saved": training(
        before="best = torch.zeros(())",
        heartbeat=f"best = torch.maximum(best, answer({PROBE} + step).mean())",
        after="torch.save(best, 'best.pt')",
    ),
    "is counted": training(
        before="shown = []", heartbeat=f"shown.append(answer({PROBE}))", after="print(len(shown))"
    ),
    "comes after the last step": training(
        "pass", after=f"while not now_and_then():\n    answer({PROBE})\n"
    ),
    "stands beside an evaluation with noise": training(
        always="0 < step < 9 and answer(torch.tensor(list(os.urandom(128))).reshape(4, 32) / 99)",
    ),
    "stands beside a file that counts": training(
        before="""
count = Path("count.txt")
number = int(count.read_text()) if count.exists() else 0
count.write_text(str(number + 1))
""",
        always="answer(torch.full((4, 32), number / 9)) if step % 20 == 5 else None",
    ),
    "stands beside what came out the same by luck": training(
        # By the real clock it always does; pinned clocks begin in another year.
        before="lucky = 'yes'",
        heartbeat=f"answer({PROBE}); lucky = 'no' if time.time() < 1.71e9 else lucky",
        after="print('lucky', lucky)",
    ),
}


@pytest.fixture
def checked(tmp_path, monkeypatch):
    def run(source):
        Path(tmp_path, "script.py").write_text(source)
        monkeypatch.chdir(tmp_path)
        return check(
            Target(script=Path("script.py")),
            plan=RunPlan(capture_output=True),
            out=tmp_path / "out",
            limits=Limits(runs=0),
        )

    return run


@pytest.mark.parametrize("source", SHOWN.values(), ids=SHOWN)
def test_what_is_shown_by_the_clock_is_a_note(checked, source):
    verdict = checked(source)
    assert (verdict.verdict, verdict.closer, verdict.causes) == ("same", (), ())
    assert any("comes in other steps in each run" in note for note in verdict.notes)


@pytest.mark.parametrize("source", KEPT.values(), ids=KEPT)
def test_what_is_kept_of_it_is_a_difference(checked, source):
    assert checked(source).verdict == "different"
