"""Sleep stages from half-minute EEG epochs, with validation in the background of training."""
import argparse
import json
import time
from datetime import datetime
from pathlib import Path

import torch

from eeg import STAGES, night
from stager import Stager, confusion
from trainer import train


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--train-epochs", type=int, default=320)
    p.add_argument("--valid-epochs", type=int, default=1800)
    p.add_argument("--rounds", type=int, default=50, help="most passes over the training nights")
    p.add_argument("--patience", type=int, default=5)
    p.add_argument("--seed", type=int, default=5)
    args = p.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)          # one core to train, one to validate

    fit_set = night(args.train_epochs, seed=args.seed)
    val_set = night(args.valid_epochs, seed=args.seed + 1)
    test_set = night(600, seed=args.seed + 2)

    start = time.perf_counter()
    net, log = train(Stager(len(STAGES)), fit_set, val_set, args.rounds, args.patience)
    print(f"trained for {time.perf_counter() - start:.1f} s")
    for entry in log:
        print(f"round {entry['round']:2d}  validation loss {entry['loss']:.5f}")

    table = confusion(net, *test_set, len(STAGES))
    kept = table.diag().sum().item() / table.sum().item()
    print(f"accuracy on the last night {kept:.4f}")
    for name, row in zip(STAGES, table.tolist()):
        print(f"  {name:>4} " + " ".join(f"{n:4d}" for n in row))

    folder = Path("nights") / datetime.now().strftime("%Y-%m-%d_%H%M%S")
    folder.mkdir(parents=True, exist_ok=True)
    torch.save(net.state_dict(), folder / "stager.pt")
    (folder / "log.json").write_text(json.dumps({"log": log, "accuracy": kept}))


if __name__ == "__main__":
    main()
