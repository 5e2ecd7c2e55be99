"""Forecast the drift of a metal-oxide gas sensor array one hour ahead."""
import json
import logging
import pathlib
import time

import torch
from torch.utils.data import DataLoader

from array_data import SensorWindows
from network import DriftNet
from runinfo import describe
from settings import Settings

LOG = logging.getLogger("drift")


def train_epoch(net, loader, opt, clip):
    net.train()
    total = n = 0
    for window, target in loader:
        loss = torch.nn.functional.smooth_l1_loss(net(window), target)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), clip)
        opt.step()
        total += loss.item() * len(window)
        n += len(window)
    return total / n


@torch.no_grad()
def evaluate(net, loader):
    net.eval()
    pred, true = zip(*[(net(w), t) for w, t in loader])
    pred, true = torch.cat(pred), torch.cat(true)
    err = pred - true
    return {"mae": err.abs().mean().item(), "worst": err.abs().max().item()}, pred


def main():
    s = Settings.from_command_line()
    out = pathlib.Path(s.out)
    out.mkdir(exist_ok=True)
    logging.basicConfig(level=logging.INFO, filename=str(out / "drift.log"),
                        format="%(asctime)s %(levelname)s %(message)s")
    torch.set_num_threads(s.threads)
    torch.manual_seed(s.seed)

    train = SensorWindows(s.hours, s.window, s.seed, part="train", jitter=s.jitter)
    test = SensorWindows(s.hours, s.window, s.seed, part="test")
    net = DriftNet(train.channels, s.hidden, s.dropout)
    opt = torch.optim.AdamW(net.parameters(), lr=s.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, s.epochs)

    (out / "manifest.json").write_text(json.dumps(describe(s, net), indent=2))

    loader = DataLoader(train, batch_size=s.batch, shuffle=True, drop_last=True)
    test_loader = DataLoader(test, batch_size=256)
    for epoch in range(1, s.epochs + 1):
        start = time.monotonic()
        loss = train_epoch(net, loader, opt, s.clip)
        sched.step()
        scores, pred = evaluate(net, test_loader)
        LOG.info("epoch %d took %.2f s", epoch, time.monotonic() - start)
        print(f"{epoch:3d}  train {loss:.6f}  test mae {scores['mae']:.5f}  worst {scores['worst']:.4f}")

    torch.save({"net": net.state_dict(), "epoch": epoch}, out / "drift.pt")
    torch.save(pred, out / "forecast.pt")
    (out / "scores.json").write_text(json.dumps(scores))


if __name__ == "__main__":
    main()
