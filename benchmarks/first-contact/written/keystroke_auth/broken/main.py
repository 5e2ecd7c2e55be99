import argparse
import random
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from tracker import Tracker
from typing_data import PHRASE, collect, equal_error_rate

HERE = Path(__file__).resolve().parent


def set_seed(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


class Embedder(nn.Module):
    def __init__(self, size=32, width=48, dropout=0.1):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv1d(2, width, 3, padding=1),
            nn.BatchNorm1d(width),
            nn.ReLU(),
            nn.Conv1d(width, width, 3, padding=1),
            nn.BatchNorm1d(width),
            nn.ReLU(),
        )
        self.drop = nn.Dropout(dropout)
        self.out = nn.Linear(width * len(PHRASE), size)

    def forward(self, x):
        h = self.conv(x).flatten(1)
        return F.normalize(self.out(self.drop(h)), dim=1)


class TripletSampler:
    """Draws (anchor, positive, negative) of users that are in the training part."""

    def __init__(self, data):
        self.data = data
        self.users = list(range(data.shape[0]))
        self.samples = list(range(data.shape[1]))

    def draw(self):
        same, other = random.sample(self.users, 2)
        a, p = random.sample(self.samples, 2)
        n = random.choice(self.samples)
        return self.data[same, a], self.data[same, p], self.data[other, n]

    def batch(self, size):
        triplets = [self.draw() for _ in range(size)]
        return [torch.from_numpy(np.stack(part)) for part in zip(*triplets)]


class Trainer:
    def __init__(self, args):
        self.args = args
        set_seed(args.seed)
        data = collect(args.users, args.samples, args.seed)
        cut = int(0.7 * args.users)
        mean = data[:cut].mean((0, 1), keepdims=True)
        std = data[:cut].std((0, 1), keepdims=True)
        data = (data - mean) / std
        self.known, self.unknown = data[:cut], data[cut:]
        self.model = Embedder(size=args.embedding)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=args.lr, momentum=0.9, nesterov=True)
        self.schedule = torch.optim.lr_scheduler.StepLR(self.optimizer, args.steps // 3, gamma=0.4)
        self.tracker = Tracker(args.runs, {k: str(v) for k, v in vars(args).items()})
        self.sampler = TripletSampler(self.known)

    def step(self):
        self.model.train()
        anchor, positive, negative = self.sampler.batch(self.args.batch_size)
        joint = self.model(torch.cat([anchor, positive, negative]))
        a, p, n = joint.chunk(3)
        near = (a - p).pow(2).sum(1)
        far = (a - n).pow(2).sum(1)
        loss = F.relu(near - far + self.args.margin).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.schedule.step()
        return loss.item(), (far > near).float().mean().item()

    @torch.no_grad()
    def verify(self):
        """Enrol each unknown user with some samples, score the remaining ones."""
        self.model.eval()
        users, samples = self.unknown.shape[:2]
        flat = torch.from_numpy(self.unknown.reshape(users * samples, *self.unknown.shape[2:]))
        embedded = self.model(flat).view(users, samples, -1)
        enrol = F.normalize(embedded[:, : samples // 2].mean(1), dim=1)
        probe = embedded[:, samples // 2:]
        distance = (probe[:, :, None] - enrol[None, None]).pow(2).sum(-1).numpy()
        own = np.eye(users, dtype=bool)[:, None].repeat(distance.shape[1], 1)
        return equal_error_rate(distance[own], distance[~own])

    def fit(self):
        print(f"run {self.tracker.name}: {len(self.known)} known users, {len(self.unknown)} unknown")
        tick = time.perf_counter()
        eer = 1.0
        for step in range(1, self.args.steps + 1):
            loss, accuracy = self.step()
            self.tracker.scalars(step, loss=loss, accuracy=accuracy)
            if step % self.args.verify_every == 0:
                eer = self.verify()
                self.tracker.scalar(step, "eer", eer)
                rate = self.args.verify_every / (time.perf_counter() - tick)
                tick = time.perf_counter()
                print(f"step {step:4d}  loss {loss:.5f}  triplets {accuracy:.3f}  eer {eer:.5f}  {rate:.0f} steps/s")
        torch.save(self.model.state_dict(), self.args.runs / "model.pt")
        self.tracker.close({"eer": eer})
        print(f"final equal error rate {eer:.6f}")


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--users", type=int, default=60)
    parser.add_argument("--samples", type=int, default=24)
    parser.add_argument("--embedding", type=int, default=32)
    parser.add_argument("--steps", type=int, default=240)
    parser.add_argument("--batch-size", type=int, default=48)
    parser.add_argument("--verify-every", type=int, default=60)
    parser.add_argument("--lr", type=float, default=0.05)
    parser.add_argument("--margin", type=float, default=0.5)
    parser.add_argument("--seed", type=int, default=1234)
    parser.add_argument("--runs", type=Path, default=HERE / "runs")
    return parser.parse_args()


if __name__ == "__main__":
    torch.set_num_threads(1)  # the batches are tiny
    Trainer(parse()).fit()
