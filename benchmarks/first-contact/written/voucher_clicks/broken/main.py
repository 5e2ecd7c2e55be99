"""Click-through model for shop vouchers: hashed id embeddings and a small head."""
import argparse
import hashlib
import json
import sqlite3
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from sklearn.metrics import roc_auc_score

from tables import HashedTables, plan_tables

FIELDS = ("shopper", "voucher", "shop", "slot")


@dataclass(frozen=True)
class Config:
    seed: int = 11
    events: int = 24000
    dim: int = 8
    share: float = 1 / 1024
    batch: int = 512
    epochs: int = 3
    lr: float = 0.4


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--set", nargs="*", default=[], metavar="KEY=VALUE")
    over = dict(kv.split("=", 1) for kv in p.parse_args().set)
    base = asdict(Config())
    return Config(**{k: type(v)(over.get(k, v)) for k, v in base.items()})


def fill_log(db, cfg):
    """Simulates a month of impressions, as the web tier would have logged them."""
    rng = np.random.default_rng(cfg.seed)
    taste = rng.normal(size=(6000, 4))
    offer = rng.normal(size=(400, 4))
    shopper = rng.integers(0, 6000, cfg.events)
    voucher = (400 * rng.beta(0.8, 2.0, cfg.events)).astype(int)
    shop = rng.integers(0, 900, cfg.events)
    slot = rng.integers(0, 5, cfg.events)
    score = (taste[shopper] * offer[voucher]).sum(1) - 0.5 * slot + 0.02 * (shop % 40)
    click = rng.random(cfg.events) < 1 / (1 + np.exp(-score))
    rows = zip(range(cfg.events), *(c.tolist() for c in (shopper, voucher, shop, slot, click.astype(int))))
    db.execute("create table impressions (t integer primary key, shopper, voucher, shop, slot, click)")
    db.executemany("insert into impressions values (?,?,?,?,?,?)", rows)
    db.commit()


def read_log(db):
    rows = db.execute(f"select {', '.join(FIELDS)}, click from impressions order by t").fetchall()
    t = torch.tensor(rows)
    return t[:, :-1], t[:, -1].float()


def epoch(model, opt, ids, y, order, cfg):
    model.train()
    total = 0.0
    for rows in order.split(cfg.batch):
        loss = F.binary_cross_entropy_with_logits(model(ids[rows]), y[rows])
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(rows)
    return total / len(order)


@torch.no_grad()
def evaluate(model, ids, y):
    model.eval()
    logits = torch.cat([model(part) for part in ids.split(2048)])
    return roc_auc_score(y.numpy(), logits.numpy()), F.binary_cross_entropy_with_logits(logits, y).item()


def main():
    cfg = parse()
    torch.set_num_threads(1)
    torch.manual_seed(cfg.seed)
    with tempfile.TemporaryDirectory() as tmp:
        db = sqlite3.connect(Path(tmp) / "log.db")
        fill_log(db, cfg)
        ids, y = read_log(db)
        db.close()
    cut = int(0.8 * len(y))

    model = HashedTables(plan_tables(cfg, len(FIELDS)), len(FIELDS), cfg.dim)
    opt = torch.optim.SGD(model.parameters(), lr=cfg.lr)
    shuffle = torch.Generator().manual_seed(cfg.seed + 1)
    history = []
    for e in range(cfg.epochs):
        t0 = time.perf_counter()
        train = epoch(model, opt, ids[:cut], y[:cut], torch.randperm(cut, generator=shuffle), cfg)
        auc, nll = evaluate(model, ids[cut:], y[cut:])
        history.append({"epoch": e, "train": train, "auc": auc, "nll": nll})
        print(json.dumps(history[-1]), f"({cut / (time.perf_counter() - t0):,.0f} rows/s)")
    best = max(history, key=lambda h: h["auc"])
    digest = hashlib.sha256(b"".join(p.detach().numpy().tobytes() for p in model.parameters()))
    print(f"best epoch {best['epoch']}  auc {best['auc']:.6f}  weights {digest.hexdigest()[:16]}")


if __name__ == "__main__":
    main()
