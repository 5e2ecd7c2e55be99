import math

import torch
from torch import nn

from training import CheckpointStore, Settings, Trainer


def spirals(n, arms, seed):
    g = torch.Generator().manual_seed(seed)
    y = torch.randint(arms, (n,), generator=g)
    r = torch.rand(n, generator=g)
    angle = 4 * r + 2 * math.pi * y / arms + 0.25 * torch.randn(n, generator=g)
    return torch.stack([r * angle.cos(), r * angle.sin()], 1), y


def main():
    settings = Settings.from_command_line()
    torch.manual_seed(settings.seed)
    x, y = spirals(1500, 3, settings.seed)
    model = nn.Sequential(
        nn.Linear(2, settings.width), nn.Tanh(), nn.Dropout(0.05),
        nn.Linear(settings.width, settings.width), nn.Tanh(), nn.Linear(settings.width, 3))
    trainer = Trainer(settings, model, CheckpointStore(settings.scratch))
    loss = trainer.fit(x, y)
    model.eval()
    with torch.no_grad():
        accuracy = (model(x).argmax(1) == y).float().mean().item()
    torch.save(model.state_dict(), f"{settings.name}.pt")
    print(f"final loss {loss!r} accuracy {accuracy:.4f}")


if __name__ == "__main__":
    main()
