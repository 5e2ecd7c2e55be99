"""Galaxy morphology from volunteers' votes: aggregate the votes, train a small CNN, report per class."""
import argparse
import json
import time
from datetime import datetime
from pathlib import Path

import torch

from consensus import aggregate
from morphnet import MorphNet, evaluate, fit
from survey import CLASSES, make_survey


def parse():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--galaxies", type=int, default=1000)
    p.add_argument("--volunteers", type=int, default=4)
    p.add_argument("--epochs", type=int, default=5)
    p.add_argument("--seed", type=int, default=11)
    p.add_argument("--out", default="runs")
    return p.parse_args()


def main():
    args = parse()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    began = time.perf_counter()

    images, truth, votes = make_survey(args.galaxies, args.volunteers, args.seed)
    labels, agreed = aggregate(votes)
    print(f"{len(votes)} galaxies, {100 * agreed:.1f}% unanimous")
    for name in CLASSES:
        print(f"  {name:<11}{labels.count(name):5d}")

    y = torch.tensor([CLASSES.index(name) for name in labels])
    cut = int(0.8 * len(y))
    net = MorphNet(len(CLASSES))
    history = fit(net, images[:cut], y[:cut], args.epochs)
    report = evaluate(net, images[cut:], truth[cut:], CLASSES)
    for epoch, loss in enumerate(history):
        print(f"epoch {epoch}  loss {loss:.5f}")
    print("recall against experts: " + ", ".join(f"{k} {v:.3f}" for k, v in report.items()))

    folder = Path(args.out) / datetime.now().strftime("%Y%m%d-%H%M%S")
    folder.mkdir(parents=True, exist_ok=True)
    torch.save(net.state_dict(), folder / "morphnet.pt")
    (folder / "report.json").write_text(json.dumps({"loss": history, "recall": report}, indent=1))
    print(f"done in {time.perf_counter() - began:.1f} s, saved to {folder}")


if __name__ == "__main__":
    main()
