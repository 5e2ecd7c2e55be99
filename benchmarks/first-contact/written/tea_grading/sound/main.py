"""Grade tea from the spectrum of its infusion."""
import json
import time
from pathlib import Path

import torch
from torch import nn

from infusions import GRADES, load_panel, loaders
from sharding import ShardedBackward

SEED = 41
EPOCHS = 10
SHARDS = 4


def build(bands: int) -> nn.Module:
    return nn.Sequential(
        nn.Linear(bands, 128), nn.LayerNorm(128), nn.GELU(),
        nn.Linear(128, 64), nn.GELU(),
        nn.Linear(64, len(GRADES)),
    )


@torch.no_grad()
def accuracy(model, loader) -> float:
    model.eval()
    hits = sum((model(x).argmax(1) == y).sum().item() for x, y in loader)
    model.train()
    return hits / len(loader.dataset)


def main():
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    panel = load_panel(SEED)
    train, held_out = loaders(panel, batch_size=80, seed=SEED)
    model = build(panel.train.tensors[0].shape[1])
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS * len(train))
    backward = ShardedBackward(model, nn.CrossEntropyLoss(label_smoothing=0.05), SHARDS)

    history = []
    for epoch in range(EPOCHS):
        began, total = time.perf_counter(), 0.0
        for x, y in train:
            total += backward(x, y)
            nn.utils.clip_grad_norm_(model.parameters(), 2.0)
            optimizer.step()
            schedule.step()
        history.append({"loss": total / len(train), "accuracy": accuracy(model, held_out)})
        print(f"epoch {epoch:2d}  loss {history[-1]['loss']:.6f}  "
              f"accuracy {history[-1]['accuracy']:.4f}  ({time.perf_counter() - began:.1f} s)")
    backward.close()

    out = Path("out")
    out.mkdir(exist_ok=True)
    torch.save(model.state_dict(), out / "grader.pt")
    (out / "result.json").write_text(json.dumps(history, indent=1))


if __name__ == "__main__":
    main()
