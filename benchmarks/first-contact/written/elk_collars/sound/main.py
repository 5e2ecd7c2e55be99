"""Behaviour classification of GPS-collared elk from accelerometer windows."""
import json
import logging
import time
import uuid
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

from archive import BEHAVIOURS, CollarArchive
from ingest import Ingest
from model import BehaviourNet

OUT = Path(__file__).resolve().parent / "out"
log = logging.getLogger("elk")


@dataclass(frozen=True)
class Config:
    seed: int = 411
    animals: int = 28
    held_out: int = 6
    window: int = 32
    copies: int = 2
    noise: float = 0.2
    epochs: int = 5
    batch: int = 64
    lr: float = 2e-3


def evaluate(model, x, y):
    model.eval()
    with torch.no_grad():
        logits = model(x)
    return F.cross_entropy(logits, y).item(), (logits.argmax(1) == y).float().mean().item()


def train(cfg, model, loader, valid):
    opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
    history = []
    for epoch in range(cfg.epochs):
        t0 = time.perf_counter()
        model.train()
        total = 0.0
        for x, y in loader:
            loss = F.cross_entropy(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(y)
        vloss, vacc = evaluate(model, *valid)
        history.append({"epoch": epoch, "train": total / len(loader.dataset),
                        "valid": vloss, "accuracy": vacc})
        log.info("epoch %d train %.5f valid %.5f acc %.4f (%.2f s)", epoch,
                 history[-1]["train"], vloss, vacc, time.perf_counter() - t0)
    return history


def main():
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s: %(message)s")
    cfg = Config()
    run = f"elk-{uuid.uuid4().hex[:6]}"
    torch.set_num_threads(1)
    torch.manual_seed(cfg.seed)

    names = [f"E{n:03d}" for n in range(cfg.animals)]
    archive = CollarArchive(names, cfg.seed)
    fit, held = names[: -cfg.held_out], names[-cfg.held_out:]
    x, y = Ingest(archive, cfg.window, cfg.copies, cfg.noise, cfg.seed).run(fit)
    vx, vy = Ingest(archive, cfg.window, 0, 0.0, cfg.seed).run(held)

    model = BehaviourNet(len(BEHAVIOURS))
    loader = DataLoader(TensorDataset(torch.from_numpy(x), torch.from_numpy(y)), cfg.batch,
                        shuffle=True, generator=torch.Generator().manual_seed(cfg.seed))
    history = train(cfg, model, loader, (torch.from_numpy(vx), torch.from_numpy(vy)))

    OUT.mkdir(exist_ok=True)
    torch.save(model.state_dict(), OUT / "model.pt")
    (OUT / "results.json").write_text(json.dumps(
        {"run": run, "config": asdict(cfg), "history": history}, indent=1))
    log.info("run %s saved to %s", run, OUT.name)


if __name__ == "__main__":
    main()
