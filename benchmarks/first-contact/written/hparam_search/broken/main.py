"""Random search over the hyper-parameters of a small regressor. Results go to trials.json."""
import json
import logging

import torch
from torch import nn

from search import History, Space, TimeBudget, choice, loguniform

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
log = logging.getLogger("search")

SPACE = Space(
    seed=9,
    lr=loguniform(1e-3, 2e-2),
    width=choice(16, 32, 64),
    dropout=choice(0.0, 0.1),
    activation=choice("relu", "tanh", "gelu"),
)
ACTIVATIONS = {"relu": nn.ReLU, "tanh": nn.Tanh, "gelu": nn.GELU}


def friedman(n, g):
    x = torch.rand(n, 8, generator=g)
    y = 10 * torch.sin(torch.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4]
    return x, (y + torch.randn(n, generator=g) - 14) / 5


def build(hp):
    act = ACTIVATIONS[hp["activation"]]
    return nn.Sequential(nn.Linear(8, hp["width"]), act(), nn.Dropout(hp["dropout"]),
                         nn.Linear(hp["width"], hp["width"]), act(), nn.Linear(hp["width"], 1))


def trial(hp, data, callbacks, max_steps=5000):
    (x, y), (xv, yv) = data
    torch.manual_seed(0)
    model = build(hp)
    opt = torch.optim.Adam(model.parameters(), lr=hp["lr"])
    for c in callbacks:
        c.on_start()
    for step in range(max_steps):
        b = torch.randint(len(x), (64,))
        loss = nn.functional.mse_loss(model(x[b]).squeeze(1), y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
        if any([c.on_batch_end(step, loss.item()) for c in callbacks]):
            break
    model.eval()
    with torch.no_grad():
        return nn.functional.mse_loss(model(xv).squeeze(1), yv).item()


def main():
    g = torch.Generator().manual_seed(9)
    data = friedman(1500, g), friedman(500, g)
    history = History()
    trials = []
    for number in range(6):
        hp = SPACE.draw()
        mse = trial(hp, data, [history, TimeBudget(0.4)])
        log.info("trial %d done, last batch losses %.3f", number, history.losses[-1])
        print(f"trial {number}: mse {mse:.6f}  {hp}")
        trials.append({"mse": mse, "hp": hp})
    best = min(trials, key=lambda t: t["mse"])
    print("best", best)
    with open("trials.json", "w") as f:
        json.dump(trials, f, indent=2)


if __name__ == "__main__":
    main()
