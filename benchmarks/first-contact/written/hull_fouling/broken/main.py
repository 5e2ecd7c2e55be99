import json
import logging
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import nn
from torch.nn.functional import cross_entropy

from inspection import DarkPatch, look_over
from patches import KINDS, SIZE, augment, hull_patches

log = logging.getLogger("hull")


@dataclass
class Settings:
    seed: int = 8
    train_patches: int = 1400
    test_patches: int = 400
    epochs: int = 9
    batch_size: int = 50
    lr: float = 0.04
    dropout: float = 0.25


class FoulingNet(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, 12, 3, padding=1), nn.BatchNorm2d(12), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(12, 24, 3, padding=1), nn.BatchNorm2d(24), nn.ReLU(), nn.MaxPool2d(2),
        )
        self.head = nn.Sequential(nn.Flatten(), nn.Dropout(dropout), nn.Linear(24 * (SIZE // 4) ** 2, len(KINDS)))

    def forward(self, x):
        return self.head(self.body(x))


def train_epoch(model, optimizer, x, y, settings):
    model.train()
    losses = []
    for rows in torch.randperm(len(y)).split(settings.batch_size):
        optimizer.zero_grad()
        loss = cross_entropy(model(augment(x[rows])), y[rows])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return sum(losses) / len(losses)


@torch.no_grad()
def accuracy(model, x, y):
    model.eval()
    return (model(x).argmax(1) == y).float().mean().item()


def main():
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    torch.set_num_threads(1)
    settings = Settings()
    start = time.time()
    x, y, names = hull_patches(settings.train_patches, seed=1)
    x_test, y_test, _ = hull_patches(settings.test_patches, seed=2)
    log.info("%d patches in %.1f s", len(y) + len(y_test), time.time() - start)

    torch.manual_seed(settings.seed)
    model = FoulingNet(settings.dropout)
    optimizer = torch.optim.SGD(model.parameters(), lr=settings.lr, momentum=0.9, nesterov=True)
    history = []
    for epoch in range(settings.epochs):
        try:
            look_over(x, names)
        except DarkPatch as patch:
            log.warning("   %s is dark, check the lamp", patch)
        loss = train_epoch(model, optimizer, x, y, settings)
        history.append({"loss": loss, "accuracy": accuracy(model, x_test, y_test)})
        log.info("epoch %d loss %.4f accuracy %.3f, %.1f s", epoch, loss, history[-1]["accuracy"], time.time() - start)

    out = Path(__file__).parent / "trained"
    out.mkdir(exist_ok=True)
    torch.save(model.state_dict(), out / "fouling.pt")
    with open(out / "results.json", "w") as f:
        json.dump({"settings": asdict(settings), "history": history, "finished": time.ctime()}, f, indent=2)


if __name__ == "__main__":
    main()
