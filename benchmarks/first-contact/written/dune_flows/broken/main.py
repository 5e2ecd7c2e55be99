"""A normalizing flow for dune profiles."""
import json
import time
from pathlib import Path

import torch

from dunes import dune_profiles
from flow import DuneFlow
from gallery import Gallery

EPOCHS, BATCH = 5, 64


def dequantize(x):
    """The lidar rounds to 5 cm; spread the heights over the step again."""
    return x + 0.05 * (torch.rand_like(x) - 0.5)


def main():
    torch.set_num_threads(1)
    torch.manual_seed(6)
    out = Path(__file__).resolve().parent / "output"
    out.mkdir(exist_ok=True)
    profiles = dune_profiles(2600, seed=60)
    center, spread = profiles.mean(0), profiles.std(0) + 0.02
    train, held = profiles[:2200], (profiles[2200:] - center) / spread
    model = DuneFlow()
    optimizer = torch.optim.Adamax(model.parameters(), lr=4e-3)
    gallery = Gallery(out)
    gallery.start()
    history, start = [], time.monotonic()
    for epoch in range(EPOCHS):
        for rows in torch.randperm(len(train)).split(BATCH):
            x = (dequantize(train[rows]) - center) / spread
            loss = -model.log_prob(x).mean()
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()
        with torch.no_grad():
            history.append(-model.log_prob(held).mean().item())
        gallery.hang(epoch, model)
        print(f"[{time.monotonic() - start:6.2f} s] epoch {epoch}: held-out {history[-1]:.4f} nats")
    gallery.close()
    torch.save(model.state_dict(), out / "flow.pt")
    summary = {"held_out": history, "slip_angles": gallery.angles}
    (out / "summary.json").write_text(json.dumps(summary, indent=2))
    print(f"finished {time.strftime('%Y-%m-%d %H:%M')}, {len(gallery.angles)} sheets in {out.name}/")


if __name__ == "__main__":
    main()
