import logging
import random

import numpy as np
import torch
from layers import PointEncoder, VoxelPool
from torch import nn

logging.basicConfig(format="[%(asctime)s] %(message)s", datefmt="%Y-%m-%d %H:%M:%S", level=logging.INFO)

H = W = 24
CHANNELS = 16


class Segmenter(nn.Module):
    """Which cells of the map hold an obstacle?"""

    def __init__(self):
        super().__init__()
        self.encoder = PointEncoder(3, CHANNELS)
        self.pool = VoxelPool(H, W)
        self.norm = nn.GroupNorm(4, CHANNELS)
        self.head = nn.Conv2d(CHANNELS, 1, 3, padding=1)

    def forward(self, pts):
        rows = (pts[:, 0] * H).long()
        cols = (pts[:, 1] * W).long()
        bev = self.pool(self.encoder(pts), rows, cols)
        return self.head(self.norm(bev))[0, 0]


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def make_scene(sweeps=6, n=2500, obstacles=3):
    """Points of a few sweeps of the scanner, put together, and the cells that are not free."""
    pts = torch.cat([torch.rand(n, 3) for _ in range(sweeps)])
    centres = torch.rand(obstacles, 2)
    near = torch.cdist(pts[:, :2], centres).amin(1) < 0.12
    pts[:, 2] = torch.where(near, pts[:, 2] + 0.5, 0.1 * pts[:, 2])
    grid = torch.stack(torch.meshgrid(torch.arange(H), torch.arange(W), indexing="ij"), -1)
    mid = ((grid + 0.5) / H).flatten(0, 1)
    return pts, (torch.cdist(mid, centres).amin(1) < 0.12).float().view(H, W)


def main():
    set_seed(1)
    model = Segmenter()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    history = []
    for step in range(40):
        pts, mask = make_scene()
        logits = model(pts)
        loss = nn.functional.binary_cross_entropy_with_logits(logits, mask)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        iou = ((logits > 0) & (mask > 0)).sum() / ((logits > 0) | (mask > 0)).sum().clamp(min=1)
        history.append((loss.item(), iou.item()))
        if (step + 1) % 8 == 0:
            logging.info("step %d loss %.4f iou %.3f", step + 1, *history[-1])
    torch.save({"weights": model.state_dict(), "history": history}, "segmenter.pt")
    logging.info("best iou %.3f", max(i for _, i in history))


if __name__ == "__main__":
    main()
