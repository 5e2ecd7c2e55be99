"""Fills gaps in telegrams. Trains in legs, each a process of its own, as the queue's time limit wants it."""
import json
import multiprocessing
import random
import uuid
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional as F

import checkpoint
from model import Filler
from telegrams import MASK, archive, hide_spans

SEED, LEGS, STEPS_PER_LEG, BATCH = 5, 2, 30, 48


def seed_all(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def leg(folder: Path) -> None:
    torch.set_num_threads(1)
    data = archive(1000, SEED)
    model = Filler()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    step, losses = 0, []
    path = folder / "last.pt"
    if path.exists():
        step, losses = checkpoint.restore(path, model, optimizer)
    for step in range(step + 1, step + STEPS_PER_LEG + 1):
        rows = data[np.random.permutation(len(data))[:BATCH]]
        hidden = torch.from_numpy(hide_spans(rows))
        ids = torch.from_numpy(rows)
        logits = model(ids.masked_fill(hidden, MASK))
        loss = F.cross_entropy(logits[hidden], ids[hidden])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 15 == 0:
            losses.append(loss.item())
            print(f"step {step}  loss {loss.item():.5f}", flush=True)
    checkpoint.save(path, step, model, optimizer, losses)


def main() -> None:
    seed_all(SEED)
    folder = Path(__file__).resolve().parent / "jobs" / uuid.uuid4().hex[:8]
    folder.mkdir(parents=True)
    print("job", folder.name, flush=True)
    context = multiprocessing.get_context("fork")
    for number in range(LEGS):
        process = context.Process(target=leg, args=(folder,), name=f"leg-{number}")
        process.start()
        process.join()
        if process.exitcode:
            raise SystemExit(f"leg {number} failed with {process.exitcode}")
    state = torch.load(folder / "last.pt", weights_only=False)
    torch.save(state["model"], folder / "filler.pt")
    (folder / "losses.json").write_text(json.dumps({"steps": state["step"], "losses": state["losses"]}))


if __name__ == "__main__":
    main()
