"""Estimates the fuel of a tractor's route over a field; survives the night queue's preemptions."""

import argparse
import json
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from sampling import CurriculumSampler


class Fields(Dataset):
    """Routes of twelve headings over a sloping field."""

    def __init__(self, count, seed):
        rng = np.random.default_rng(seed)
        heading = rng.uniform(-np.pi, np.pi, (count, 12))
        length = rng.gamma(4, 30, (count, 12))
        slope = rng.normal(0, 0.08, (count, 2))
        wet = rng.beta(2, 4, count)
        climb = np.cos(heading) * slope[:, :1] + np.sin(heading) * slope[:, 1:]
        turns = np.abs(np.diff(heading, axis=1)).sum(1)
        fuel = (length * (1 + 4 * climb.clip(0) + wet[:, None])).sum(1) / 900 + 0.05 * turns
        fuel = fuel + rng.normal(0, 0.05, count)
        x = np.concatenate([np.cos(heading), np.sin(heading), length / 120, slope * 10, wet[:, None]], 1)
        self.x = torch.tensor(x, dtype=torch.float32)
        self.y = torch.tensor(fuel, dtype=torch.float32)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return i, self.x[i], self.y[i]


class Preempted(Exception):
    pass


class Trainer:
    def __init__(self, fields, folder, sampler):
        self.folder = folder
        self.sampler = sampler
        self.loader = DataLoader(fields, batch_size=48, sampler=sampler)
        self.model = nn.Sequential(nn.Linear(fields.x.shape[1], 96), nn.Mish(), nn.Dropout(0.05),
                                   nn.Linear(96, 96), nn.Mish(), nn.Linear(96, 1))
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=2e-3)
        self.schedule = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, 12)
        self.epoch = 0
        self.history = []

    def parts(self):
        return {"model": self.model, "optimizer": self.optimizer,
                "schedule": self.schedule, "sampler": self.sampler}

    def save(self):
        state = {name: part.state_dict() for name, part in self.parts().items()}
        state |= {"epoch": self.epoch, "history": self.history, "torch_rng": torch.get_rng_state()}
        partial = self.folder / "last.tmp"
        torch.save(state, partial)
        partial.replace(self.folder / "last.pt")

    def restore(self):
        state = torch.load(self.folder / "last.pt", weights_only=False)
        for name, part in self.parts().items():
            part.load_state_dict(state[name])
        self.epoch, self.history = state["epoch"], state["history"]
        torch.set_rng_state(state["torch_rng"])
        return self

    def fit(self, epochs, preempt_after=None):
        while self.epoch < epochs:
            total = 0.0
            for rows, x, y in self.loader:
                losses = (self.model(x).squeeze(1) - y).square()
                self.optimizer.zero_grad()
                losses.mean().backward()
                self.optimizer.step()
                self.sampler.update(rows.numpy(), losses.detach().numpy())
                total += losses.sum().item()
            self.schedule.step()
            self.sampler.advance()
            self.epoch += 1
            self.history.append(total / len(self.sampler))
            self.save()
            if self.epoch == preempt_after:
                raise Preempted(f"after epoch {self.epoch}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--slice", type=int, default=7, help="epochs until the queue preempts us")
    parser.add_argument("--seed", type=int, default=612)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)

    fields, test = Fields(2400, args.seed), Fields(600, args.seed + 1)
    per_epoch = 1600
    with tempfile.TemporaryDirectory(prefix="tractor-") as scratch:
        folder = Path(scratch)
        began = time.perf_counter()
        trainer = Trainer(fields, folder, CurriculumSampler(len(fields), per_epoch, args.seed))
        try:
            trainer.fit(args.epochs, preempt_after=args.slice)
        except Preempted as reason:
            print(f"preempted {reason}, resuming")
            trainer = Trainer(fields, folder, CurriculumSampler(len(fields), per_epoch)).restore()
            trainer.fit(args.epochs)
        (folder / "history.json").write_text(json.dumps(trainer.history))
        history = json.loads((folder / "history.json").read_text())
        print(f"{args.epochs} epochs in {time.perf_counter() - began:.2f} s")

    trainer.model.eval()
    with torch.no_grad():
        error = (trainer.model(test.x).squeeze(1) - test.y).abs().mean().item()
    weights = nn.utils.parameters_to_vector(trainer.model.parameters()).double()
    print("losses " + " ".join(f"{h:.5f}" for h in history[::3]))
    print(f"test error {error:.8f} weights {weights.sum().item():.10f}")


if __name__ == "__main__":
    main()
