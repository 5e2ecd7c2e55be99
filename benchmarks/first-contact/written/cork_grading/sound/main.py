"""Grade cork stoppers from line-scan images, with disturbances that grow during training."""
import json
import logging
import secrets
import time
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader

from corks import GRADES, CorkImages
from curriculum import Curriculum

CONFIG = {
    "seed": 77,
    "train_images": 1280,
    "valid_images": 320,
    "batch": 32,
    "workers": 2,
    "epochs": 5,
    "lr": 0.002,
    "strength": [0.05, 0.4],
}
log = logging.getLogger("cork")


def build_model():
    return nn.Sequential(
        nn.Conv2d(1, 12, 3, padding=1), nn.BatchNorm2d(12), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(12, 24, 3, padding=1), nn.BatchNorm2d(24), nn.ReLU(), nn.AdaptiveAvgPool2d(3),
        nn.Flatten(), nn.Linear(24 * 9, len(GRADES)),
    )


class Trainer:
    def __init__(self, cfg):
        self.cfg = cfg
        torch.manual_seed(cfg["seed"])
        self.model = build_model()
        self.opt = torch.optim.Adam(self.model.parameters(), lr=cfg["lr"])
        steps = cfg["epochs"] * (cfg["train_images"] // cfg["batch"])
        self.curriculum = Curriculum(*cfg["strength"], total=steps)
        self.step = 0
        self.train_loader = DataLoader(
            CorkImages(cfg["train_images"], cfg["seed"], self.curriculum),
            batch_size=cfg["batch"], shuffle=True, drop_last=True,
            num_workers=cfg["workers"], persistent_workers=True, prefetch_factor=4,
            generator=torch.Generator().manual_seed(cfg["seed"]))
        self.valid_loader = DataLoader(CorkImages(cfg["valid_images"], cfg["seed"] + 1), 160)

    def train_epoch(self):
        self.model.train()
        losses = []
        self.curriculum.advance(self.step)
        for images, grades in self.train_loader:
            loss = F.cross_entropy(self.model(images), grades)
            self.opt.zero_grad(set_to_none=True)
            loss.backward()
            self.opt.step()
            self.step += 1
            losses.append(loss.item())
        return sum(losses) / len(losses)

    @torch.no_grad()
    def validate(self):
        self.model.eval()
        hits = sum((self.model(x).argmax(1) == y).sum().item() for x, y in self.valid_loader)
        return hits / len(self.valid_loader.dataset)

    def fit(self):
        history = []
        for epoch in range(self.cfg["epochs"]):
            t0 = time.monotonic()
            loss = self.train_epoch()
            acc = self.validate()
            history.append({"epoch": epoch, "loss": loss, "accuracy": acc})
            log.info("epoch %d  loss %.6f  accuracy %.4f  [%.1f s]", epoch, loss, acc,
                     time.monotonic() - t0)
        return history


def main():
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    torch.set_num_threads(1)
    out = Path(__file__).resolve().parent / "output"
    out.mkdir(exist_ok=True)
    run_name = f"cork-{time.strftime('%Y%m%d')}-{secrets.token_hex(3)}"
    log.info("run %s", run_name)

    trainer = Trainer(CONFIG)
    history = trainer.fit()

    torch.save(trainer.model.state_dict(), out / "grader.pt")
    with open(out / "metrics.json", "w") as fh:
        json.dump({"run": run_name, "config": CONFIG, "history": history}, fh, indent=2)


if __name__ == "__main__":
    main()
