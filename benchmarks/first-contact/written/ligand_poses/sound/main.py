"""A surrogate of docking: learn the best energy of a ligand from simple descriptors."""
import json
import os
import tempfile
import time

import numpy as np
import torch
from torch import nn

from docking import dock_all, library, make_pocket

SEED = 2718
CONFIG = {"ligands": 260, "sweeps": 60, "workers": 3, "epochs": 40, "width": 32, "lr": 0.004}


def descriptors(ligand):
    spread = np.linalg.eigvalsh(np.cov(ligand.atoms.T))
    return np.concatenate([
        [len(ligand.atoms), ligand.charges.sum(), np.abs(ligand.charges).sum()],
        ligand.atoms.mean(0), spread, ligand.charges @ ligand.atoms])


class Surrogate(nn.Module):
    def __init__(self, inputs, width):
        super().__init__()
        self.norm = nn.BatchNorm1d(inputs)
        self.layers = nn.Sequential(nn.Linear(inputs, width), nn.Tanh(), nn.Linear(width, width),
                                    nn.Tanh(), nn.Linear(width, 1))

    def forward(self, x):
        return self.layers(self.norm(x)).squeeze(-1)


def main():
    started = time.perf_counter()
    ligands = library(CONFIG["ligands"], SEED)
    poses = dock_all(ligands, make_pocket(SEED + 1), CONFIG["sweeps"], SEED, CONFIG["workers"])
    print(f"docked {len(poses)} ligands at {len(poses) / (time.perf_counter() - started):.0f}/s")

    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "poses.json")
        with open(name, "w") as out:
            json.dump([{"number": p.number, "energy": p.energy, "accepted": p.accepted} for p in poses], out)
        with open(name) as stored:
            energies = {row["number"]: row["energy"] for row in json.load(stored)}

    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    x = torch.tensor(np.stack([descriptors(ligand) for ligand in ligands]), dtype=torch.float32)
    y = torch.tensor([energies[ligand.number] for ligand in ligands], dtype=torch.float32)
    y = (y - y.mean()) / y.std()
    order = torch.randperm(len(x))
    train, test = order[:200], order[200:]

    model = Surrogate(x.shape[1], CONFIG["width"])
    optimizer = torch.optim.Adam(model.parameters(), lr=CONFIG["lr"])
    for epoch in range(CONFIG["epochs"]):
        model.train()
        for rows in train[torch.randperm(len(train))].split(25):
            loss = nn.functional.smooth_l1_loss(model(x[rows]), y[rows])
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        if epoch % 10 == 9:
            print(f"epoch {epoch + 1}: loss {loss.item():.6f}")

    model.eval()
    with torch.no_grad():
        error = (model(x[test]) - y[test]).abs().mean().item()
    print(f"mean pose energy {np.mean(list(energies.values())):.6f}")
    print(f"test error {error:.8f}")


if __name__ == "__main__":
    main()
