"""Tell swarming from everyday life in a bee hive."""
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from intake import Intake
from loggers import write_logs

SEED = 77
HERE = Path(__file__).parent


def detector():
    return nn.Sequential(
        nn.Conv1d(3, 16, 5, padding=2), nn.ReLU(), nn.MaxPool1d(2),
        nn.Conv1d(16, 24, 5, padding=2), nn.ReLU(), nn.AdaptiveAvgPool1d(1),
        nn.Flatten(), nn.Dropout(0.2), nn.Linear(24, 1),
    )


def main():
    torch.manual_seed(SEED)
    paths = write_logs(HERE / "logs", SEED)
    began = time.perf_counter()
    logs = Intake(paths).collect()
    print(f"read {len(logs)} logs in {time.perf_counter() - began:.3f} s")

    # The last six hives of the apiary are kept for the test.
    held = {path.stem for path in paths[-6:]}
    train = [log for log in logs if paths[log.number].stem not in held]
    test = [log for log in logs if paths[log.number].stem in held]
    stack = lambda part: TensorDataset(
        torch.from_numpy(np.concatenate([log.windows for log in part])).float(),
        torch.from_numpy(np.concatenate([log.labels for log in part])).float(),
    )
    loader = DataLoader(stack(train), batch_size=32, shuffle=True, generator=torch.Generator().manual_seed(SEED))
    windows, labels = stack(test).tensors

    model = detector()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=8)
    criterion = nn.BCEWithLogitsLoss(pos_weight=torch.tensor(3.0))
    for epoch in range(8):
        model.train()
        total = 0.0
        for inputs, targets in loader:
            loss = criterion(model(inputs).squeeze(1), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(inputs)
        schedule.step()
        model.eval()
        with torch.no_grad():
            scores = model(windows).squeeze(1)
        hit = ((scores > 0) == (labels > 0.5)).float().mean().item()
        print(f"epoch {epoch}: loss {total / len(loader.dataset):.6f}, right {hit:.4f}")

    np.savez(HERE / "scores.npz", scores=scores.numpy(), labels=labels.numpy())
    torch.save(model.state_dict(), HERE / "detector.pt")


if __name__ == "__main__":
    main()
