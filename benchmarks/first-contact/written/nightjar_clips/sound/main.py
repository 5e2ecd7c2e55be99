"""Tell male from female nightjars by their churring."""

import argparse
import logging
import tempfile
import time
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F

import clips

log = logging.getLogger("nightjars")


def epochs(net: nn.Module, x: torch.Tensor, y: torch.Tensor, count: int, seed: int) -> float:
    opt = torch.optim.Adam(net.parameters(), lr=2e-3)
    order = torch.Generator().manual_seed(seed)
    last = 0.0
    for _ in range(count):
        for rows in torch.randperm(len(x), generator=order).split(32):
            loss = F.binary_cross_entropy_with_logits(net(x[rows]).squeeze(1), y[rows])
            opt.zero_grad()
            loss.backward()
            opt.step()
            last = loss.item()
    return last


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--birds", type=int, default=90)
    parser.add_argument("--takes", type=int, default=5)
    parser.add_argument("--held-percent", type=float, default=20.0)
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--seed", type=int, default=17)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    with tempfile.TemporaryDirectory(prefix="nightjars-") as tmp:
        root = Path(tmp)
        clips.record(root, args.birds, args.takes, args.seed)
        began = time.perf_counter()
        sides = clips.scan(root, args.held_percent)
        x, y = clips.load(sides["train"])
        held_x, held_y = clips.load(sides["held"])
        log.info("read %d clips from %s in %.2f s", len(y) + len(held_y), root, time.perf_counter() - began)

    mean, spread = x.mean(0), x.std(0)
    x, held_x = (x - mean) / spread, (held_x - mean) / spread
    net = nn.Sequential(nn.Linear(x.shape[1], 48), nn.GELU(), nn.Dropout(0.2), nn.Linear(48, 1))
    last = epochs(net, x, y, args.epochs, args.seed)
    net.eval()
    with torch.no_grad():
        logits = net(held_x).squeeze(1)
    print(f"last training loss {last:.7f}")
    print(f"held-out loss {F.binary_cross_entropy_with_logits(logits, held_y).item():.7f}, "
          f"accuracy {((logits > 0) == (held_y > 0.5)).float().mean().item():.4f}")
    print(f"weights {sum(p.double().abs().sum().item() for p in net.parameters()):.8f}")


if __name__ == "__main__":
    main()
