"""Classifies weld defects in (synthetic) X-ray films."""
import json
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, random_split

import films

CONFIG = {
    "cameras": 4,
    "parts": 10,
    "per_part": 40,
    "batch": 40,
    "epochs": 4,
    "lr": 2e-3,
    "seed": 1234,
}


class WeldNet(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        )
        self.head = nn.Sequential(nn.Flatten(), nn.Dropout(0.2), nn.Linear(16 * 36, 32), nn.ReLU(), nn.Linear(32, classes))

    def forward(self, x):
        return self.head(self.features(x))


def accuracy(model, dataset):
    model.eval()
    right = 0
    with torch.no_grad():
        for x, y in DataLoader(dataset, batch_size=200):
            right += (model(x).argmax(1) == y).sum().item()
    return right / len(dataset)


def main():
    torch.manual_seed(CONFIG["seed"])
    torch.set_num_threads(1)

    start = time.perf_counter()
    films.prepare("films", CONFIG["cameras"], CONFIG["parts"], CONFIG["per_part"])
    dataset = films.load("films")
    print(f"{len(dataset)} films in {time.perf_counter() - start:.2f} s")

    train, test = random_split(dataset, [0.8, 0.2], generator=torch.Generator().manual_seed(CONFIG["seed"]))
    loader = DataLoader(train, batch_size=CONFIG["batch"], shuffle=True)
    model = WeldNet()
    optimizer = torch.optim.RMSprop(model.parameters(), lr=CONFIG["lr"])

    history = []
    for epoch in range(CONFIG["epochs"]):
        model.train()
        total = 0.0
        for x, y in loader:
            flip = torch.rand(len(x)) < 0.5
            x = torch.where(flip[:, None, None, None], x.flip(-1), x)
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        history.append({"epoch": epoch, "loss": total / len(loader), "accuracy": accuracy(model, test)})
        print("epoch {epoch}: loss {loss:.5f} accuracy {accuracy:.4f}".format(**history[-1]))

    torch.save(model.state_dict(), "weldnet.pt")
    with open("history.json", "w") as f:
        json.dump({"config": CONFIG, "history": history}, f, indent=2)


if __name__ == "__main__":
    main()
