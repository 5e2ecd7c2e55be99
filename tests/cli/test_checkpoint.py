"""`samebits checkpoint`: what a checkpoint holds, whether it is whole, where two differ."""

from __future__ import annotations

import json

import pytest
import torch
from torch import nn

import samebits
from samebits.training.control import isolated_rng


@pytest.fixture
def ckpt(tmp_path):
    with isolated_rng():
        torch.manual_seed(0)
        model = nn.Linear(3, 2)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        settings = {"lr": -0.0, "names": ("a", 1)}
        run = samebits.Checkpoint(
            tmp_path / "ckpt", model=model, optimizer=optimizer, settings=settings
        )
        run.save()
        model(torch.ones(1, 3)).sum().backward()
        settings["lr"] = 0.0
        run.save()
        with torch.no_grad():
            model.weight[0, 0] = torch.nextafter(model.weight[0, 0], torch.tensor(9.0))
        run.save()
    return tmp_path / "ckpt"


def test_inspect(cli, ckpt):
    result = cli("checkpoint", "inspect", ckpt)
    assert result.exit_code == 0
    assert "step 3, epoch 0" in result.output
    assert "model      Linear        4     64" in result.output
    assert "32 bytes of model are gradients" in result.output
    assert "generators: python, numpy, torch-cpu" in result.output
    told = json.loads(cli("checkpoint", "inspect", ckpt / "step-00000001", "--json").output)
    assert told["step"] == 1
    assert [part["name"] for part in told["components"]] == ["model", "optimizer", "settings"]


def test_verify(cli, ckpt):
    assert cli("checkpoint", "verify", ckpt).output.count("whole") == 3
    file = ckpt / "step-00000002" / "tensors.safetensors"
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)
    result = cli("checkpoint", "verify", ckpt)
    assert result.exit_code == 1
    assert "DAMAGED" in result.output
    assert "are not what was written: their checksum differs" in result.output


def test_verify_looks_at_what_names_the_latest(cli, ckpt):
    (ckpt / "latest").write_bytes(b"junk")
    result = cli("checkpoint", "verify", ckpt)
    assert result.exit_code == 1
    assert result.output.count("whole") == 3
    assert "latest is not what was written" in result.output


def test_diff(cli, ckpt):
    steps = [ckpt / f"step-0000000{n}" for n in (1, 2, 3)]
    assert cli("checkpoint", "diff", steps[0], steps[0]).output.startswith("same")
    result = cli("checkpoint", "diff", steps[0], steps[1])
    assert result.exit_code == 1
    assert "settings.lr: -0.0 in A, 0.0 in B" in result.output
    assert "model.gradients.weight: only in B" in result.output
    result = cli("checkpoint", "diff", steps[1], steps[2])
    assert "model.state_dict.weight: other values, float32[2, 3]" in result.output
    assert "1 ULP" in result.output
    told = json.loads(cli("checkpoint", "diff", steps[1], steps[2], "--json").output)
    assert [one["key"] for one in told] == ["step", "model.state_dict.weight"]


def test_where_there_is_none(cli, tmp_path):
    for command in ("inspect", "verify"):
        result = cli("checkpoint", command, tmp_path)
        assert result.exit_code == 2
        assert "there is no checkpoint in" in result.output


def test_names_from_a_file_are_made_printable(cli, tmp_path):
    run = samebits.Checkpoint(tmp_path / "c")
    run.register("evil\x1b[31m\u202e", nn.Linear(1, 1))
    run.save()
    output = cli("checkpoint", "inspect", tmp_path / "c").output
    assert "\x1b" not in output
    assert "evil\\x1b[31m\\u202e" in output


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--resume", "train.py"], "add --kill-at-step"),
        (["--kill-rank", "1"], "add --kill-at-step"),
        (["--kill-at-step", "3", "--runs", "3"], "makes three runs of its own"),
        (["--kill-at-step", "3", "--resume", "'"], "cannot be read"),
        (["--kill-at-step", "3", "--resume", "python"], "names no script"),
        (["--kill-at-step", "3", "--resume", "other.py"], "there is no script other.py"),
    ],
)
def test_wrong_usage_of_kill_at_step(cli, options, what):
    result = cli("check", *options, "train.py")
    assert result.exit_code == 2
    assert what in result.output
