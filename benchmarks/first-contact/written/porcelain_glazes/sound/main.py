"""
Reflectance spectra of porcelain glazes -> kiln temperature and share of four oxides.

Three stages, as in the lab's nightly job:
  measure   spectra come from the (simulated) spectrometer, tray by tray, and go to Parquet parts
  profile   one pass over the parts for the mean and the deviation of every band
  learn     one-dimensional convolutional network, streaming over the parts
"""
import json
import os
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset

BANDS = 64
OXIDES = ["silica", "alumina", "lime", "potash"]
TRAYS, PER_TRAY = 24, 120
CONFIG = {"epochs": 6, "batch": 32, "buffer": 256, "lr": 3e-3, "seed": 41}


class Spectrometer:
    def __init__(self, seed: int):
        self.rng = np.random.default_rng(seed)
        self.bands = np.linspace(0.0, 1.0, BANDS)
        self.centres = np.array([0.18, 0.37, 0.61, 0.83])

    def tray(self) -> dict[str, np.ndarray]:
        """One tray was fired together: its pieces share the temperature, up to a few degrees."""
        kiln = self.rng.normal(1290, 35)
        recipe = self.rng.dirichlet([6.0, 3.0, 2.0, 1.5])
        temperature = kiln + self.rng.normal(0, 6, PER_TRAY)
        shares = np.abs(recipe + self.rng.normal(0, 0.02, (PER_TRAY, 4)))
        shares /= shares.sum(axis=1, keepdims=True)
        heat = (temperature[:, None, None] - 1290) / 100
        width = 0.05 + 0.02 * np.tanh(heat)
        peaks = np.exp(-(((self.bands[None, None] - self.centres[None, :, None] - 0.02 * heat) / width) ** 2))
        lamp = self.rng.normal(1.0, 0.03)
        spectra = lamp * (0.9 - (shares[:, :, None] * peaks).sum(axis=1))
        spectra += self.rng.normal(0, 0.015, spectra.shape)
        return {"spectrum": spectra.astype(np.float32), "temperature": temperature.astype(np.float32),
                "shares": shares.astype(np.float32)}


def write_part(folder: Path, number: int, tray: dict[str, np.ndarray]) -> Path:
    """Readers see only finished parts: the rows go to a hidden file that gets its name at the end."""
    table = pa.table({
        "spectrum": pa.FixedSizeListArray.from_arrays(pa.array(tray["spectrum"].ravel()), BANDS),
        "shares": pa.FixedSizeListArray.from_arrays(pa.array(tray["shares"].ravel()), len(OXIDES)),
        "temperature": pa.array(tray["temperature"]),
    })
    handle, name = tempfile.mkstemp(prefix=f".tray-{number:03d}-", suffix=".parquet", dir=folder)
    os.close(handle)
    pq.write_table(table, name, compression="zstd")
    final = folder / Path(name).name.lstrip(".")
    os.replace(name, final)
    return final


def read_part(path: Path) -> tuple[torch.Tensor, torch.Tensor]:
    table = pq.read_table(path).combine_chunks()
    columns = {}
    for column in ("spectrum", "shares"):
        flat = table[column].chunk(0).flatten().to_numpy()
        columns[column] = torch.from_numpy(flat.reshape(len(table), -1).copy())
    temperature = torch.from_numpy(table["temperature"].to_numpy().copy())
    target = torch.cat([((temperature - 1290) / 50)[:, None], columns["shares"]], dim=1)
    return columns["spectrum"], target


class Parts(IterableDataset):
    """Streams over the parts through a shuffle buffer, so that the archive need not fit into memory."""

    def __init__(self, paths: list[Path], buffer: int, seed: int):
        self.paths, self.buffer, self.seed, self.epoch = paths, buffer, seed, 0

    def __iter__(self):
        generator = torch.Generator().manual_seed(self.seed + self.epoch)
        held = []
        for path in self.paths:
            for row in zip(*read_part(path)):
                if len(held) < self.buffer:
                    held.append(row)
                    continue
                slot = int(torch.randint(self.buffer, (), generator=generator))
                yield held[slot]
                held[slot] = row
        for slot in torch.randperm(len(held), generator=generator).tolist():
            yield held[slot]


