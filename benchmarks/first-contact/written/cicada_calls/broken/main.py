"""Cicada species from half a second of sound."""
import json
import time
import uuid
from pathlib import Path

import numpy as np
import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from sklearn.decomposition import PCA
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import GroupShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from extract import extract_all

HERE = Path(__file__).resolve().parent
SEED = 5
EPOCHS = 15


def main():
    began = time.time()
    torch.set_num_threads(1)
    set_seed(SEED)
    run = f"cicada-{uuid.uuid4()}"
    print(f"run {run}")

    x, y, groups = extract_all(began)
    split = GroupShuffleSplit(n_splits=1, test_size=0.25, random_state=SEED)
    train, test = next(split.split(x, y, groups))
    reduce = make_pipeline(StandardScaler(), PCA(40, whiten=True, random_state=SEED))
    x_train = torch.from_numpy(reduce.fit_transform(x[train]).astype(np.float32))
    x_test = torch.from_numpy(reduce.transform(x[test]).astype(np.float32))
    y_train = torch.from_numpy(y[train])
    print(f"[{time.time() - began:5.1f}s] {len(train)} pieces to train on, {len(test)} to test")

    accelerator = Accelerator(cpu=True)
    model = nn.Sequential(nn.Linear(40, 64), nn.ReLU(), nn.Dropout(0.3),
                          nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))
    opt = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.05)
    loader = DataLoader(TensorDataset(x_train, y_train), batch_size=32, shuffle=True)
    model, opt, loader = accelerator.prepare(model, opt, loader)
    for epoch in range(1, EPOCHS + 1):
        model.train()
        total = 0.0
        for xb, yb in loader:
            loss = nn.functional.cross_entropy(model(xb), yb)
            opt.zero_grad()
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(model.parameters(), 2.0)
            opt.step()
            total += loss.item() * len(yb)
        if epoch % 5 == 0:
            print(f"[{time.time() - began:5.1f}s] epoch {epoch:2d} loss {total / len(train):.4f}",
                  flush=True)

    model = accelerator.unwrap_model(model).eval()
    with torch.no_grad():
        guess = model(x_test).argmax(1).numpy()
    score = balanced_accuracy_score(y[test], guess)
    out = HERE / "out"
    out.mkdir(exist_ok=True)
    torch.save(model.state_dict(), out / "weights.pt")
    (out / "results.json").write_text(json.dumps(
        {"run": run, "balanced_accuracy": float(score), "train_loss": total / len(train),
         "explained": float(reduce[-1].explained_variance_ratio_.sum()),
         "seconds": round(time.time() - began, 2)}, indent=2))
    print(f"balanced accuracy {score:.4f}, {time.time() - began:.1f} s")


if __name__ == "__main__":
    main()
