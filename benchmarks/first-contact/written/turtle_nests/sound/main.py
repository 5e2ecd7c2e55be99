"""Find turtle nests in beach tiles taken from a drone.

While one epoch trains, the weights of the epoch before are validated in the background with
flips and turns of each tile.  The weights with the best validation are reported on the test beach.
"""
import copy
from concurrent.futures import ThreadPoolExecutor

import torch
from torch import nn
from torch.func import functional_call
from torch.nn import functional as F

SEED = 8
EPOCHS = 8
SIDE = 20


def beach(n, seed):
    g = torch.Generator().manual_seed(seed)
    sand = torch.randn(n, 1, SIDE, SIDE, generator=g)
    sand = F.avg_pool2d(F.pad(sand, (1, 1, 1, 1), mode="reflect"), 3, stride=1)
    yy, xx = torch.meshgrid(torch.arange(SIDE), torch.arange(SIDE), indexing="ij")
    nest = torch.rand(n, generator=g) < 0.45
    cy, cx = (torch.rand(2, n, generator=g) * (SIDE - 8) + 4)
    radius = torch.rand(n, generator=g) * 1.5 + 2.0
    dist = ((yy - cy[:, None, None]) ** 2 + (xx - cx[:, None, None]) ** 2).sqrt()
    pit = torch.exp(-((dist - radius[:, None, None]) / 0.9) ** 2)
    track = torch.exp(-((yy - xx + cx[:, None, None] - cy[:, None, None]) / 1.1) ** 2)
    with_track = torch.rand(n, generator=g) < 0.5
    tiles = sand + 0.55 * (nest.float()[:, None, None] * pit).unsqueeze(1)
    tiles = tiles + 0.3 * (with_track.float()[:, None, None] * track).unsqueeze(1)
    return tiles, nest.long()


class NestNet(nn.Module):
    def __init__(self, channels=12):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, channels, 3, padding=1), nn.BatchNorm2d(channels), nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(channels, 2 * channels, 3, padding=1), nn.BatchNorm2d(2 * channels), nn.ReLU(),
            nn.AdaptiveAvgPool2d(2), nn.Flatten())
        self.out = nn.Linear(8 * channels, 2)

    def forward(self, x):
        return self.out(self.features(x))


def views(x):
    for k in range(4):
        turned = torch.rot90(x, k, (2, 3))
        yield turned
        yield turned.flip(3)


class Validator:
    """Scores weights on the validation beach in a thread of its own."""

    def __init__(self, model, x, y):
        self.model = copy.deepcopy(model).eval()
        self.x, self.y = x, y
        self.pool = ThreadPoolExecutor(max_workers=1)
        self.pending = []

    def submit(self, epoch, state):
        self.pending.append(self.pool.submit(self._score, epoch, state))

    @torch.no_grad()
    def _score(self, epoch, state):
        logits = torch.zeros(len(self.y), 2)
        for view in views(self.x):
            parts = [functional_call(self.model, state, (part,)) for part in view.split(200)]
            logits += torch.cat(parts).log_softmax(1)
        loss = F.nll_loss((logits / 8).log_softmax(1), self.y).item()
        accuracy = (logits.argmax(1) == self.y).double().mean().item()
        return {"epoch": epoch, "loss": loss, "accuracy": accuracy, "state": state}

    def results(self):
        done = [f.result() for f in self.pending]
        self.pool.shutdown()
        return done


def train_epoch(model, optimizer, x, y):
    model.train()
    total = 0.0
    for rows in torch.randperm(len(x)).split(32):
        loss = F.cross_entropy(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(rows)
    return total / len(x)


def main():
    torch.manual_seed(SEED)
    x, y = beach(1200, 101)
    x_val, y_val = beach(800, 102)
    x_test, y_test = beach(600, 103)

    model = NestNet()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS)
    validator = Validator(model, x_val, y_val)

    for epoch in range(EPOCHS):
        loss = train_epoch(model, optimizer, x, y)
        schedule.step()
        state = {name: value.clone() for name, value in model.state_dict().items()}
        validator.submit(epoch, state)
        print(f"epoch {epoch} train loss {loss:.6f}")

    history = validator.results()
    for row in history:
        print(f"epoch {row['epoch']} val loss {row['loss']:.6f} accuracy {row['accuracy']:.4f}")
    best = min(history, key=lambda row: row["loss"])
    model.load_state_dict(best["state"])
    model.eval()
    with torch.no_grad():
        test_loss = F.cross_entropy(model(x_test), y_test).item()
    print(f"kept epoch {best['epoch']}, test loss {test_loss:.6f}")
    torch.save(best["state"], "nests.pt")


if __name__ == "__main__":
    main()
