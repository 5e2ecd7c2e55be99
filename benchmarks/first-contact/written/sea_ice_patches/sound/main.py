"""Next-day sea ice concentration from ice, wind and temperature."""
import argparse
import sys
import tempfile
import time
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader

from patches import PatchFolder, cut


class IceNet(nn.Module):
    """Predicts the change, on top of persistence."""

    def __init__(self, width: int = 12):
        super().__init__()
        self.inp = nn.Conv2d(4, width, 5, padding=2)
        self.mid = nn.Conv2d(width, width, 3, padding=1)
        self.out = nn.Conv2d(width, 1, 3, padding=1)
        nn.init.zeros_(self.out.bias)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = nn.functional.leaky_relu(self.inp(x), 0.1)
        h = h + nn.functional.leaky_relu(self.mid(h), 0.1)
        return x[:, :1] + self.out(h)


def evaluate(net: nn.Module, loader: DataLoader) -> tuple[float, float]:
    net.eval()
    se = se_persist = n = 0.0
    with torch.no_grad():
        for x, y in loader:
            se += (net(x).clamp(0, 1) - y).square().sum().item()
            se_persist += (x[:, :1] - y).square().sum().item()
            n += y.numel()
    return (se / n) ** 0.5, (se_persist / n) ** 0.5


def main(argv: list[str]) -> None:
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--days", type=int, default=22)
    ap.add_argument("--size", type=int, default=64)
    ap.add_argument("--patch", type=int, default=16)
    ap.add_argument("--epochs", type=int, default=5)
    ap.add_argument("--seed", type=int, default=8)
    args = ap.parse_args(argv)

    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    with tempfile.TemporaryDirectory(prefix="ice_") as tmp:
        train_dir, test_dir = Path(tmp, "train"), Path(tmp, "test")
        train_dir.mkdir()
        test_dir.mkdir()
        n = cut(train_dir, args.days, args.size, args.patch, seed=100)
        m = cut(test_dir, 6, args.size, args.patch, seed=200)
        print(f"{n} patches for training, {m} for test, in {tmp}", file=sys.stderr)

        train = DataLoader(PatchFolder(train_dir), batch_size=16, shuffle=True, generator=torch.Generator())
        test = DataLoader(PatchFolder(test_dir), batch_size=40)

        net = IceNet()
        opt = torch.optim.Adam(net.parameters(), lr=3e-3)
        for epoch in range(args.epochs):
            net.train()
            start, total = time.time(), 0.0
            for x, y in train:
                loss = nn.functional.mse_loss(net(x), y)
                opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(net.parameters(), 1.0)
                opt.step()
                total += loss.item()
            rmse, persist = evaluate(net, test)
            print(f"epoch {epoch}: loss {total / len(train):.6f}, test RMSE {rmse:.5f} (persistence {persist:.5f})")
            print(f"  {time.time() - start:.1f} s", file=sys.stderr)

    torch.save(net.state_dict(), "icenet.pt")


if __name__ == "__main__":
    main(sys.argv[1:])
