"""Browning of waffles from infrared frames of the iron: a convolutional regressor with
stochastic weight averaging over the second half of the training."""
import logging
import sys
import time

import torch
from safetensors.torch import save_file
from torch import nn, Tensor
from torch.optim.swa_utils import AveragedModel, update_bn
from torch.utils.data import DataLoader, TensorDataset

log = logging.getLogger("waffle")


def bake(count: int, generator: torch.Generator) -> TensorDataset:
    """Frames of 16 x 16 pixels and the browning index a baker gave."""
    grid = torch.linspace(-1, 1, 16)
    yy, xx = torch.meshgrid(grid, grid, indexing="ij")
    ribs = (torch.cos(9 * xx) * torch.cos(9 * yy)).expand(count, 16, 16)
    heat = torch.rand(count, 1, 1, generator=generator) * 60 + 150
    tilt = torch.randn(count, 1, 1, generator=generator) * 6
    sugar = torch.rand(count, 1, 1, generator=generator)
    frames = heat + tilt * xx + 4 * ribs - 8 * (xx ** 2 + yy ** 2) * (1 + sugar)
    frames = frames + torch.randn(count, 16, 16, generator=generator) * 2.5
    index = torch.sigmoid((heat - 178) / 9 + 1.4 * (sugar - 0.5)).flatten()
    index = index + 0.03 * torch.randn(count, generator=generator)
    return TensorDataset(((frames - 175) / 20).unsqueeze(1), index)


def build() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 10, 3, padding=1, bias=False), nn.BatchNorm2d(10), nn.GELU(), nn.MaxPool2d(2),
        nn.Conv2d(10, 20, 3, padding=1, bias=False), nn.BatchNorm2d(20), nn.GELU(),
        nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(80, 1), nn.Flatten(0))


class Trainer:
    def __init__(self, model: nn.Module, loader: DataLoader, steps: int):
        self.model = model
        self.loader = loader
        self.steps = steps
        self.average = AveragedModel(model)
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.03, momentum=0.9, nesterov=True)
        self.schedule = torch.optim.lr_scheduler.LinearLR(
            self.optimizer, 1.0, 0.3, total_iters=steps // 2)
        self.running = 0.0

    def batches(self):
        while True:
            yield from self.loader

    def step(self, x: Tensor, y: Tensor) -> None:
        self.model.train()
        loss = nn.functional.mse_loss(self.model(x), y)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        self.optimizer.step()
        self.schedule.step()
        self.running += loss.item()

    def fit(self) -> None:
        started = last = time.monotonic()
        report_every, average_every = 100, 25
        for number, (x, y) in enumerate(self.batches(), start=1):
            self.step(x, y)
            if number > self.steps // 2 and number % average_every == 0:
                self.average.update_parameters(self.model)
            if number % report_every == 0:
                now = time.monotonic()
                log.info("%d steps, %.0f a second", number, report_every / (now - last))
                print(f"step {number:4d} loss {self.running / report_every:.7f}")
                self.running, last = 0.0, now
            if number == self.steps:
                break
        update_bn(self.loader, self.average)
        log.info("trained for %.1f s", time.monotonic() - started)


@torch.no_grad()
def mean_abs_error(model: nn.Module, data: TensorDataset) -> float:
    model.eval()
    x, y = data.tensors
    return (model(x) - y).abs().mean().item()


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", stream=sys.stderr)
    torch.manual_seed(31)
    generator = torch.Generator().manual_seed(32)
    train, test = bake(1600, generator), bake(500, generator)
    loader = DataLoader(train, batch_size=40, shuffle=True, drop_last=True)

    trainer = Trainer(build(), loader, steps=600)
    trainer.fit()
    print(f"last weights      mean abs error {mean_abs_error(trainer.model, test):.7f}")
    print(f"averaged weights  mean abs error {mean_abs_error(trainer.average, test):.7f}")
    weights = {k: v.contiguous() for k, v in trainer.average.module.state_dict().items()}
    save_file(weights, "waffle.safetensors")


if __name__ == "__main__":
    main()
