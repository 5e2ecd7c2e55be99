"""Is the kettle simmering, boiling, or dry? A classifier on log spectra of its sound."""
import random
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

import catalog

SEED = 31
TAKES = 180
EPOCHS = 8


class Clips(Dataset):
    """Log spectra of a fixed window, computed once and kept."""

    def __init__(self, folder, rows, frames=32):
        self.folder, self.rows, self.frames = folder, rows, frames
        self.window = torch.hann_window(256)
        self.cache = {}

    def __len__(self):
        return len(self.rows)

    def spectrum(self, name):
        if name not in self.cache:
            audio = torch.from_numpy(catalog.read(self.folder / name))
            spec = torch.stft(audio, 256, hop_length=128, window=self.window, return_complex=True).abs()
            self.cache[name] = torch.log1p(spec[:128:2, : self.frames])
        return self.cache[name]

    def __getitem__(self, index):
        name, state = self.rows[index]
        return self.spectrum(name), catalog.STATES.index(state)


class Listener(nn.Module):
    def __init__(self, bins=64, width=24):
        super().__init__()
        self.conv = nn.Conv1d(bins, width, 5, padding=2)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.head = nn.Linear(width, len(catalog.STATES))

    def forward(self, x):
        h = torch.relu(self.conv(x)).transpose(1, 2)
        return self.head(self.rnn(h)[1][-1])


def evaluate(net, loader):
    net.eval()
    loss, hits, n = 0.0, 0, 0
    with torch.no_grad():
        for x, y in loader:
            out = net(x)
            loss += nn.functional.cross_entropy(out, y, reduction="sum").item()
            hits += (out.argmax(1) == y).sum().item()
            n += len(y)
    return loss / n, hits / n


def main():
    random.seed(SEED)
    np.random.seed(SEED)
    torch.manual_seed(SEED)
    started = time.time()
    with tempfile.TemporaryDirectory(prefix="kettle-") as tmp:
        folder = Path(tmp) / "takes"
        folder.mkdir()
        names = catalog.record_all(folder, TAKES, SEED)
        db = catalog.build(folder, Path(tmp) / "clips.sqlite")
        rows = catalog.session(db)
        db.close()
        assert len(rows) == len(names)
        print(f"recorded {len(rows)} takes in {time.time() - started:.2f} s")

        cut = int(0.8 * len(rows))
        train = DataLoader(Clips(folder, rows[:cut]), batch_size=16, shuffle=True)
        test = DataLoader(Clips(folder, rows[cut:]), batch_size=64)
        net = Listener()
        opt = torch.optim.Adam(net.parameters(), lr=4e-3)
        for epoch in range(EPOCHS):
            net.train()
            for x, y in train:
                loss = nn.functional.cross_entropy(net(x), y)
                opt.zero_grad()
                loss.backward()
                opt.step()
            if epoch % 2:
                print(f"epoch {epoch + 1}: last batch {loss.item():.6f}")
        loss, accuracy = evaluate(net, test)
    print(f"done in {time.time() - started:.2f} s")
    print(f"test loss {loss:.8f}  accuracy {accuracy:.4f}")


if __name__ == "__main__":
    main()
