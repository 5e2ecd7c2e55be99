import json
import time
from datetime import datetime
from pathlib import Path

import torch
from torch import nn

import sheets

SETTINGS = {"seed": 5, "sizes": [256, 384, 512], "sheets_each": 5, "epochs": 5, "batch": 160, "width": 64, "lr": 3e-3}


def surrogate(width):
    return nn.Sequential(nn.Linear(11, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU(),
                         nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 5))


def simulate(s):
    generator = torch.Generator().manual_seed(s["seed"])
    rolled = [sheets.roll_up(count, generator) for count in s["sizes"] for _ in range(s["sheets_each"])]
    inputs, outputs = (torch.cat(part) for part in zip(*rolled))
    return inputs, (outputs - outputs.mean(0)) / outputs.std(0)


def main():
    torch.set_num_threads(1)
    began = time.perf_counter()
    x, y = simulate(SETTINGS)
    print(f"{datetime.now():%H:%M:%S}  {len(x)} probes in {time.perf_counter() - began:.2f} s")
    sheets.report()

    torch.manual_seed(SETTINGS["seed"])
    model = surrogate(SETTINGS["width"])
    optimizer = torch.optim.Adam(model.parameters(), lr=SETTINGS["lr"])
    held = torch.arange(len(x)) % 8 == 0
    x_train, y_train, x_held, y_held = x[~held], y[~held], x[held], y[held]
    curve = []
    for epoch in range(SETTINGS["epochs"]):
        for rows in torch.randperm(len(x_train)).split(SETTINGS["batch"]):
            loss = nn.functional.huber_loss(model(x_train[rows]), y_train[rows])
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            curve.append(nn.functional.huber_loss(model(x_held), y_held).item())
        print(f"{datetime.now():%H:%M:%S}  epoch {epoch}  held-out {curve[-1]:.4f}")

    out = Path(f"surrogate_{datetime.now():%Y%m%d-%H%M%S-%f}")
    out.mkdir()
    torch.save(model.state_dict(), out / "weights.pt")
    (out / "summary.json").write_text(json.dumps({**SETTINGS, "held_out": curve}, indent=1))


if __name__ == "__main__":
    main()
