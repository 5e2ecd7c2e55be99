"""The regressor and its training."""
import torch
from torch import nn


class Scaler:
    """Standardizes features; delays are learned as logarithms."""

    def __init__(self, mean, deviation, centre, spread):
        self.mean, self.deviation = mean, deviation
        self.centre, self.spread = centre, spread

    @classmethod
    def of(cls, features, delays):
        logs = delays.log()
        return cls(features.mean(dim=0), features.std(dim=0).clamp_min(1e-3), logs.mean(), logs.std())

    def inputs(self, features):
        return (features - self.mean) / self.deviation

    def targets(self, delays):
        return (delays.log() - self.centre) / self.spread

    def delays(self, outputs):
        return (outputs * self.spread + self.centre).exp()

    def state(self):
        return {"mean": self.mean, "deviation": self.deviation, "centre": self.centre, "spread": self.spread}


class DelayNet(nn.Module):
    def __init__(self, features, width=64):
        super().__init__()
        self.wide = nn.Linear(features, 1)
        self.deep = nn.Sequential(
            nn.Linear(features, width), nn.SiLU(),
            nn.Linear(width, width), nn.SiLU(),
            nn.Linear(width, 1),
        )

    def forward(self, inputs):
        return (self.wide(inputs) + self.deep(inputs)).squeeze(1)


def fit(model, scaler, used, held_out, epochs, batch_size, lr):
    inputs, targets = scaler.inputs(used[0]), scaler.targets(used[1])
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=1e-4)
    steps = epochs * ((len(inputs) + batch_size - 1) // batch_size)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=lr, total_steps=steps)
    loss_of = nn.SmoothL1Loss(beta=0.3)
    history = []
    for epoch in range(epochs):
        model.train()
        total = 0.0
        for chosen in torch.randperm(len(inputs)).split(batch_size):
            loss = loss_of(model(inputs[chosen]), targets[chosen])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            total += float(loss.detach()) * len(chosen)
        model.eval()
        with torch.no_grad():
            error = (scaler.delays(model(scaler.inputs(held_out[0]))) - held_out[1]).abs()
        row = {
            "epoch": epoch,
            "loss": total / len(inputs),
            "mae_ps": float(error.mean()),
            "p99_ps": float(error.quantile(0.99)),
        }
        history.append(row)
        print(f"epoch {epoch:2d}  loss {row['loss']:.6f}  held out: mean error {row['mae_ps']:.4f} ps, "
              f"99 % below {row['p99_ps']:.3f} ps")
    return history
