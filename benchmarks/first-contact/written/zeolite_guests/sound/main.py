from __future__ import annotations

import json
import os
import random
import time

import torch

from lattice import energy, loaded_slab
from motifs import MotifTable
from train import EnergyNet, fit

CONFIG = {"seed": 12, "slabs": 640, "held": 160, "width": 48, "epochs": 16, "batch": 40}


def run_name() -> str:
    words = random.SystemRandom()
    return "-".join([words.choice(("calm", "brisk", "pale", "amber")), words.choice(("cage", "ring", "pore")), str(os.getpid())])


def main() -> None:
    clock = time.perf_counter()
    torch.set_num_threads(1)
    torch.manual_seed(CONFIG["seed"])
    rng = random.Random(CONFIG["seed"])
    name = run_name()
    slabs = [loaded_slab(rng) for _ in range(CONFIG["slabs"])]
    target = torch.tensor([energy(slab) for slab in slabs])
    table = MotifTable(slabs[CONFIG["held"]:])
    x = table.describe(slabs)
    x, y = (x - x.mean(0)) / (x.std(0) + 1e-6), (target - target.mean()) / target.std()
    print(f"{name}: {len(table)} motifs ({table.rare} rare ones left out), {time.perf_counter() - clock:.1f} s")

    model = EnergyNet(len(table), CONFIG["width"])
    held = CONFIG["held"]
    losses = fit(model, x[held:], y[held:], CONFIG["epochs"], CONFIG["batch"])
    with torch.no_grad():
        error = (model(x[:held]) - y[:held]).abs().mean().item() * target.std().item()
    print(f"{name}: loss {losses[-1]:.5f}, held-out error {error:.4f} kJ/mol, {time.perf_counter() - clock:.1f} s")

    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "models", name)
    os.makedirs(folder)
    torch.save(model.state_dict(), os.path.join(folder, "energy.pt"))
    with open(os.path.join(folder, "fit.json"), "w") as f:
        json.dump({"run": name, "config": CONFIG, "losses": losses, "error": error}, f)


if __name__ == "__main__":
    main()
