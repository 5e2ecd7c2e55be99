import time

import torch
from torch import nn

from loader import BackgroundLoader


def shapes(n=768, size=16):
    """Filled circles, crosses and frames at random places."""
    g = torch.Generator().manual_seed(1)
    labels = torch.randint(3, (n,), generator=g)
    images = 0.1 * torch.randn(n, 1, size, size, generator=g)
    yy, xx = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
    for k in range(n):
        cy, cx = torch.randint(5, size - 5, (2,), generator=g).tolist()
        dy, dx = (yy - cy).abs(), (xx - cx).abs()
        mask = [dy ** 2 + dx ** 2 <= 12, (dy == 0) & (dx < 5) | (dx == 0) & (dy < 5),
                torch.maximum(dy, dx) == 3][labels[k]]
        images[k, 0][mask] += 1.0
    return images, labels


class SmallConv(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        )
        self.head = nn.Sequential(nn.Dropout(0.3), nn.Linear(16 * 16, 32), nn.ReLU(),
                                  nn.Dropout(0.3), nn.Linear(32, classes))

    def forward(self, x):
        return self.head(self.features(x).flatten(1))


def main():
    torch.manual_seed(2024)
    images, labels = shapes()
    loader = BackgroundLoader(images, labels, batch_size=32)
    model = SmallConv()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    for epoch in range(2):
        model.train()
        tic = time.time()
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            accuracy = (model(images).argmax(1) == labels).float().mean().item()
        print(f"epoch {epoch} loss {loss.item():.4f} accuracy {accuracy:.4f} {time.time() - tic:.1f} s")
    torch.save(model.state_dict(), "conv.pt")
    print(f"final loss {loss.item()!r}")


if __name__ == "__main__":
    main()
