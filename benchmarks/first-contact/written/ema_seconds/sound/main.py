"""Small transformer on a copy task, with profiling, early stopping by steps, and averaged weights."""
import gc
import time

import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from report import EventLog, Metric


class Copier(nn.Module):
    def __init__(self, symbols=12, width=32, length=16):
        super().__init__()
        self.embed = nn.Embedding(symbols, width)
        self.place = nn.Parameter(0.1 * torch.randn(length, width))
        layer = nn.TransformerEncoderLayer(width, 4, 64, dropout=0.05, batch_first=True)
        self.body = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.out = nn.Linear(width, symbols)

    def forward(self, x):
        return self.out(self.body(self.embed(x) + self.place))


def task(n):
    x = torch.randint(12, (n, 16))
    return x, x.flip(1)


def main(steps=60, patience=60):
    torch.manual_seed(29)
    model = Copier()
    opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
    average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.97))
    log, train = EventLog("events"), Metric("train")
    checks = [Metric(f"check{k}") for k in range(2)]
    best, best_step, beat = float("inf"), 0, time.time()
    fixed = task(64)
    for step in range(1, steps + 1):
        with log.timed("data"):
            x, y = task(32)
        with log.timed("forward"):
            loss = nn.functional.cross_entropy(model(x).transpose(1, 2), y)
        with log.timed("backward"):
            opt.zero_grad()
            loss.backward()
        with log.timed("optimizer"):
            opt.step()
            average.update_parameters(model)
        train.update(loss.item())
        if step % 10 == 0:
            average.eval()
            with torch.no_grad():
                check = nn.functional.cross_entropy(average(fixed[0]).transpose(1, 2), fixed[1]).item()
            average.train()
            for metric in checks:
                metric.update(check)
            if check < best:
                best, best_step = check, step
            if step - best_step >= patience:
                break
        log.write(step, loss=loss.item())
        if time.time() - beat > 2:
            print(f"... still alive at step {step}")
            beat = time.time()
            gc.collect()
    log.close()
    spread = {round(m.value, 6) for m in Metric.alive if m.name.startswith("check")}
    torch.save(average.module.state_dict(), "copier.pt")
    print("final best", best, "at", best_step, "train", train.value, "check", sorted(spread))


if __name__ == "__main__":
    main()
