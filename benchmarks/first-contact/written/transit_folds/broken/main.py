"""Finds planets in folded light curves: simulate, gather, train with a hold-out, write the ranking."""
import random
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from sklearn.metrics import average_precision_score
from torch import nn
from torch.utils.data import DataLoader

from dataset import FoldedCurves, gather
from lightcurves import simulate

SEED = 1309


def make_model():
    return nn.Sequential(
        nn.Conv1d(1, 16, 7, padding=3), nn.ReLU(), nn.MaxPool1d(2),
        nn.Conv1d(16, 24, 5, padding=2), nn.ReLU(), nn.MaxPool1d(2),
        nn.Flatten(), nn.Linear(24 * 32, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 1),
    )


def main():
    random.seed(SEED)
    np.random.seed(SEED)
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    clock = time.perf_counter()

    with tempfile.TemporaryDirectory(prefix="spool-") as folder:
        simulate(16, SEED, Path(folder))
        curves, labels = gather(Path(folder))
    print(f"{len(curves)} curves after {time.perf_counter() - clock:.1f}s")
    held = len(curves) // 5
    train = FoldedCurves(curves[held:], labels[held:], augment=True)
    loader = DataLoader(train, batch_size=64, shuffle=True, num_workers=2, generator=torch.Generator().manual_seed(SEED))

    checkpoints = Path("checkpoints")
    checkpoints.mkdir(exist_ok=True)
    model = make_model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    for epoch in range(1, 6):
        model.train()
        losses = []
        for x, y in loader:
            loss = nn.functional.binary_cross_entropy_with_logits(model(x).squeeze(1), y.float())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        model.eval()
        with torch.no_grad():
            scores = model(curves[:held].unsqueeze(1)).squeeze(1)
        ap = average_precision_score(labels[:held].numpy(), scores.numpy())
        torch.save({"epoch": epoch, "model": model.state_dict(), "at": time.time()}, checkpoints / f"epoch{epoch}.pt")
        print(f"{time.strftime('%H:%M:%S')} {len(losses) * epoch / (time.perf_counter() - clock):.1f} batches/s overall")
        print(f"epoch {epoch} loss={np.mean(losses):.6f} ap={ap:.6f}")

    ranking = scores.argsort(descending=True, stable=True)
    np.savetxt("ranking.txt", ranking[:100].numpy(), fmt="%d")
    print("best candidates", ranking[:10].tolist())


if __name__ == "__main__":
    main()
