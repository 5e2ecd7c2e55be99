"""Lichenometry: classify colonies and measure their radii on quadrat photographs."""
import json
import logging
import time
from datetime import date
from pathlib import Path

import torch
import torch.nn.functional as F
from tqdm import tqdm

from frames import GENERA, survey
from net import LichenNet
from patches import Flips, cut_all, to_float

EPOCHS, BATCH, SEED = 7, 48, 8


@torch.no_grad()
def evaluate(model, x, genus, radius):
    model.eval()
    logits, size = model(x)
    right = (logits.argmax(1) == genus).float().mean().item()
    error = (size * 12 - radius).abs().mean().item()
    model.train()
    return right, error


def main():
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    clock = {"start": time.monotonic()}
    torch.manual_seed(SEED)
    out = Path("lichen_out")
    out.mkdir(exist_ok=True)

    frames, colonies = survey(80, 128, seed=SEED)
    patches, clipped = cut_all(frames, colonies)
    clock["cut"] = time.monotonic()
    print(f"{len(colonies)} colonies on {len(frames)} frames, {clipped} at the edge of a frame")
    x = to_float(patches)
    genus = torch.tensor([c.genus for c in colonies])
    radius = torch.tensor([c.radius for c in colonies])
    held = {f for f in range(len(frames)) if f % 5 == 4}
    test = torch.tensor([c.frame in held for c in colonies])
    train_x, train_g, train_r = x[~test], genus[~test], radius[~test]

    model = LichenNet(len(GENERA))
    opt = torch.optim.SGD(model.parameters(), lr=0.03, momentum=0.9, weight_decay=5e-4)
    sched = torch.optim.lr_scheduler.OneCycleLR(
        opt, 0.06, total_steps=EPOCHS * -(-len(train_x) // BATCH)
    )
    flips = Flips(SEED + 1)
    history = []
    for epoch in range(EPOCHS):
        running = 0.0
        order = torch.randperm(len(train_x)).split(BATCH)
        for pick in tqdm(order, desc=f"epoch {epoch}", leave=False):
            logits, size = model(flips(train_x[pick]))
            loss = F.cross_entropy(logits, train_g[pick])
            loss = loss + 2.0 * F.smooth_l1_loss(size, train_r[pick] / 12)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            sched.step()
            running += loss.item() * len(pick)
        right, error = evaluate(model, x[test], genus[test], radius[test])
        history.append({"loss": running / len(train_x), "accuracy": right, "radius_error": error})
        print(f"epoch {epoch}  loss {history[-1]['loss']:.5f}  genus {right:.4f}  radius +-{error:.4f} px")

    clock["end"] = time.monotonic()
    torch.save({"model": model.state_dict(), "genera": GENERA}, out / "lichen.pt")
    record = {
        "date": date.today().isoformat(),
        "history": history,
        "cutting_s": clock["cut"] - clock["start"],
        "training_s": clock["end"] - clock["cut"],
    }
    (out / "history.json").write_text(json.dumps(record, indent=2))
    print(f"trained in {record['training_s']:.1f} s")


if __name__ == "__main__":
    main()
