"""Finds rail defects in acceleration recordings of measuring trains."""
import argparse
import datetime
import tempfile
import time

import torch
from torch import nn
from torch.utils.data import DataLoader

from network import DefectNet
from recordings import KINDS, section_names, write_all
from stream import SectionStream


class Trainer:
    def __init__(self, opts, folder):
        self.opts = opts
        sections = section_names()
        self.held_out = sections[::6]
        self.train_set = SectionStream(folder, [s for s in sections if s not in self.held_out], opts.seed)
        self.test_set = SectionStream(folder, self.held_out, opts.seed, augment=False)
        self.generator = torch.Generator().manual_seed(opts.seed)
        self.net = DefectNet()
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=opts.lr, momentum=0.9, nesterov=True)

    def epoch(self, number):
        self.net.train()
        self.train_set.set_epoch(number)
        loader = DataLoader(
            self.train_set, batch_size=self.opts.batch, num_workers=self.opts.workers, generator=self.generator
        )
        losses = []
        for signal, kind in loader:
            loss = nn.functional.cross_entropy(self.net(signal), kind)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            losses.append(loss.item())
        return sum(losses) / len(losses)

    @torch.no_grad()
    def confusion(self):
        self.net.eval()
        table = torch.zeros(len(KINDS), len(KINDS), dtype=torch.long)
        for signal, kind in DataLoader(self.test_set, batch_size=128):
            for a, b in zip(kind.tolist(), self.net(signal).argmax(1).tolist()):
                table[a, b] += 1
        return table


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--per-section", type=int, default=40)
    parser.add_argument("--lr", type=float, default=0.03)
    parser.add_argument("--seed", type=int, default=88)
    parser.add_argument("--save", default="defects.pt")
    opts = parser.parse_args()

    print("started", datetime.datetime.now().isoformat(timespec="seconds"))
    torch.manual_seed(opts.seed)
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory(prefix="rail-") as folder:
        write_all(folder, opts.per_section, seed=opts.seed)
        trainer = Trainer(opts, folder)
        for number in range(opts.epochs):
            start = time.time()
            loss = trainer.epoch(number)
            table = trainer.confusion()
            accuracy = table.diag().sum().item() / table.sum().item()
            print(f"epoch {number} loss {loss:.5f} accuracy {accuracy:.4f} took {time.time() - start:.1f}s")
    torch.save({"net": trainer.net.state_dict(), "confusion": table, "loss": loss}, opts.save)
    print(table)


if __name__ == "__main__":
    main()
