"""Probability of default for a book of consumer loans (monthly CSV partitions)."""
import argparse
import json
import logging
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import torch

from loans.book import write_partitions
from loans.model import DefaultNet, auc
from loans.scaling import Loader

LOG = logging.getLogger("loans")


@contextmanager
def stage(title):
    begin = time.perf_counter()
    LOG.info("%s ...", title)
    yield
    LOG.info("%s: %.2f s, %d threads alive", title, time.perf_counter() - begin, threading.active_count())


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--months", type=int, default=48)
    parser.add_argument("--readers", type=int, default=6)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--seed", type=int, default=404)
    return parser.parse_args()


def train(net, x, c, y, opt):
    optimizer = torch.optim.AdamW(net.parameters(), lr=5e-3, weight_decay=1e-3)
    order_rng = torch.Generator().manual_seed(opt.seed + 1)
    losses = []
    for epoch in range(opt.epochs):
        total = 0.0
        for pick in torch.randperm(len(y), generator=order_rng).split(opt.batch):
            loss = torch.nn.functional.binary_cross_entropy_with_logits(net(x[pick], c[pick]), y[pick])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(pick)
        losses.append(total / len(y))
        LOG.info("epoch %d loss %.5f", epoch, losses[-1])
    return losses


def main():
    opt = options()
    logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s %(threadName)s: %(message)s")
    torch.set_num_threads(1)
    torch.manual_seed(opt.seed)

    with tempfile.TemporaryDirectory(prefix="loanbook-") as folder:
        with stage("writing the book"):
            write_partitions(Path(folder), opt.months, opt.seed)
        with stage("reading the book"):
            loader = Loader(sorted(Path(folder).glob("*.csv")), opt.readers)
            book, scale = loader.read()
    LOG.info("%d loans, default rate %.4f, regions %s", len(book), book["defaulted"].mean(),
             len(set(book["region"])))

    x = torch.from_numpy(scale.apply(book))
    c = torch.from_numpy(book["region"].to_numpy(dtype="int64", copy=True))
    y = torch.from_numpy(book["defaulted"].to_numpy(dtype="float32", copy=True))
    test = torch.arange(len(y)) % 5 == 0
    net = DefaultNet(x.shape[1], int(c.max()) + 1)
    with stage("training"):
        losses = train(net, x[~test], c[~test], y[~test], opt)
    net.eval()
    with torch.no_grad():
        score = net(x[test], c[test])
    metrics = {"loss": losses, "auc": auc(score, y[test]), "mean_score": score.sigmoid().mean().item()}
    LOG.info("AUC %.4f", metrics["auc"])
    torch.save({"net": net.state_dict(), "centre": scale.centre, "spread": scale.spread}, "default_net.pt")
    Path("metrics.json").write_text(json.dumps(metrics))


if __name__ == "__main__":
    main()
