"""Learns a model of a chiller plant from exploration and looks up setpoints with it."""
import csv
import json
import time
from datetime import datetime

import torch
from torch import nn

from dynamics import PlantModel, best_setpoint
from rollouts import collect

SEED = 311
EPOCHS = 12
BATCH = 128


def main():
    started = time.perf_counter()
    print(f"chiller run of {datetime.now():%Y-%m-%d %H:%M:%S}")
    states, actions, following, powers = map(
        torch.from_numpy, collect(SEED, plants=6, episodes=10, workers=2)
    )
    print(f"{len(states)} transitions in {time.perf_counter() - started:.2f} s")

    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    inputs = torch.cat([states, actions], 1)
    targets = torch.cat([following - states, powers[:, None]], 1)
    held_out = len(inputs) // 5
    model = PlantModel()
    model.fit_scaling(inputs[:-held_out])
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)

    history = []
    for epoch in range(EPOCHS):
        order = torch.randperm(len(inputs) - held_out)
        total = 0.0
        for batch in order.split(BATCH):
            loss = nn.functional.smooth_l1_loss(model(inputs[batch]), targets[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(batch)
        with torch.no_grad():
            error = nn.functional.mse_loss(model(inputs[-held_out:]), targets[-held_out:]).item()
        history.append((epoch, total / len(order), error))
        print(f"epoch {epoch:2d}  train {history[-1][1]:.5f}  held out {error:.5f}")

    grid = torch.linspace(0.0, 1.0, 21)
    candidates = torch.cartesian_prod(grid, grid)
    table = []
    for load in (3.0, 5.0, 7.0, 9.0):
        state = torch.tensor([8.0, 13.0, 19.0, load])
        compressor, fan = best_setpoint(model, state, candidates).tolist()
        table.append({"load": load, "compressor": round(compressor, 3), "fan": round(fan, 3)})

    with open("history.csv", "w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["epoch", "train", "held_out"])
        writer.writerows(history)
    with open("setpoints.json", "w") as stream:
        json.dump({"setpoints": table, "seconds": round(time.perf_counter() - started, 2)}, stream)
    torch.save(model.state_dict(), "plant_model.pt")


if __name__ == "__main__":
    main()
