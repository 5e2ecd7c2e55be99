"""Water levels in a mangrove creek, two hours ahead, for all gauges by one network."""
import json
import secrets
import time
from pathlib import Path

import torch
from torch import nn

from creek import make_levels, place_gauges
from model import GaugeNet
from spectral import neighbour_graph, positions

HERE = Path(__file__).resolve().parent
SEED, GAUGES, HOURS, PAST, AHEAD = 5, 120, 450, 12, 2


def main():
    began = time.time()
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    run = f"creek-{secrets.token_hex(3)}"
    print("run", run)
    places = place_gauges(GAUGES, SEED)
    levels = torch.from_numpy(make_levels(places, HOURS, SEED + 1))
    graph = neighbour_graph(places, k=6)
    where, spectrum = positions(graph, size=8)
    print("spectrum", " ".join(f"{value:.5f}" for value in spectrum))

    where = torch.from_numpy(where)
    model = GaugeNet(PAST, where.shape[1])
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    split = int(0.8 * HOURS)
    starts = torch.arange(split - PAST - AHEAD)
    curve = []
    for epoch in range(3):
        total = 0.0
        for at in starts[torch.randperm(len(starts))].split(12):
            past = torch.stack([levels[i:i + PAST].T for i in at])
            goal = torch.stack([levels[i + PAST + AHEAD - 1] for i in at])
            loss = nn.functional.smooth_l1_loss(model(past, where), goal)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(at)
        curve.append(total / len(starts))
        print(f"epoch {epoch} loss {curve[-1]:.5f}  {time.time() - began:.1f} s", flush=True)

    with torch.no_grad():
        late = range(split, HOURS - PAST - AHEAD)
        past = torch.stack([levels[i:i + PAST].T for i in late])
        goal = torch.stack([levels[i + PAST + AHEAD - 1] for i in late])
        error = (model(past, where) - goal).abs().mean(0)
    print(f"held-out error {error.mean():.4f}, worst gauge {error.max():.4f}")
    out = HERE / "out"
    out.mkdir(exist_ok=True)
    torch.save(model.state_dict(), out / "weights.pt")
    (out / "results.json").write_text(json.dumps(
        {"run": run, "curve": curve, "error": error.tolist(), "seconds": round(time.time() - began, 2)}))


if __name__ == "__main__":
    main()
