"""Trials of a search for the settings of the still model."""
import time
from dataclasses import dataclass, field

import torch


@dataclass(frozen=True)
class Settings:
    number: int
    rate: float
    width: int
    decay: float

    def features(self):
        return torch.tensor([torch.log10(torch.tensor(self.rate)).item() + 2, self.width / 64 - 0.75,
                             self.decay * 100])


@dataclass
class Outcome:
    settings: Settings
    loss: float
    parameters: list = field(repr=False)
    seconds: float = 0.0


def draw_settings(count, generator):
    drawn = []
    for number in range(count):
        rate = 10 ** (-2.6 + 1.4 * torch.rand((), generator=generator).item())
        width = [32, 40, 48, 56][torch.randint(4, (), generator=generator).item()]
        decay = 0.01 * torch.rand((), generator=generator).item()
        drawn.append(Settings(number, rate, width, decay))
    return drawn


def initial(settings, inputs, generator):
    sizes = [inputs, settings.width, settings.width, 1]
    parameters = []
    for before, after in zip(sizes, sizes[1:]):
        parameters.append((torch.randn(before, after, generator=generator) / before ** 0.5).requires_grad_())
        parameters.append(torch.zeros(after, requires_grad=True))
    return parameters


def forward(parameters, x):
    *hidden, weight, bias = parameters
    for w, b in zip(hidden[::2], hidden[1::2]):
        x = torch.tanh(x @ w + b)
    return (x @ weight + bias).squeeze(1)


def run_trial(settings, train, valid, steps, seed):
    began = time.perf_counter()
    generator = torch.Generator().manual_seed(seed * 1000 + settings.number)
    (x, y), (vx, vy) = train, valid
    parameters = initial(settings, x.shape[1], generator)
    optimizer = torch.optim.AdamW(parameters, lr=settings.rate, weight_decay=settings.decay)
    for _ in range(steps):
        rows = torch.randint(len(x), (64,), generator=generator)
        loss = ((forward(parameters, x[rows]) - y[rows]) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        score = ((forward(parameters, vx) - vy) ** 2).mean().item()
    return Outcome(settings, score, [p.detach() for p in parameters], time.perf_counter() - began)
