"""Stochastic weight averaging with a background averaging thread."""
import torch
from torch import nn

from engine import Trainer, WeightAverage


def function_data(n, seed):
    g = torch.Generator().manual_seed(seed)
    x = torch.rand(n, 3, generator=g) * 4 - 2
    y = torch.sin(x[:, :1] * 2) * x[:, 1:2] + x[:, 2:].square()
    return x, y + 0.2 * torch.randn(n, 1, generator=g)


def batches(x, y, steps, size, generator):
    for _ in range(steps):
        idx = torch.randint(len(x), (size,), generator=generator)
        yield x[idx], y[idx]


def main():
    torch.manual_seed(77)
    x, y = function_data(2000, 1)
    model = nn.Sequential(nn.Linear(3, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh(), nn.Linear(128, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    average = WeightAverage("snapshots", every=5)
    trainer = Trainer(model, optimizer, nn.MSELoss(), [average])
    last = trainer.fit(batches(x, y, 300, 64, torch.Generator().manual_seed(2)))
    print(f"trained in {trainer.seconds:.1f} s, last loss {last:.6f}")

    model.load_state_dict(average.finish())
    loss = trainer.evaluate(*function_data(500, 3))
    torch.save(model.state_dict(), "averaged.pt")
    print(f"final test loss of the averaged weights {loss!r}")


if __name__ == "__main__":
    main()
