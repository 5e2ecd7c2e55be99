"""Which junctions of footpaths will a storm wash out? A graph network with Laplacian positions."""
import json
import random
import time
import uuid
from pathlib import Path

import numpy as np
import torch
from torch import nn

from model import GraphNet
from network import build
from positions import slow_modes

SEED = 41
JUNCTIONS = 700
MODES = 12
EPOCHS = 120


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(True)


def main():
    began = time.time()
    torch.set_num_threads(1)
    seed_everything(SEED)
    run = f"{time.strftime('%m%d-%H%M%S')}-{uuid.uuid4().hex[:6]}"
    print("run", run)

    park = build(JUNCTIONS, SEED)
    modes = slow_modes(park.adjacency, MODES)
    x = torch.from_numpy(np.hstack([park.features, modes])).float()
    dense = torch.from_numpy(park.adjacency.toarray()).float()
    mean = dense / dense.sum(1, keepdim=True)
    y, known = torch.from_numpy(park.washed), torch.from_numpy(park.split)

    model = GraphNet(x.size(1))
    opt = torch.optim.Adam(model.parameters(), lr=5e-3, weight_decay=1e-3)
    history = []
    for epoch in range(1, EPOCHS + 1):
        model.train()
        flip = torch.where(torch.rand(MODES) < 0.5, -1.0, 1.0)
        inputs = torch.cat([x[:, :-MODES], x[:, -MODES:] * flip], 1)
        loss = nn.functional.cross_entropy(model(inputs, mean)[known], y[known])
        opt.zero_grad()
        loss.backward()
        opt.step()
        if epoch % 30 == 0:
            model.eval()
            with torch.no_grad():
                hit = (model(x, mean).argmax(1) == y)[~known].float().mean().item()
            history.append({"epoch": epoch, "loss": loss.item(), "test": hit})
            print(f"{time.time() - began:5.1f} s  epoch {epoch}  loss {loss.item():.4f}  test {hit:.3f}", flush=True)

    folder = Path(__file__).resolve().parent / "runs" / run
    folder.mkdir(parents=True)
    torch.save(model.state_dict(), folder / "graphnet.pt")
    (folder / "history.json").write_text(json.dumps(history, indent=1))


if __name__ == "__main__":
    main()
