"""Where does a honey come from? Five-fold check of a classifier on two laboratories' data."""
import json
from datetime import datetime

import torch
from sklearn.model_selection import StratifiedKFold

from classifier import fit
from laboratories import read_table, write_tables
from panel import Panel


def main():
    torch.set_num_threads(1)
    write_tables(count=700, seed=2023)
    panel = Panel(read_table("north"), read_table("south"))
    folds = StratifiedKFold(n_splits=5, shuffle=True, random_state=8)
    scores, losses, best = [], [], None
    for fold, (train, test) in enumerate(folds.split(panel.values, panel.origin)):
        model, loss, score, took = fit(
            panel.tensors(train), panel.tensors(test), len(panel.labels), epochs=10, seed=fold
        )
        print(f"fold {fold}: loss {loss:.5f}, correct {score:.3f} ({took:.1f} s)")
        losses.append(loss)
        scores.append(score)
        if best is None or score > max(scores[:-1]):
            best = model
    torch.save({"regions": panel.labels, "model": best.state_dict()}, "origin.pt")
    with open("folds.json", "w") as handle:
        json.dump({"scores": scores, "losses": losses}, handle, indent=1)
    print(f"mean {sum(scores) / len(scores):.4f} at {datetime.now():%H:%M}")


if __name__ == "__main__":
    main()
