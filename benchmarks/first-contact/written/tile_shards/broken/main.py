import argparse
import time

import torch
import torch.nn.functional as F
from landcover import read_shards, write_shards
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


class CoverNet(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.c1 = nn.Conv2d(3, 16, 5, stride=2, padding=2)
        self.c2 = nn.Conv2d(16, 24, 3, padding=1)
        self.fc = nn.Linear(24, classes)

    def forward(self, x):
        x = F.relu(self.c1(x))
        x = F.relu(self.c2(x))
        return self.fc(x.mean((2, 3)))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--folder", default="shards")
    ap.add_argument("--epochs", type=int, default=4)
    ap.add_argument("--seed", type=int, default=123)
    a = ap.parse_args()
    torch.manual_seed(a.seed)

    t = time.time()
    write_shards(a.folder)
    images, labels = read_shards(a.folder)
    print(f"{len(images)} images ready after {time.time() - t:.2f} s")

    train, test = random_split(TensorDataset(images, labels), [0.8, 0.2], torch.Generator().manual_seed(a.seed))
    loader = DataLoader(train, batch_size=32, shuffle=True)
    model = CoverNet()
    opt = torch.optim.Adam(model.parameters(), lr=4e-3)
    for epoch in range(a.epochs):
        model.train()
        summed = 0.0
        for x, y in loader:
            loss = F.cross_entropy(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            summed += loss.item() * len(y)
        model.eval()
        with torch.no_grad():
            good = sum((model(x).argmax(1) == y).sum().item() for x, y in DataLoader(test, batch_size=64))
        print(f"epoch {epoch + 1} loss {summed / len(train):.5f} accuracy {good / len(test):.4f}")
    torch.save(model.state_dict(), "covernet.pt")


if __name__ == "__main__":
    main()
