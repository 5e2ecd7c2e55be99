"""Find wheel flats of trams in the vibration of a pass-by."""
import logging
import shutil
import tempfile
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

from export import export
from records import load_passes, size_on_disk

logging.basicConfig(format="%(asctime)s %(message)s", level=logging.INFO)
log = logging.getLogger("wheelflats")


def build():
    return nn.Sequential(
        nn.Conv1d(1, 16, 9, stride=2, padding=4), nn.BatchNorm1d(16), nn.ReLU(),
        nn.Conv1d(16, 24, 7, stride=2, padding=3), nn.BatchNorm1d(24), nn.ReLU(),
        nn.AdaptiveMaxPool1d(4), nn.Flatten(), nn.Dropout(0.25), nn.Linear(96, 2),
    )


def main():
    torch.manual_seed(3)
    scratch = Path(tempfile.mkdtemp(prefix="wheelflats-"))
    try:
        export(scratch / "nightly")
        log.info("export in %s: %d bytes", scratch / "nightly", size_on_disk(scratch / "nightly"))
        signal, flat, line = load_passes(scratch / "nightly")
    finally:
        shutil.rmtree(scratch)

    signal = (signal - signal.mean()) / signal.std()
    records = TensorDataset(signal[:, None], flat)
    train, test = random_split(records, [0.8, 0.2], generator=torch.Generator().manual_seed(4))
    log.info("%d records of %d lines, %d with flats", len(records), len(line.unique()), int(flat.sum()))

    loader = DataLoader(train, batch_size=48, shuffle=True, generator=torch.Generator().manual_seed(5))
    model = build()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for epoch in range(6):
        model.train()
        total = 0.0
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(y)
        model.eval()
        with torch.no_grad():
            x, y = next(iter(DataLoader(test, batch_size=len(test))))
            right = (model(x).argmax(1) == y).float().mean().item()
        print(f"epoch {epoch}  loss {total / len(train):.6f}  found {right:.4f}")
    torch.save(model.state_dict(), "wheelflats.pt")


if __name__ == "__main__":
    main()
