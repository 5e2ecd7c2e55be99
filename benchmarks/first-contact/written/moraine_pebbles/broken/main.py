"""Which small network sorts pebbles of a moraine by their roundness best?"""
import json
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from pebbles import CLASSES, SIZE, collect
from trials import TRIALS, Trial

RESULTS = Path("results")


class PebbleNet(nn.Module):
    def __init__(self, trial: Trial):
        super().__init__()
        self.activation = trial.activation
        self.first = nn.Conv2d(1, trial.channels, 3, padding=1)
        self.second = nn.Conv2d(trial.channels, 2 * trial.channels, 3, padding=1, stride=2)
        self.norm = nn.BatchNorm2d(2 * trial.channels)
        self.pool = nn.AdaptiveAvgPool2d(SIZE // 4)
        self.drop = nn.Dropout(0.15)
        self.out = nn.Linear(2 * trial.channels * (SIZE // 4) ** 2, len(CLASSES))

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        x = self.activation(self.first(images))
        x = self.activation(self.norm(self.second(x)))
        return self.out(self.drop(self.pool(x).flatten(1)))


class Bench:
    """Trains each trial on the same pebbles."""

    def __init__(self) -> None:
        self.train = TensorDataset(*collect(1600, seed=1))
        self.test_images, self.test_kinds = collect(600, seed=2)

    def augment(self, images: torch.Tensor, trial: Trial) -> torch.Tensor:
        if torch.rand(()) < 0.5:
            images = images.flip(3)
        images = torch.rot90(images, int(torch.randint(4, ())), dims=(2, 3))
        return images + trial.blur * torch.randn_like(images)

    def run(self, trial: Trial) -> tuple[PebbleNet, list[float]]:
        torch.manual_seed(trial.seed)
        net = PebbleNet(trial)
        optimizer = torch.optim.SGD(net.parameters(), lr=10 * trial.learning_rate, momentum=0.9, nesterov=True)
        losses = []
        for _ in range(trial.epochs):
            net.train()
            total = 0.0
            for images, kinds in DataLoader(self.train, batch_size=50, shuffle=True):
                loss = nn.functional.cross_entropy(net(self.augment(images, trial)), kinds, label_smoothing=0.05)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total += loss.item()
            losses.append(total / (len(self.train) / 50))
        return net.eval(), losses

    @torch.no_grad()
    def judge(self, net: PebbleNet) -> tuple[float, list[list[int]]]:
        guesses = net(self.test_images).argmax(1)
        confusion = torch.zeros(len(CLASSES), len(CLASSES), dtype=torch.long)
        confusion.index_put_((self.test_kinds, guesses), torch.ones_like(guesses), accumulate=True)
        return (guesses == self.test_kinds).float().mean().item(), confusion.tolist()


def main() -> None:
    RESULTS.mkdir(exist_ok=True)
    bench = Bench()
    summary = []
    for trial in TRIALS:
        net, losses = bench.run(trial)
        accuracy, confusion = bench.judge(net)
        save_file(net.state_dict(), RESULTS / f"{trial.title}.safetensors")
        summary.append({"title": trial.title, "losses": losses, "accuracy": accuracy, "confusion": confusion})
        print(f"{trial.title:<8} loss {losses[0]:.4f} -> {losses[-1]:.4f}   accuracy {accuracy:.4f}")
    best = max(summary, key=lambda entry: entry["accuracy"])
    print(f"best: {best['title']}")
    for name, row in zip(CLASSES, best["confusion"]):
        print(f"  {name:<11}" + "".join(f"{cell:5d}" for cell in row))
    (RESULTS / "summary.json").write_text(json.dumps(summary, indent=1))


if __name__ == "__main__":
    main()
