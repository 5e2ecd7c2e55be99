"""Which aquifer does a groundwater sample come from?"""
import json
import tempfile
import time
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from lims import fill
from prepare import read_samples, scale_of, split_wells, tensors

HERE = Path(__file__).resolve().parent
SEED = 21
EPOCHS = 30


def build():
    return nn.Sequential(
        nn.Linear(11, 64), nn.GELU(), nn.LayerNorm(64), nn.Dropout(0.15),
        nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 5))


@torch.no_grad()
def evaluate(model, x, y):
    model.eval()
    out = model(x)
    loss = nn.functional.cross_entropy(out, y).item()
    return loss, (out.argmax(1) == y).float().mean().item()


def main():
    began = time.time()
    torch.set_num_threads(1)
    torch.manual_seed(SEED)

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lims.db"
        fill(path)
        table = read_samples(path)
    print(f"[{time.time() - began:5.1f}s] {len(table)} samples of {table['well'].nunique()} wells")

    train, test = split_wells(table)
    mean, std = scale_of(train)
    x, y = tensors(train, mean, std)
    x_test, y_test = tensors(test, mean, std)
    loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True,
                        generator=torch.Generator().manual_seed(SEED))
    model = build()
    opt = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(opt, EPOCHS)
    history = []
    for epoch in range(1, EPOCHS + 1):
        model.train()
        total = 0.0
        for xb, yb in loader:
            loss = nn.functional.cross_entropy(model(xb), yb, label_smoothing=0.05)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(yb)
        schedule.step()
        history.append(total / len(y))
        if epoch % 5 == 0:
            print(f"[{time.time() - began:5.1f}s] epoch {epoch:2d} loss {history[-1]:.4f}",
                  flush=True)

    loss, accuracy = evaluate(model, x_test, y_test)
    out = HERE / "out" / time.strftime("%Y%m%d-%H%M%S")
    out.mkdir(parents=True, exist_ok=True)
    torch.save({"model": model.state_dict(), "mean": mean.to_list(), "std": std.to_list()},
               out / "weights.pt")
    (out / "results.json").write_text(json.dumps(
        {"test_loss": loss, "test_accuracy": accuracy, "history": history,
         "seconds": round(time.time() - began, 2)}, indent=2))
    print(f"test loss {loss:.4f} accuracy {accuracy:.4f}, {time.time() - began:.1f} s")


if __name__ == "__main__":
    main()
