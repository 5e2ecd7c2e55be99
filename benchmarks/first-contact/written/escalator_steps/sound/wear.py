import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from whitening import Whitener

LENGTH = 240


def windows(whitener: Whitener, signal: torch.Tensor, wear: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    pieces = [whitener(part).T[:, ::2] for part in signal.split(LENGTH)]
    return torch.stack(pieces), torch.stack([part.mean() for part in wear.split(LENGTH)])


class WearNet(nn.Module):
    def __init__(self, components: int) -> None:
        super().__init__()
        self.filters = nn.Sequential(
            nn.Conv1d(components, 32, 7, stride=2), nn.BatchNorm1d(32), nn.ReLU(),
            nn.Conv1d(32, 32, 5, stride=2), nn.ReLU(),
        )
        self.head = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        found = self.filters(x)
        return self.head(torch.cat([found.mean(2), found.std(2)], 1)).squeeze(1)


def learn(net: WearNet, x: torch.Tensor, y: torch.Tensor, epochs: int = 12) -> list[float]:
    loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3)
    losses = []
    net.train()
    for epoch in range(epochs):
        total = 0.0
        for inputs, wanted in loader:
            loss = nn.functional.smooth_l1_loss(net(inputs), wanted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(inputs)
        losses.append(total / len(x))
        print(f"epoch {epoch + 1:2d}  loss {losses[-1]:.6f}", flush=True)
    return losses
