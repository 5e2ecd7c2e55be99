"""One slice of the training: goes on from the checkpoint of the slice before."""
import json

import torch
from torch import nn

from jitter import Jitter
from ticks import make_watches

SEED, EPOCHS, BATCH = 31, 6, 40


def run_slice(out, number, slices):
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    x, y = make_watches(800, SEED)
    test_x, test_y = make_watches(200, SEED + 1)
    model = nn.Sequential(nn.Conv1d(1, 12, 9, stride=4), nn.ReLU(), nn.Conv1d(12, 16, 5, stride=2), nn.ReLU(),
                          nn.Flatten(), nn.Dropout(0.1), nn.Linear(16 * 29, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    jitter, epoch, curve = Jitter.fresh(SEED), 0, []
    path = out / "slice.ckpt.pt"
    if path.exists():
        saved = torch.load(path, weights_only=False)
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
        torch.set_rng_state(saved["torch"])
        jitter, epoch, curve = Jitter.restored(saved["jitter"]), saved["epoch"], saved["curve"]
        print(f"  going on at epoch {epoch}")

    while epoch < EPOCHS * number // slices:
        total = 0.0
        batches = torch.randperm(len(x)).split(BATCH)
        for rows, stream in zip(batches, jitter.streams(len(batches))):
            loss = nn.functional.mse_loss(model(jitter.shake(x[rows], stream)).squeeze(1), y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(rows)
        epoch += 1
        curve.append(total / len(x))
        print(f"  epoch {epoch} loss {curve[-1]:.5f}", flush=True)

    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "torch": torch.get_rng_state(),
                "jitter": jitter.state(), "epoch": epoch, "curve": curve}, path)
    if number == slices:
        model.eval()
        with torch.no_grad():
            error = 10 * (model(test_x).squeeze(1) - test_y).abs().mean().item()
        torch.save(model.state_dict(), out / "weights.pt")
        (out / "results.json").write_text(json.dumps({"error": error, "epochs": epoch, "curve": curve}))
