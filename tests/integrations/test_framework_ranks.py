"""Trainings of two ranks that Accelerate and Lightning start, checked as their users would."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ACCELERATE = """
    import torch
    from accelerate import Accelerator, debug_launcher
    from torch import nn
    from torch.utils.data import DataLoader, TensorDataset

    def main():
        accelerator = Accelerator(cpu=True)
        noise = torch.Generator().manual_seed(7)
        torch.manual_seed(5)
        x = torch.randn(24, 6)
        loader = DataLoader(TensorDataset(x, x.sum(1, True)), batch_size=4, shuffle=True)
        model = nn.Sequential(nn.Linear(6, 8), nn.Dropout(0.2), nn.Linear(8, 1))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
        model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
        torch.manual_seed(100 + accelerator.process_index)
        for x, y in loader:
            if accelerator.process_index == 1:
                x = x + 0.01 * torch.randn(x.shape, generator=noise)
            optimizer.zero_grad()
            accelerator.backward(nn.functional.mse_loss(model(x), y))
            optimizer.step()
        accelerator.end_training()

    if __name__ == "__main__":
        START
"""
LIGHTNING = """
    import lightning as L
    import torch
    from torch import nn
    from torch.utils.data import DataLoader, TensorDataset

    noise = torch.Generator().manual_seed(7)

    class Model(L.LightningModule):
        def __init__(self):
            super().__init__()
            self.net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 1))

        def training_step(self, batch, number):
            x, y = batch
            if self.global_rank == 1:
                x = x + 0.01 * torch.randn(x.shape, generator=noise)
            return nn.functional.mse_loss(self.net(x), y)

        def configure_optimizers(self):
            return torch.optim.AdamW(self.parameters(), lr=0.01)

    if __name__ == "__main__":
        L.seed_everything(3)
        x = torch.randn(24, 6)
        trainer = L.Trainer(
            max_epochs=1, accelerator="cpu", devices=2, strategy="START",
            logger=True, enable_progress_bar=False,
        )
        data = TensorDataset(x, x.sum(1, True))
        trainer.fit(Model(), DataLoader(data, batch_size=4, shuffle=True))
"""
SEEDED, UNSEEDED = "torch.Generator().manual_seed(7)", "torch.Generator(); noise.seed()"
LAUNCH = ("accelerate", "launch", "--multi_gpu", "--num_processes=2", "--main_process_port=0")
"""It is the way to several ranks on a CPU, too: `--cpu` alone starts one, or needs MPI."""
BESIDE = str(Path(sys.executable).parent)
"""Where the environment's own commands are."""
WAYS = {
    "accelerate launch": ("accelerate", ACCELERATE, "main()", LAUNCH),
    "debug_launcher": ("accelerate", ACCELERATE, "debug_launcher(main, num_processes=2)", ()),
    "ddp": ("lightning", LIGHTNING, "ddp", ()),
    "ddp_spawn": ("lightning", LIGHTNING, "ddp_spawn", ()),
}


def checked(folder: Path, text: str, words: tuple[str, ...]) -> dict:
    """The verdict file of a check of this script."""
    (folder / "train.py").write_text(textwrap.dedent(text))
    command = [sys.executable, "-m", "samebits", "check", "--quiet", "--json", "verdict.json"]
    subprocess.run(
        [*command, "--out", "runs", *words, "train.py"],
        cwd=folder,
        env={**os.environ, "PATH": os.pathsep.join((BESIDE, os.environ["PATH"]))},
        check=False,
        timeout=500,
    )
    return json.loads((folder / "verdict.json").read_text())


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="ranks on gloo are tried on Linux")
@pytest.mark.parametrize("way", WAYS)
def test_a_training_of_two_ranks(way, tmp_path):
    framework, script, start, words = WAYS[way]
    if importlib.util.find_spec(framework) is None:
        pytest.skip(f"{framework} is not installed")
    if words and shutil.which(words[0], path=BESIDE) is None:
        pytest.skip(f"the command {words[0]} is not beside the interpreter")
    script = script.replace("START", start)
    for name in ("sound", "broken"):
        (tmp_path / name).mkdir()

    verdict = checked(tmp_path / "sound", script, words)
    assert (verdict["verdict"], verdict["not_compared"]) == ("same", [])

    verdict = checked(tmp_path / "broken", script.replace(SEEDED, UNSEEDED), words)
    assert verdict["verdict"] == "different"
    divergence, cause = verdict["first_divergence"], verdict["causes"][0]
    lines = textwrap.dedent(script).split("\n")
    drawn = next(n for n, line in enumerate(lines, 1) if "generator=noise" in line)
    seeded = next(n for n, line in enumerate(lines, 1) if "noise = torch" in line)
    assert (divergence["op"], divergence["line"]) == ("aten.randn.generator", drawn)
    assert divergence["process"].endswith("rank 1")
    assert (cause["code"], cause["line"]) == ("unseeded-rng", seeded)
    assert Path(cause["file"]).name == "train.py"
