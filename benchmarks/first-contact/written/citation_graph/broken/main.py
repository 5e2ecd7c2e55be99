"""Classify papers of a citation graph by field, with sampled two-hop neighbourhoods."""
import json
import logging
import random
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import torch

from papers import build
from sampler import NeighbourSampler
from sage import Sage

logging.basicConfig(format="%(asctime)s %(process)d %(message)s", level=logging.INFO,
                    filename="train.log")


@dataclass
class Settings:
    papers: int = 400
    fields: int = 4
    fanout: tuple = (6, 4)
    batch: int = 32
    epochs: int = 4
    lr: float = 0.01
    seed: int = 11


def run_epoch(model, opt, graph, sampler, ids, cfg):
    random.shuffle(ids)
    total = 0.0
    for start in range(0, len(ids), cfg.batch):
        seeds = ids[start:start + cfg.batch]
        block = sampler.block(seeds)
        target = torch.tensor([graph.field[p] for p in seeds])
        loss = torch.nn.functional.cross_entropy(model(block), target)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(seeds)
    return total / len(ids)


def accuracy(model, graph, sampler, ids):
    model.eval()
    with torch.no_grad():
        logits = model(sampler.full_block(ids))
    model.train()
    target = torch.tensor([graph.field[p] for p in ids])
    return (logits.argmax(1) == target).float().mean().item(), logits


def main():
    cfg = Settings()
    random.seed(cfg.seed)
    torch.manual_seed(cfg.seed)
    torch.set_num_threads(1)
    graph = build(cfg.papers, cfg.fields, cfg.seed)
    held = set(random.sample(graph.papers, cfg.papers // 4))
    train = [p for p in graph.papers if p not in held]
    test = [p for p in graph.papers if p in held]
    venues = {graph.venue[p] for p in train}
    unseen = {graph.venue[p] for p in test} - venues
    print(f"{len(graph.papers)} papers, {graph.links} links, {len(venues)} venues, "
          f"{len(unseen)} only in the test set")

    sampler = NeighbourSampler(graph, cfg.fanout, random.Random(cfg.seed + 1))
    model = Sage(sampler.width, 24, cfg.fields)
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    curve = []
    for epoch in range(cfg.epochs):
        began = time.monotonic()
        loss = run_epoch(model, opt, graph, sampler, train, cfg)
        acc, logits = accuracy(model, graph, sampler, test)
        curve.append((loss, acc))
        print(f"[{epoch}] loss={loss:.6f} test={acc:.4f}")
        logging.info("epoch %d: %.2f s, %d cut", epoch, time.monotonic() - began, sampler.cut)

    out = Path("out")
    out.mkdir(exist_ok=True)
    torch.save(model.state_dict(), out / "sage.pt")
    rows = [f"{p}\t{graph.field[p]}\t{k}" for p, k in zip(test, logits.argmax(1).tolist())]
    (out / "predictions.tsv").write_text("\n".join(rows) + "\n")
    (out / "summary.json").write_text(json.dumps({"settings": asdict(cfg), "curve": curve}))


if __name__ == "__main__":
    main()
