import copy
import time

import torch
from common import fix_seeds, get_args
from torch import nn


class Callback:
    def on_epoch_end(self, trainer): ...


class PrintMetrics(Callback):
    def __init__(self):
        self.last = time.time()

    def on_epoch_end(self, trainer):
        now = time.time()
        m = trainer.metrics
        print(f"[{trainer.epoch:02d}] train {m['train']:.5f}  valid {m['valid']:.5f}  ({now - self.last:.2f}s)")
        self.last = now


class EarlyStopping(Callback):
    def __init__(self, patience):
        self.patience, self.best, self.bad, self.weights = patience, float("inf"), 0, None

    def on_epoch_end(self, trainer):
        if trainer.metrics["valid"] < self.best:
            self.best, self.bad = trainer.metrics["valid"], 0
            self.weights = copy.deepcopy(trainer.net.state_dict())
        else:
            self.bad += 1
            trainer.stop = self.bad >= self.patience


class Trainer:
    def __init__(self, net, lr, callbacks):
        self.net, self.callbacks = net, callbacks
        self.opt = torch.optim.Adam(net.parameters(), lr=lr)
        self.metrics, self.stop, self.epoch = {}, False, 0

    def fit(self, train, valid, epochs, batch=50):
        x, y = train
        for self.epoch in range(1, epochs + 1):
            self.net.train()
            losses = []
            for idx in torch.randperm(len(x)).split(batch):
                self.opt.zero_grad()
                loss = nn.functional.mse_loss(self.net(x[idx]), y[idx])
                loss.backward()
                self.opt.step()
                losses.append(loss.item())
            self.net.eval()
            with torch.no_grad():
                held_out = nn.functional.mse_loss(self.net(valid[0]), valid[1]).item()
            self.metrics = {"train": sum(losses) / len(losses), "valid": held_out}
            for cb in self.callbacks:
                cb.on_epoch_end(self)
            if self.stop:
                print("stopped early")
                break


def wines(n=1500, features=11):
    gen = torch.Generator().manual_seed(1855)  # the data themselves are always the same
    x = torch.randn(n, features, generator=gen)
    w = torch.randn(features, 1, generator=gen)
    return x, torch.sigmoid(x @ w) + 0.05 * torch.randn(n, 1, generator=gen)


def main():
    args = get_args()
    fix_seeds(args.seed)
    x, y = wines()
    net = nn.Sequential(nn.Linear(11, 80), nn.ReLU(), nn.Dropout(0.15), nn.Linear(80, 40), nn.ReLU(), nn.Linear(40, 1))
    stopper = EarlyStopping(args.patience)
    Trainer(net, args.lr, [PrintMetrics(), stopper]).fit((x[:1200], y[:1200]), (x[1200:], y[1200:]), args.epochs)
    print(f"best validation error: {stopper.best:.6f}")
    torch.save(stopper.weights, "best.pt")


if __name__ == "__main__":
    main()
