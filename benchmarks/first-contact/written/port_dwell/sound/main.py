import json
import logging
import time
from dataclasses import asdict
from pathlib import Path

import torch
from torch.utils.data import DataLoader, TensorDataset

from config import Config
from data import FEATURES, split
from model import DwellNet, pinball

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
log = logging.getLogger("dwell")


def train(cfg: Config, model: DwellNet, data: TensorDataset) -> None:
    loader = DataLoader(data, batch_size=cfg.batch_size, shuffle=True, drop_last=True)
    opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=1e-3)
    for epoch in range(cfg.epochs):
        model.train()
        total = 0.0
        start = time.perf_counter()
        for x, y in loader:
            loss = pinball(model(x), y, model.quantiles)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        log.info("epoch %2d  pinball %.5f  (%.2f s)", epoch, total / len(loader), time.perf_counter() - start)


@torch.no_grad()
def evaluate(model: DwellNet, test: dict) -> dict:
    model.eval()
    scores = {}
    for port, (x, y) in test.items():
        pred = model(x)
        inside = ((y > pred[:, 0]) & (y < pred[:, 2])).float().mean()
        scores[port] = {"mae": (pred[:, 1] - y).abs().mean().item(), "inside": inside.item()}
    return scores


def main() -> None:
    cfg = Config()
    torch.manual_seed(cfg.seed)
    torch.set_num_threads(1)  # the net is tiny
    (x, y), test = split(cfg)
    log.info("%d calls for training, %d ports held out", len(x), len(test))

    model = DwellNet(len(FEATURES), cfg.hidden)
    train(cfg, model, TensorDataset(x, y))
    scores = evaluate(model, test)
    for port, s in scores.items():
        print(f"{port:12s} mae {s['mae']:.4f} d   80 % band holds {100 * s['inside']:.1f} %")

    out = Path(cfg.out_dir)
    out.mkdir(exist_ok=True)
    torch.save(model.state_dict(), out / "dwell.pt")
    (out / "scores.json").write_text(json.dumps({"config": asdict(cfg), "scores": scores}, indent=2))


if __name__ == "__main__":
    main()