class GlazeNet(nn.Module):
    def __init__(self, mean: torch.Tensor, deviation: torch.Tensor):
        super().__init__()
        self.register_buffer("mean", mean)
        self.register_buffer("deviation", deviation)
        self.body = nn.Sequential(
            nn.Conv1d(1, 12, 5, padding=2), nn.SiLU(), nn.MaxPool1d(2),
            nn.Conv1d(12, 24, 5, padding=2), nn.SiLU(), nn.MaxPool1d(2),
            nn.Flatten(), nn.Linear(24 * BANDS // 4, 48), nn.SiLU(),
        )
        self.temperature = nn.Linear(48, 1)
        self.shares = nn.Linear(48, len(OXIDES))

    def forward(self, spectra):
        hidden = self.body(((spectra - self.mean) / self.deviation)[:, None])
        return torch.cat([self.temperature(hidden), self.shares(hidden).softmax(dim=1)], dim=1)


def profile(paths: list[Path]) -> tuple[torch.Tensor, torch.Tensor]:
    count, total, squares = 0, torch.zeros(BANDS), torch.zeros(BANDS)
    for path in paths:
        spectra, _ = read_part(path)
        count += len(spectra)
        total += spectra.sum(dim=0)
        squares += spectra.square().sum(dim=0)
    mean = total / count
    return mean, (squares / count - mean.square()).clamp_min(1e-8).sqrt()


def error(prediction, target):
    return nn.functional.smooth_l1_loss(prediction[:, 0], target[:, 0]) + \
        25 * nn.functional.mse_loss(prediction[:, 1:], target[:, 1:])


def main() -> None:
    torch.manual_seed(CONFIG["seed"])
    spectrometer = Spectrometer(CONFIG["seed"])
    with tempfile.TemporaryDirectory(prefix="glazes-") as name:
        folder = Path(name)
        for number in range(TRAYS):
            part = write_part(folder, number, spectrometer.tray())
            if number % 8 == 7:
                print(f"{number + 1} trays measured, {part.stat().st_size // 1024} KiB in the last")

        paths = sorted(folder.glob("tray-*.parquet"))
        model = GlazeNet(*profile(paths))
        stream = Parts(paths, CONFIG["buffer"], CONFIG["seed"])
        optimizer = torch.optim.Adam(model.parameters(), lr=CONFIG["lr"])
        losses = []
        for epoch in range(CONFIG["epochs"]):
            stream.epoch = epoch
            total = steps = 0
            for spectra, target in DataLoader(stream, batch_size=CONFIG["batch"]):
                loss = error(model(spectra), target)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total, steps = total + loss.item(), steps + 1
            losses.append(total / steps)
            print(f"epoch {epoch}: {losses[-1]:.5f}")

    fresh = Spectrometer(CONFIG["seed"] + 1)
    trays = [fresh.tray() for _ in range(4)]
    with torch.no_grad():
        guess = model(torch.from_numpy(np.concatenate([t["spectrum"] for t in trays])))
    degrees = (guess[:, 0] * 50 + 1290 - torch.from_numpy(np.concatenate([t["temperature"] for t in trays]))).abs()
    shares = (guess[:, 1:] - torch.from_numpy(np.concatenate([t["shares"] for t in trays]))).abs().mean(dim=0)
    print(f"off by {degrees.mean():.3f} degrees; " + ", ".join(f"{o} {s:.4f}" for o, s in zip(OXIDES, shares)))
    Path("glazes.json").write_text(json.dumps({"losses": losses, "degrees": degrees.mean().item()}, indent=1))
    torch.save(model.state_dict(), "glazes.pt")


if __name__ == "__main__":
    main()
