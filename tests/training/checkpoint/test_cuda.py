"""Tensors and generators on a GPU."""

from __future__ import annotations

import pytest
import torch
from torch import nn

import samebits
from samebits.errors import CheckpointError

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device"),
]


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_resumed_run_on_a_gpu_ends_with_the_same_bits(tmp_path, asynchronous):
    def train(folder, steps):
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.5), nn.Linear(8, 1)).cuda()
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
        scaler = torch.amp.GradScaler("cuda")
        run = samebits.Checkpoint(
            folder, asynchronous=asynchronous, model=model, optimizer=optimizer, scaler=scaler
        )
        run.restore()
        while run.step < steps:
            optimizer.zero_grad()
            with torch.autocast("cuda"):
                loss = model(torch.randn(4, 8, device="cuda")).square().mean()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            run.save()
        run.wait()
        return samebits.fingerprint([model, optimizer, scaler, torch.cuda.get_rng_state()])

    straight = train(tmp_path / "a", 8)
    train(tmp_path / "b", 5)
    assert train(tmp_path / "b", 8) == straight


def test_another_device_is_refused_by_key(tmp_path):
    samebits.Checkpoint(tmp_path, model=nn.Linear(2, 2).cuda()).save()
    model = nn.Linear(2, 2)
    run = samebits.Checkpoint(tmp_path, model=model)
    with pytest.raises(CheckpointError, match=r"model\.weight was on cuda, and is on cpu"):
        run.restore()
    with pytest.warns(UserWarning, match="was on cuda"):
        run.restore(strict=False)
