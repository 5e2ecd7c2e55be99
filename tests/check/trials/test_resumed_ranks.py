"""`check --kill-at-step` and `--kill-rank` where a script starts its ranks."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from samebits.check.record.plan import RunPlan
from samebits.check.record.run import Target
from samebits.check.trials.resume_proof import prove_resume

SCRIPT = """
import os, sys, torch, torch.distributed as dist, torch.multiprocessing as mp
from torch import nn

def train(rank, store, lost):
    dist.init_process_group(
        "gloo", init_method=f"file://{store}", rank=rank, world_size=2
    )
    torch.manual_seed(0)
    model = nn.parallel.DistributedDataParallel(nn.Linear(4, 2))
    optimizer = torch.optim.AdamW(model.parameters(), 0.01)
    begin = 0
    if os.path.exists("last.pt"):
        state = torch.load("last.pt")
        model.load_state_dict(state["model"])
        if lost != "optimizer":
            optimizer.load_state_dict(state["optimizer"])
        begin = state["step"]
    for step in range(begin, 8):
        optimizer.zero_grad()
        model(torch.full((3, 4), float(rank + step))).square().mean().backward()
        optimizer.step()
        if rank == 0:
            state = {"model": model.state_dict(), "optimizer": optimizer.state_dict()}
            torch.save({**state, "step": step + 1}, "last.tmp")
            os.replace("last.tmp", "last.pt")
        dist.barrier()
    dist.destroy_process_group()

if __name__ == "__main__":
    store = os.path.abspath("store")
    if os.path.exists(store):
        os.remove(store)
    mp.spawn(train, (store, sys.argv[1]), 2)
"""


@pytest.fixture
def prove(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(textwrap.dedent(SCRIPT))

    def go(lost: str = "nothing", kill_rank: int | None = None):
        target = Target(script=Path("train.py"), args=(lost,))
        plan = RunPlan(capture_output=True, timeout=60.0)
        out = tmp_path / "runs"
        return prove_resume(target, target, kill_at_step=4, kill_rank=kill_rank, plan=plan, out=out)

    return go


@pytest.mark.slow
def test_all_ranks_are_killed_and_each_resumes(prove):
    verdict = prove()
    assert (verdict.verdict, verdict.not_compared) == ("same", ())
    assert [run.exit_code for run in verdict.runs] == [0, -9, 0]
    assert {one.exit_code for one in verdict.runs[1].processes} <= {-9, None}
    assert "rank 0 at step 3, rank 1 at step 3" in verdict.notes[0]


@pytest.mark.slow
def test_one_rank_is_killed_and_the_other_fails_of_it(prove):
    verdict = prove(kill_rank=1)
    assert (verdict.verdict, verdict.not_compared) == ("same", ())
    killed = {one.name: one.exit_code for one in verdict.runs[1].processes}
    assert killed["rank 1"] == -9
    assert verdict.runs[1].exit_code == 1


@pytest.mark.slow
def test_what_a_rank_does_not_bring_back_is_told(prove):
    verdict = prove("optimizer")
    assert verdict.verdict == "different"
    assert verdict.first_divergence.process in ("rank 0", "rank 1")
    assert verdict.causes[0].code == "resume-state"


@pytest.mark.slow
def test_a_rank_that_is_not_there_is_not_killed(prove):
    verdict = prove(kill_rank=5)
    assert verdict.verdict == "failed"
    assert "where rank 5 was to be killed" in verdict.notes[0]
