import os
import tempfile
import time

import torch
from torch import nn

from evaluation import audit, write_report
from store import ITEMS, Store

SEED = 404


def to_tensors(rows):
    x = torch.zeros(len(rows), 4 + len(ITEMS))
    for i, r in enumerate(rows):
        x[i, 0] = r["loan"] / r["appraisal"]
        x[i, 1] = r["appraisal"] / 100.0
        x[i, 2] = r["months"] / 6.0
        x[i, 3] = r["visits"] / 9.0
        x[i, 4 + ITEMS.index(r["item"])] = 1.0
    return x, torch.tensor([float(r["redeemed"]) for r in rows])


def train(x, y, epochs=8, batch=32):
    net = nn.Sequential(nn.Linear(x.shape[1], 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 1))
    opt = torch.optim.AdamW(net.parameters(), lr=5e-3)
    loss_fn = nn.BCEWithLogitsLoss()
    shuffle = torch.Generator().manual_seed(SEED)
    for epoch in range(epochs):
        total = 0.0
        for idx in torch.randperm(len(x), generator=shuffle).split(batch):
            opt.zero_grad()
            loss = loss_fn(net(x[idx]).squeeze(1), y[idx])
            loss.backward()
            opt.step()
            total += loss.item() * len(idx)
        print(f"epoch {epoch + 1}: {total / len(x):.5f}")
    return net


def main():
    torch.manual_seed(SEED)
    start = time.time()
    handle, path = tempfile.mkstemp(suffix=".db")
    os.close(handle)
    try:
        store = Store(path)
        store.fill(1500, SEED)
        net = train(*to_tensors(store.rows("ledger")))
        torch.save(net.state_dict(), "redeem.pt")
        metrics = audit(net, *to_tensors(store.rows("audit")))
        write_report("audit.txt", store.totals("ledger"), metrics)
        store.close()
    finally:
        os.unlink(path)
    print("audit: auc {auc:.5f} [{auc_low:.5f}, {auc_high:.5f}], log loss {log_loss:.5f}".format(**metrics))
    print(f"elapsed: {time.time() - start:.2f} s")


if __name__ == "__main__":
    main()
