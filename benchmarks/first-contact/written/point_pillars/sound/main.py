"""Bird's eye view detection: features of lidar points are averaged in the cells of a grid."""
import argparse
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

GRID = 32


def sweeps(n, points, gen):
    """Scenes with one car (a dense blob) on a ground of scattered points; the target is its cell."""
    car = torch.rand(n, 2, generator=gen) * 0.8 + 0.1
    ground = torch.rand(n, points * 3 // 4, 2, generator=gen)
    blob = car[:, None] + 0.04 * torch.randn(n, points // 4, 2, generator=gen)
    xy = torch.cat([ground, blob], 1).clamp(0, 0.9999)
    height = torch.cat([0.05 * torch.randn(ground.shape[:2], generator=gen),
                        0.5 + 0.2 * torch.randn(blob.shape[:2], generator=gen)], 1)
    cloud = torch.cat([xy, height.unsqueeze(2)], 2)
    cell = (car * GRID).long()
    return cloud, cell[:, 0] * GRID + cell[:, 1]


class Pillars(nn.Module):
    def __init__(self, c=16):
        super().__init__()
        self.point = nn.Sequential(nn.Linear(5, c), nn.ReLU())
        self.bev = nn.Sequential(nn.Conv2d(c, c, 3, padding=1), nn.ReLU(), nn.Conv2d(c, 1, 3, padding=1))

    def forward(self, cloud):
        b, n, _ = cloud.shape
        pos = cloud[..., :2] * GRID
        cell = pos.floor()
        feat = self.point(torch.cat([cloud, pos - cell - 0.5], 2)).flatten(0, 1)
        flat = (torch.arange(b)[:, None] * GRID * GRID + cell[..., 0].long() * GRID + cell[..., 1].long()).flatten()
        total = feat.new_zeros(b * GRID * GRID, feat.shape[1]).index_add(0, flat, feat)
        count = torch.bincount(flat, minlength=b * GRID * GRID).clamp(min=1)
        mean = total / count.unsqueeze(1)
        return self.bev(mean.view(b, GRID, GRID, -1).permute(0, 3, 1, 2)).flatten(1)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--iters", type=int, default=36)
    ap.add_argument("--batch", type=int, default=8)
    ap.add_argument("--points", type=int, default=2048)
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()

    torch.manual_seed(args.seed)
    gen = torch.Generator()
    gen.manual_seed(args.seed + 1)
    model = Pillars()
    opt = torch.optim.AdamW(model.parameters(), lr=1e-2)
    t0 = time.time()
    for it in range(1, args.iters + 1):
        cloud, target = sweeps(args.batch, args.points, gen)
        loss = F.cross_entropy(model(cloud), target)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        opt.step()
        if it % 6 == 0:
            rate = it * args.batch / (time.time() - t0)
            print(f"iter {it:3d} loss {loss.item():.6f} grad {norm.item():.4f} ({rate:.0f} scenes/s)")
    torch.save(model.state_dict(), "pillars.pt")


if __name__ == "__main__":
    main()
