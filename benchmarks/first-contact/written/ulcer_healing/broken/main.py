"""Will the leg ulcer have healed by week 24? Early weeks in, probability out."""
import json
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from sklearn.metrics import roc_auc_score
from torch.utils.data import DataLoader, TensorDataset

import cohort
from model import HealingNet

CONFIG = {"seed": 2024, "patients": 320, "folds": 5, "held_out": 0, "epochs": 7, "lr": 4e-3, "batch": 16}


def tensors(patients, mean, std):
    x = np.stack([(p.visits - mean) / std for p in patients])
    y = np.array([p.healed for p in patients], dtype=np.float32)
    return torch.from_numpy(x), torch.from_numpy(y)


def main(cfg):
    torch.manual_seed(cfg["seed"])
    with tempfile.TemporaryDirectory(prefix="ulcer-") as tmp:
        cohort.export(Path(tmp), cfg["patients"], cfg["seed"])
        patients = cohort.load(Path(tmp), cfg["folds"])

    fit = [p for p in patients if p.fold != cfg["held_out"]]
    held = [p for p in patients if p.fold == cfg["held_out"]]
    stacked = np.concatenate([p.visits for p in fit])
    mean, std = stacked.mean(0), stacked.std(0) + 1e-6
    x, y = tensors(fit, mean, std)
    xh, yh = tensors(held, mean, std)
    print(f"{len(fit)} patients to fit, {len(held)} held out")

    order = torch.Generator().manual_seed(cfg["seed"] + 1)
    loader = DataLoader(TensorDataset(x, y), cfg["batch"], shuffle=True, generator=order)
    net = HealingNet(x.shape[-1])
    opt = torch.optim.AdamW(net.parameters(), lr=cfg["lr"])
    loss_fn = torch.nn.BCEWithLogitsLoss()
    for epoch in range(cfg["epochs"]):
        t = time.time()
        net.train()
        total = 0.0
        for xb, yb in loader:
            opt.zero_grad()
            loss = loss_fn(net(xb), yb)
            loss.backward()
            opt.step()
            total += loss.item() * len(xb)
        print(f"epoch {epoch}: loss {total / len(x):.5f} ({time.time() - t:.2f}s)")

    net.eval()
    with torch.no_grad():
        p = torch.sigmoid(net(xh))
    result = {"auc": round(float(roc_auc_score(yh.numpy(), p.numpy())), 5),
              "brier": round(float(((p - yh) ** 2).mean()), 5)}
    print("held out:", result)
    Path("result.json").write_text(json.dumps({"config": cfg, **result}, indent=1))
    torch.save(net.state_dict(), "healing.pt")


if __name__ == "__main__":
    main(CONFIG)
