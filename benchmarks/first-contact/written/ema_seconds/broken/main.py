"""Trains a super-resolution network for signals; the moving average of its weights is what is kept."""
import torch
from torch import nn

from core import History, Loop, MovingAverage, Timer


def signals(n, generator, length=64):
    t = torch.linspace(0, 6.28, length)
    frequency = 1 + 5 * torch.rand(n, 3, 1, generator=generator)
    amplitude = torch.randn(n, 3, 1, generator=generator)
    return (amplitude * torch.sin(frequency * t)).sum(1, keepdim=True)


def batches(steps, size, seed):
    g = torch.Generator().manual_seed(seed)
    for _ in range(steps):
        fine = signals(size, g)
        yield fine[:, :, ::4] + 0.05 * torch.randn(size, 1, 16, generator=g), fine


class Upsampler(nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.body = nn.Sequential(nn.Conv1d(1, width, 5, padding=2), nn.BatchNorm1d(width), nn.GELU(),
                                  nn.Conv1d(width, width, 5, padding=2), nn.BatchNorm1d(width), nn.GELU(),
                                  nn.Conv1d(width, 4, 5, padding=2))

    def forward(self, x):
        y = self.body(x)
        return y.transpose(1, 2).reshape(len(x), 1, -1)


def main():
    torch.manual_seed(83)
    model = Upsampler()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    timer, history = Timer(), History()
    average = MovingAverage(half_life=0.25, timer=timer)
    Loop(model, optimizer, nn.MSELoss(), [timer, history, average])(batches(60, 32, seed=4))
    average.model.eval()
    x, y = next(batches(1, 200, seed=5))
    test = nn.functional.mse_loss(average.model(x), y).item()
    torch.save(average.model.state_dict(), "upsampler.pt")
    print(f"last loss {history.losses[-1]:.6f}")
    print(f"final test loss {test!r}")


if __name__ == "__main__":
    main()
