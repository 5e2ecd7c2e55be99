"""Match tooth shades from spectrophotometer readings; average the weights with the lowest delta E."""
import argparse
import json
import logging
import random
import time
from pathlib import Path

import torch
from torch.nn import functional as F

from evaluator import BackgroundEvaluator
from shade_model import ShadeNet
from spectra import make_spectra

HERE = Path(__file__).resolve().parent
log = logging.getLogger("shade")


def options():
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, default=1312)
    p.add_argument("--epochs", type=int, default=16)
    p.add_argument("--every", type=int, default=8, help="steps between validations")
    p.add_argument("--keep", type=int, default=4, help="weights to average")
    p.add_argument("--batch", type=int, default=50)
    p.add_argument("--hidden", type=int, default=96)
    p.add_argument("--dropout", type=float, default=0.1)
    p.add_argument("--lr", type=float, default=1.5e-2)
    p.add_argument("--out", type=Path, default=HERE / "out")
    return p.parse_args()


def train(opt, model, x, y, evaluator):
    adam = torch.optim.Adam(model.parameters(), lr=opt.lr)
    shuffle = torch.Generator().manual_seed(opt.seed)
    step = 0
    for epoch in range(opt.epochs):
        t0 = time.perf_counter()
        model.train()
        running = 0.0
        for rows in torch.randperm(len(x), generator=shuffle).split(opt.batch):
            loss = F.smooth_l1_loss(model(x[rows]), y[rows])
            adam.zero_grad()
            loss.backward()
            adam.step()
            running += loss.item()
            step += 1
            if step % opt.every == 0:
                evaluator.submit(step, model)
        log.info("epoch %2d loss %.5f (%.2f s)", epoch, running, time.perf_counter() - t0)


def main():
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(threadName)s %(message)s")
    opt = options()
    torch.set_num_threads(1)
    torch.manual_seed(opt.seed)
    run = f"shade-{random.SystemRandom().randrange(16 ** 6):06x}"

    x, y = make_spectra(2000, opt.seed)
    model = ShadeNet(opt.hidden, opt.dropout)
    evaluator = BackgroundEvaluator(lambda: ShadeNet(opt.hidden, opt.dropout),
                                    *make_spectra(8000, opt.seed + 1), opt.keep)
    train(opt, model, x, y, evaluator)
    scores = evaluator.close()
    score, step, _ = evaluator.best[0]
    log.info("best delta E %.5f at step %d; %.2f s of evaluation", score, step, evaluator.seconds)

    opt.out.mkdir(parents=True, exist_ok=True)
    torch.save(evaluator.averaged(), opt.out / "averaged.pt")
    (opt.out / "scores.json").write_text(json.dumps(
        {"run": run, "best_step": step, "best": score, "scores": scores}, indent=1))


if __name__ == "__main__":
    main()
