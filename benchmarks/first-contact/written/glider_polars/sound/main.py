"""A fast stand-in for glider flights in gusts, trained on simulated ones."""
import json

import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

from hangar import Plan, fly_all
from surrogate import Polar

SEED = 406


def main():
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    plan = Plan(count=480, seed=SEED)
    flown = fly_all(plan, seed=SEED + 1)
    np.savez("flights.npz", designs=plan.table(), flown=flown)
    inputs = torch.tensor(plan.table(), dtype=torch.float32)
    outputs = torch.tensor(flown, dtype=torch.float32)
    data = TensorDataset(inputs[:400], outputs[:400])
    loader = DataLoader(data, batch_size=32, shuffle=True,
                        generator=torch.Generator().manual_seed(SEED + 2))
    model = Polar(inputs[:400], outputs[:400])
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=12)
    for epoch in range(12):
        total = 0.0
        for designs, results in loader:
            optimizer.zero_grad()
            loss = model.loss(designs, results)
            loss.backward()
            optimizer.step()
            total += loss.item()
        schedule.step()
        if epoch % 3 == 2:
            print(f"epoch {epoch + 1}: loss {total / len(loader):.5f}")
    with torch.no_grad():
        check = model.loss(inputs[400:], outputs[400:]).item()
    print(f"flights not seen: {check:.5f}; longest {outputs[:, 0].max():.1f} m")
    torch.save(model.state_dict(), "polar.pt")
    with open("result.json", "w") as handle:
        json.dump({"check": check, "mean_distance": float(flown[:, 0].mean())}, handle)


if __name__ == "__main__":
    main()
