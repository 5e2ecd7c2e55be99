"""Find smouldering peat in thermal-infrared profiles, training on mined hard pixels."""
import json
import logging
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch.nn import functional as F

from detector import SmoulderNet
from miner import HardMiner
from pixels import make_pixels

log = logging.getLogger("peat")


@dataclass
class Config:
    seed: int = 19
    pixels: int = 6000
    steps: int = 256
    batch: int = 48
    hard_batch: int = 16
    keep: int = 400
    request_every: int = 16
    collect_after: int = 4
    patience: float = 60.0
    lr: float = 3e-3


class Trainer:
    def __init__(self, cfg):
        self.cfg = cfg
        torch.manual_seed(cfg.seed)
        self.x, self.y = map(torch.from_numpy, make_pixels(cfg.pixels, cfg.seed))
        self.model = SmoulderNet()
        self.miner = HardMiner(self.model, self.x, self.y, cfg.keep, cfg.patience)
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=cfg.lr)
        self.draw = torch.Generator().manual_seed(cfg.seed + 1)
        self.waited = 0.0

    def batch(self, step):
        cfg = self.cfg
        if step % cfg.request_every == 0:
            self.miner.request(self.model)
        elif self.miner.pending and step % cfg.request_every >= cfg.collect_after:
            t0 = time.perf_counter()
            self.miner.collect()
            self.waited += time.perf_counter() - t0
        plain = torch.randint(cfg.pixels, (cfg.batch,), generator=self.draw)
        hard = torch.randint(cfg.keep, (cfg.hard_batch,), generator=self.draw)
        return torch.cat([plain, self.miner.hard[hard]])

    def fit(self):
        curve = []
        for step in range(self.cfg.steps):
            rows = self.batch(step)
            loss = F.binary_cross_entropy_with_logits(self.model(self.x[rows]), self.y[rows])
            self.opt.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
            self.opt.step()
            curve.append(loss.item())
            if step % 64 == 63:
                log.info("step %d loss %.5f", step + 1, sum(curve[-64:]) / 64)
        self.miner.close()
        return curve

    @torch.no_grad()
    def test(self):
        x, y = map(torch.from_numpy, make_pixels(1500, self.cfg.seed + 7))
        hit = (self.model(x) > 0).float()
        precision = (hit * y).sum() / hit.sum().clamp(min=1)
        return {"precision": precision.item(), "recall": ((hit * y).sum() / y.sum()).item()}


def main():
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    torch.set_num_threads(1)
    cfg, began = Config(), time.perf_counter()
    trainer = Trainer(cfg)
    curve = trainer.fit()
    scores = trainer.test()
    log.info("precision %.4f recall %.4f", scores["precision"], scores["recall"])
    log.info("%.2f s, of these %.2f s waiting for the miner", time.perf_counter() - began,
             trainer.waited)
    out = Path(__file__).resolve().parent / "run" / time.strftime("%Y%m%d-%H%M%S")
    out.mkdir(parents=True, exist_ok=True)
    torch.save(trainer.model.state_dict(), out / "detector.pt")
    (out / "scores.json").write_text(json.dumps(
        {"config": asdict(cfg), "scores": scores, "curve": curve}, indent=1))


if __name__ == "__main__":
    main()
