"""Nowcasting: predicts the last radar sweep from the five before it."""
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader

from stream import SweepStream
from sweeps import FRAMES, read_volume, storm, write_archive

SEED = 5
EPOCHS = 3
VOLUMES = 12
PER_VOLUME = 18


class Nowcast(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.enter = nn.Conv2d(FRAMES - 1, width, 5, padding=2, padding_mode="circular")
        self.middle = nn.Conv2d(width, width, 5, padding=2, padding_mode="circular")
        self.leave = nn.Conv2d(width, 1, 3, padding=1, padding_mode="circular")
        self.drop = nn.Dropout2d(0.1)

    def forward(self, past):
        h = F.gelu(self.enter(past))
        h = self.drop(F.gelu(self.middle(h)) + h)
        return past[:, -1:] + self.leave(h)


def main():
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    model = Nowcast()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)

    with tempfile.TemporaryDirectory(prefix="radar-") as folder:
        paths = write_archive(Path(folder) / "archive", VOLUMES, PER_VOLUME, SEED)
        print(f"{len(paths)} volumes, {sum(p.stat().st_size for p in paths) / 1e6:.1f} MB under {folder}")
        stream = SweepStream(paths, read_volume, SEED)
        loader = DataLoader(stream, batch_size=12, num_workers=2, prefetch_factor=4)
        for epoch in range(EPOCHS):
            stream.set_epoch(epoch)
            began, total, count = time.perf_counter(), 0.0, 0
            for frames in loader:
                loss = F.smooth_l1_loss(model(frames[:, :-1]), frames[:, -1:])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total += loss.item() * len(frames)
                count += len(frames)
            print(f"epoch {epoch}: loss {total / count:.6f}, {count} sweeps of {stream.ticket.value.value} volumes, "
                  f"{count / (time.perf_counter() - began):.0f} sweeps/s")

    model.eval()
    rng = np.random.default_rng(99)
    held_out = torch.stack([torch.from_numpy(storm(rng).astype("float32") / 128 - 0.5) for _ in range(48)])
    with torch.no_grad():
        error = F.l1_loss(model(held_out[:, :-1]), held_out[:, -1:]).item()
        persistence = F.l1_loss(held_out[:, -2:-1], held_out[:, -1:]).item()
    print(f"test error {error:.6f} (persistence {persistence:.6f})")
    torch.save(model.state_dict(), "nowcast.pt")


if __name__ == "__main__":
    main()
