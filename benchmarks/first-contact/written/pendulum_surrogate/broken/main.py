import json
from multiprocessing import Pool

import torch
from simulate import make_cases, trajectory
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from tqdm import tqdm

CONFIG = {"cases": 300, "processes": 3, "epochs": 30, "batch_size": 30, "lr": 2e-3, "hidden": 48, "seed": 21}


class Surrogate(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.enter = nn.Linear(3, hidden)
        self.blocks = nn.ModuleList(nn.Linear(hidden, hidden) for _ in range(2))
        self.leave = nn.Linear(hidden, 3)

    def forward(self, x):
        h = torch.tanh(self.enter(x))
        for block in self.blocks:
            h = h + torch.tanh(block(h))
        return self.leave(h)


def run_simulations(cfg):
    inputs, outputs = [], []
    with Pool(cfg["processes"]) as pool:
        jobs = pool.imap_unordered(trajectory, make_cases(cfg["cases"], cfg["seed"]))
        for case, end in tqdm(jobs, total=cfg["cases"], desc="simulating"):
            inputs.append(case)
            outputs.append(end)
    return torch.tensor(inputs), torch.tensor(outputs)


def fit(model, loader, cfg):
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg["lr"])
    scheduler = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, max_lr=5 * cfg["lr"], epochs=cfg["epochs"], steps_per_epoch=len(loader))
    curve = []
    for epoch in range(cfg["epochs"]):
        running = 0.0
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.smooth_l1_loss(model(x), y)
            loss.backward()
            optimizer.step()
            scheduler.step()
            running += loss.item()
        curve.append(running / len(loader))
        if (epoch + 1) % 6 == 0:
            print(f"epoch {epoch + 1:3d} | loss {curve[-1]:.5f} | lr {scheduler.get_last_lr()[0]:.2e}")
    return curve


if __name__ == "__main__":
    torch.manual_seed(CONFIG["seed"])
    x, y = run_simulations(CONFIG)
    held = CONFIG["cases"] // 5
    loader = DataLoader(TensorDataset(x[held:], y[held:]), batch_size=CONFIG["batch_size"], shuffle=True, drop_last=True)
    model = Surrogate(CONFIG["hidden"])
    curve = fit(model, loader, CONFIG)
    with torch.no_grad():
        held_out = nn.functional.smooth_l1_loss(model(x[:held]), y[:held]).item()
    print(f"held-out loss {held_out:.5f}")
    with open("result.json", "w") as f:
        json.dump({"config": CONFIG, "curve": curve, "held_out": held_out}, f)
    torch.save(model.state_dict(), "surrogate.pt")
