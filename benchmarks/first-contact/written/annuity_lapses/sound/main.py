"""Quarterly refit of the lapse model for the annuity book."""
import argparse
import copy
import json
import logging
import random
import time
import tomllib
from datetime import datetime
from pathlib import Path

import torch
from sklearn.metrics import brier_score_loss, roc_auc_score
from sklearn.model_selection import train_test_split
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

from encode import ContractEncoder
from net import LapseNet, lapse_rates
from portfolio import draw_portfolio

log = logging.getLogger("lapses")


def seed_all(seed):
    random.seed(seed)
    torch.manual_seed(seed)


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", type=Path, default=Path(__file__).with_name("config.toml"))
    parser.add_argument("--out", type=Path, default=Path("runs"))
    return parser.parse_args()


def prepare(cfg):
    frame = draw_portfolio(**cfg["portfolio"], seed=cfg["seed"])
    train, rest = train_test_split(frame, test_size=0.25, stratify=frame["lapsed"], random_state=cfg["seed"])
    valid, test = train_test_split(rest, test_size=0.5, stratify=rest["lapsed"], random_state=cfg["seed"])
    encoder = ContractEncoder(**cfg["encoder"], seed=cfg["seed"])
    parts = {"train": encoder.fit_transform(train), "valid": encoder.transform(valid), "test": encoder.transform(test)}
    targets = {"train": train, "valid": valid, "test": test}
    return {
        name: (torch.from_numpy(x), torch.from_numpy(targets[name]["lapsed"].to_numpy()))
        for name, x in parts.items()
    }


def fit(parts, cfg):
    train_cfg = cfg["training"]
    x, y = parts["train"]
    net = LapseNet(x.shape[1], train_cfg["hidden"], train_cfg["dropout"])
    loader = DataLoader(TensorDataset(x, y), batch_size=train_cfg["batch_size"], shuffle=True, drop_last=True)
    optimizer = torch.optim.AdamW(net.parameters(), lr=train_cfg["lr"], weight_decay=train_cfg["weight_decay"])
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, train_cfg["epochs"])
    best, best_state, stale = float("inf"), None, 0
    for epoch in range(train_cfg["epochs"]):
        started = time.perf_counter()
        net.train()
        for inputs, lapsed in loader:
            loss = F.binary_cross_entropy_with_logits(net(inputs), lapsed)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        schedule.step()
        x_valid, y_valid = parts["valid"]
        valid = F.binary_cross_entropy(lapse_rates(net, x_valid), y_valid).item()
        log.info("epoch %2d  valid %.5f  %.2f s", epoch, valid, time.perf_counter() - started)
        if valid < best:
            best, best_state, stale = valid, copy.deepcopy(net.state_dict()), 0
        else:
            stale += 1
            if stale >= train_cfg["patience"]:
                break
    net.load_state_dict(best_state)
    return net, best


def main():
    args = parse()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    torch.set_num_threads(1)
    with open(args.config, "rb") as file:
        cfg = tomllib.load(file)
    seed_all(cfg["seed"])
    parts = prepare(cfg)
    log.info("%d contracts to fit on, %d inputs", *parts["train"][0].shape)
    net, valid = fit(parts, cfg)
    x, y = parts["test"]
    rates = lapse_rates(net, x).numpy()
    metrics = {
        "valid_loss": valid,
        "test_auc": float(roc_auc_score(y.numpy(), rates)),
        "test_brier": float(brier_score_loss(y.numpy(), rates)),
        "expected_lapses": float(rates.sum()),
    }
    folder = args.out / datetime.now().strftime("%Y%m%d-%H%M%S")
    folder.mkdir(parents=True, exist_ok=True)
    torch.save(net.state_dict(), folder / "lapse_net.pt")
    (folder / "metrics.json").write_text(json.dumps(metrics, indent=2))
    log.info("test AUC %.4f, written to %s", metrics["test_auc"], folder)


if __name__ == "__main__":
    main()
