"""Land-cover classification of satellite tiles, with a spatially blocked hold-out."""
import json
import platform
import socket
import time

import torch

from experiment import Experiment, hold_out
from raster import CLASSES, scene, tiles
from train import fit, predict


def main():
    torch.manual_seed(9)
    torch.set_num_threads(1)
    run = Experiment(name="landcover-s2", host=socket.gethostname().split(".")[0])
    run.note("machine", platform.machine(), platform.release())

    bands, cover = scene(height=256, width=320, seed=12)
    grid = tiles(bands, cover, side=16)
    train, test = [], []
    for tile in grid:
        (test if hold_out(run, tile.block, share=0.25) else train).append(tile)
    print(f"{len(grid)} tiles in {len({t.block for t in grid})} blocks, {len(test)} held out")
    share = torch.bincount(torch.tensor([t.label for t in train]), minlength=len(CLASSES))
    print("training tiles per class: " + ", ".join(
        f"{c} {n}" for c, n in zip(CLASSES, share.tolist())))

    started = time.perf_counter()
    model, curve = fit(train, classes=len(CLASSES), epochs=6, batch=24, lr=4e-3)
    run.note("fit took", f"{time.perf_counter() - started:.3f} s")
    for i, loss in enumerate(curve):
        if i % 2 == 0:
            print(f"epoch {i:2d}  loss {loss:.6f}")

    logits = predict(model, test)
    truth = torch.tensor([t.label for t in test])
    guess = logits.argmax(1)
    result = {"loss": curve, "accuracy": (guess == truth).float().mean().item(), "per_class": {}}
    for c, name in enumerate(CLASSES):
        n = (truth == c).sum().item()
        hit = ((guess == c) & (truth == c)).sum().item()
        result["per_class"][name] = [hit, n]
        print(f"  {name:<8} {hit}/{n}")
    print(f"accuracy {result['accuracy']:.4f}")

    torch.save(model.state_dict(), run.folder / "model.pt")
    lines = [f"{t.row},{t.col},{CLASSES[g]}" for t, g in zip(test, guess.tolist())]
    (run.folder / "map.csv").write_text("row,col,class\n" + "\n".join(lines) + "\n")
    (run.folder / "result.json").write_text(json.dumps(result, indent=1))
    print(f"run {run.tag} finished, log: {run.folder / 'run.log'}")


if __name__ == "__main__":
    main()
