"""Regression of mussel cover with hard quadrats seen more often."""
import json
import shutil
import time
from datetime import date
from pathlib import Path

import torch
from torch.utils.data import BatchSampler

from difficulty import Difficulty, HardFirst
from net import cover_net
from quadrats import draw


def train_epoch(model, optimizer, batches, images, cover, difficulty):
    model.train()
    total = 0.0
    for batch in batches:
        index = torch.tensor(batch)
        losses = (model(images[index]) - cover[index]).abs()
        optimizer.zero_grad()
        losses.mean().backward()
        optimizer.step()
        difficulty.update(index, losses.detach())
        total += losses.mean().item()
    difficulty.flush()
    return total / len(batches)


@torch.no_grad()
def mean_error(model, images, cover):
    model.eval()
    return (model(images) - cover).abs().mean().item()


def main():
    config = json.loads(Path("config.json").read_text())
    torch.manual_seed(config["seed"])
    out = Path("out")
    out.mkdir(exist_ok=True)
    free = shutil.disk_usage(out).free / 2**30
    print(f"{date.today()}: {config['quadrats']} quadrats, {free:.0f} GiB free")

    images, cover = draw(config["quadrats"], config["size"], config["seed"])
    test_images, test_cover = draw(300, config["size"], config["seed"] + 1)
    model = cover_net()
    optimizer = torch.optim.Adam(model.parameters(), lr=config["rate"])
    difficulty = Difficulty(len(images), config["momentum"])
    generator = torch.Generator().manual_seed(config["seed"])
    batches = BatchSampler(HardFirst(difficulty, config["focus"], generator), config["batch"], False)

    log = []
    for epoch in range(config["epochs"]):
        begin = time.monotonic()
        loss = train_epoch(model, optimizer, batches, images, cover, difficulty)
        error = mean_error(model, test_images, test_cover)
        log.append({"epoch": epoch, "loss": loss, "error": error, "difficulty": difficulty.summary(),
                    "seconds": time.monotonic() - begin})
        print(f"[{time.strftime('%H:%M:%S')}] epoch {epoch} loss {loss:.5f} error {error:.5f}")

    torch.save(model.state_dict(), out / "cover.pt")
    (out / "log.json").write_text(json.dumps(log, indent=1))
    print(f"cover known to within {log[-1]['error']:.6f}")


if __name__ == "__main__":
    main()
