"""From which side a foghorn sounds, by two microphones on the mast."""
import hashlib
import json
import tempfile
import time
import uuid
from pathlib import Path

import torch
from torch import nn

from horns import SIDES, load_clips
from ledger import Ledger
from model import BearingNet

HERE = Path(__file__).resolve().parent
CONFIG = {"clips": 480, "seed": 23, "epochs": 5, "batch": 24, "lr": 0.002, "keep": 0.7}


def main():
    began = time.time()
    torch.set_num_threads(1)
    torch.manual_seed(CONFIG["seed"])
    run = uuid.uuid4().hex[:12]
    digest = hashlib.sha256(json.dumps(CONFIG, sort_keys=True).encode()).hexdigest()[:12]
    scratch = Path(tempfile.gettempdir()) / "foghorn-bearings"
    scratch.mkdir(exist_ok=True)
    print(f"run {run}, configuration {digest}")

    sounds, sides = load_clips(CONFIG["clips"], CONFIG["seed"], scratch / f"clips-{digest}.npz")
    test_sounds, test_sides = load_clips(300, CONFIG["seed"] + 1, scratch / f"test-{digest}.npz")
    hardness = Ledger(scratch / f"hardness-{run}.json", len(sounds), CONFIG["keep"])
    model = BearingNet(len(SIDES))
    optimizer = torch.optim.AdamW(model.parameters(), lr=CONFIG["lr"])
    curve = []
    for epoch in range(CONFIG["epochs"]):
        total = 0.0
        drawn = torch.multinomial(hardness.weights(), len(sounds), replacement=True)
        for rows in drawn.split(CONFIG["batch"]):
            each = nn.functional.cross_entropy(model(sounds[rows]), sides[rows], reduction="none")
            optimizer.zero_grad()
            each.mean().backward()
            optimizer.step()
            hardness.note(rows, each.detach())
            total += each.sum().item()
        hardness.save()
        curve.append(total / len(drawn))
        print(f"epoch {epoch:2d} loss {curve[-1]:.4f}  {time.time() - began:.1f} s", flush=True)

    model.eval()
    with torch.no_grad():
        score = (model(test_sounds).argmax(1) == test_sides).float().mean().item()
    print(f"accuracy {score:.4f}")
    out = HERE / "out"
    out.mkdir(exist_ok=True)
    torch.save(model.state_dict(), out / "bearing.pt")
    (out / "results.json").write_text(json.dumps({"run": run, "curve": curve, "accuracy": score}))


if __name__ == "__main__":
    main()
