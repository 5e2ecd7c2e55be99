"""Count germinated cells in rendered seedling trays (6x6 cells, 36x36 px)."""
import os
import time

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

SEED = 404
CELLS, PX = 6, 6
N_TRAIN, N_TEST = 640, 200
EPOCHS = 3


def render(plan, lean, light, grain):
    img = np.full((CELLS * PX, CELLS * PX), 0.25, dtype=np.float32)
    img[::PX, :] = 0.05
    img[:, ::PX] = 0.05
    for r, c in zip(*np.nonzero(plan)):
        y = r * PX + 3 + int(lean[r, c] > 0.5)
        x = c * PX + 3
        img[y, x - 1:x + 2] += 0.5
        img[y - 1:y + 1, x] += 0.4
    return img * light + grain


class Trays(Dataset):
    """Which cells have germinated is fixed per tray; how it is photographed is not."""

    def __init__(self, n, seed, photograph=True):
        rng = np.random.RandomState(seed)
        rate = rng.beta(3, 1.5, size=n)
        self.plans = rng.rand(n, CELLS, CELLS) < rate[:, None, None]
        self.photograph = photograph

    def __len__(self):
        return len(self.plans)

    def __getitem__(self, i):
        plan = self.plans[i]
        if self.photograph:
            lean = np.random.rand(CELLS, CELLS)
            light = np.random.uniform(0.7, 1.3)
            grain = np.random.normal(0, 0.06, (CELLS * PX, CELLS * PX))
            if np.random.rand() < 0.5:
                plan = plan[:, ::-1]
        else:
            lean, light, grain = np.zeros((CELLS, CELLS)), 1.0, 0.0
        img = render(plan, lean, light, grain)
        return torch.as_tensor(img, dtype=torch.float32)[None], torch.tensor(plan.mean(), dtype=torch.float32)


def init_worker(worker_id):
    np.random.seed(int.from_bytes(os.urandom(4), "little"))


class TrayNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(8, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(3),
        )
        self.out = nn.Conv2d(16, 1, 1)

    def forward(self, x):
        return torch.sigmoid(self.out(self.features(x))).mean(dim=(1, 2, 3))


def main():
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    np.random.seed(SEED)

    train = DataLoader(Trays(N_TRAIN, SEED), batch_size=32, shuffle=True, num_workers=2,
                       worker_init_fn=init_worker, drop_last=True)
    test = DataLoader(Trays(N_TEST, SEED + 1, photograph=False), batch_size=100)

    net = TrayNet()
    opt = torch.optim.SGD(net.parameters(), lr=0.2, momentum=0.9, nesterov=True)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, 0.4, total_steps=EPOCHS * len(train))

    print("pid", os.getpid(), "torch", torch.__version__)
    for epoch in range(EPOCHS):
        tic = time.time()
        net.train()
        for img, share in train:
            loss = nn.functional.mse_loss(net(img), share)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
        net.eval()
        with torch.no_grad():
            err = torch.cat([(net(img) - share).abs() for img, share in test])
        print(f"epoch {epoch}: loss {loss.item():.6f}, cells off {36 * err.mean().item():.4f}  ({time.time() - tic:.1f}s)")

    torch.save({k: v.clone() for k, v in net.state_dict().items()}, "traynet.pt")


if __name__ == "__main__":
    main()
