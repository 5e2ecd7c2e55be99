"""Checkpoints of several ranks: replicated models, sharded ones, other world sizes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

PROGRAM = Path(__file__).with_name("ranks.py")

pytestmark = pytest.mark.skipif(
    not (torch.distributed.is_available() and torch.distributed.is_gloo_available()),
    reason="needs torch.distributed with gloo",
)


@pytest.fixture
def ranks(tmp_path):
    """Run tests/training/checkpoint/ranks.py, which forks the ranks; what each of them told."""

    def run(*words: str) -> list[list[dict]]:
        done = subprocess.run(
            [sys.executable, str(PROGRAM), str(tmp_path), *words],
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    return run


def test_ranks_resume_with_the_same_bits(ranks, tmp_path):
    """Of one model replicated and one sharded: straight, resumed, damaged, refused."""
    told = {one["what"]: one for one in ranks("2")}
    for kind in ("replicated", "sharded"):
        assert told[f"{kind} resumed"]["bits"] == told[f"{kind} straight"]["bits"]
        assert told[f"{kind} resumed"]["step"] == 3
        assert told[f"{kind} damaged"]["step"] == 2
        assert "passed over: rank" in told[f"{kind} damaged"]["warned"]
    # What the ranks share is written once.
    files = tmp_path / "replicated" / "step-00000003"
    assert len(told["replicated straight"]["bits"]) == 2
    assert (files / "rank-1" / "tensors.safetensors").stat().st_size * 3 < (
        files / "tensors.safetensors"
    ).stat().st_size
    shards = tmp_path / "sharded" / "step-00000003" / "shards"
    assert sorted(p.name for p in shards.iterdir()) == [
        "shards-0.json",
        "shards-0.safetensors",
        "shards-1.json",
        "shards-1.safetensors",
        "shards.json",
    ]
    assert "1 is not" in told["one rank refuses"]["raised"]
    for what, expected in {
        "state_dict": "rank 1: mine did not give its state: KeyError: 'lost in state_dict'",
        "load_state_dict": "rank 1: mine refused its state: KeyError: 'lost in load_state_dict'",
        "looking": "rank 0: cannot read the folder",
        "looking elsewhere": "rank 0: cannot read the folder",
        "writing": "rank 0: RuntimeError: no such thing",
        "writing on 1": "rank 1: RuntimeError: no such thing",
        "before writing": "rank 0: RuntimeError: no such thing",
    }.items():
        said = told[f"fails in {what}" if what != "before writing" else f"fails {what}"]["said"]
        assert said == [expected] * 2, what
    facts = told["after all that"]
    assert (facts["unchanged"], facts["kept"], facts["restored"]) == (True, True, True)


@pytest.mark.slow
def test_another_world_size(ranks):
    ranks("2")
    told = {one["what"]: one for one in ranks("3", "resize")}
    for kind in ("replicated", "sharded"):
        assert "2 processes wrote the checkpoint, and 3 read it" in told[f"{kind} strict"]["raised"]
        assert told[f"{kind} resized"]["whole"] == told[f"{kind} resized"]["wanted"]
