"""Which lodges does a beaver family colonise next? Message passing on a network of river reaches."""
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from river import River
from torch import nn

SEED = 404
SEASONS = 40
SETTINGS = {"reaches": 220, "extra": 60, "lr": 5e-3, "epochs": 90, "hidden": 24}


class Colonisation(nn.Module):
    def __init__(self, features, hidden):
        super().__init__()
        self.enter = nn.Linear(features, hidden)
        self.mix = nn.ModuleList(nn.Linear(2 * hidden, hidden) for _ in range(3))
        self.leave = nn.Linear(hidden, 1)

    def forward(self, x, source, target, degree):
        h = torch.relu(self.enter(x))
        for layer in self.mix:
            heard = torch.zeros_like(h).index_add(0, target, h[source]) / degree
            h = h + torch.relu(layer(torch.cat([h, heard], dim=1)))
        return self.leave(h).squeeze(1)


def observe(river, rng):
    """Follows the river for some seasons; gives the features and who was colonised at the end."""
    river.settle(rng, founders=6)
    for _ in range(SEASONS):
        river.season(rng)
    features = [[r.width, r.slope, r.willow, float(r.lodged_since is not None and r.lodged_since < 25)]
                for r in river.reaches]
    labels = [float(r.lodged_since is not None) for r in river.reaches]
    return torch.tensor(features, dtype=torch.float32), torch.tensor(labels)


def edges(river):
    pairs = [(a.number, b.number) for a in river.reaches for b in a.neighbours]
    source, target = torch.tensor(pairs).T
    degree = torch.bincount(target, minlength=len(river.reaches)).clamp(min=1).unsqueeze(1)
    return source, target, degree


def main():
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    rng = np.random.default_rng(SEED)
    river = River(SETTINGS["reaches"], SETTINGS["extra"], rng)
    x, y = observe(river, rng)
    source, target, degree = edges(river)
    print(f"{len(river.reaches)} reaches, {len(source)} links, {int(y.sum())} colonised, {river.lost} families lost")

    order = torch.randperm(len(y))
    train, test = order[:160], order[160:]
    model = Colonisation(x.shape[1], SETTINGS["hidden"])
    optimizer = torch.optim.Adam(model.parameters(), lr=SETTINGS["lr"])
    for epoch in range(SETTINGS["epochs"]):
        optimizer.zero_grad()
        loss = F.binary_cross_entropy_with_logits(model(x, source, target, degree)[train], y[train])
        loss.backward()
        optimizer.step()
        if epoch % 15 == 14:
            print(f"epoch {epoch + 1:3d}  loss {loss.item():.6f}")

    model.eval()
    with torch.no_grad():
        logits = model(x, source, target, degree)[test]
    right = ((logits > 0) == (y[test] > 0.5)).float().mean().item()
    print(f"held out: accuracy {right:.4f}, loss {F.binary_cross_entropy_with_logits(logits, y[test]).item():.6f}")
    folder = Path("lodges")
    folder.mkdir(exist_ok=True)
    np.savetxt(folder / "probability.csv", logits.sigmoid().numpy(), fmt="%.6f")
    torch.save(model.state_dict(), folder / "model.pt")


if __name__ == "__main__":
    main()
