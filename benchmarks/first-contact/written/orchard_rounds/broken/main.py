"""Greedy search over rounds: each round starts from the best file of the round before."""
import argparse
import json
import tempfile
import time
from pathlib import Path

import torch
from tqdm import tqdm

from orchard.fruit import split_harvest
from orchard.rounds import Round
from orchard.store import Store


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--slots", type=int, default=6)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--seed", type=int, default=404)
    parser.add_argument("--keep", action="store_true", help="do not delete the candidates")
    return parser.parse_args()


def main():
    args = parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    train, check, test = split_harvest(args.seed)

    with tempfile.TemporaryDirectory(prefix="orchard-", ignore_cleanup_errors=True) as folder:
        store = Store(Path(folder))
        parent, diary = None, []
        t0 = time.time()
        for number in tqdm(range(args.rounds), desc="rounds"):
            stage = Round(number, args, train, check)
            stage.run(store, parent)
            parent = store.best(number)
            diary.append({"round": number, "score": store.score(parent)})
            tqdm.write(f"round {number}: best {parent.name} ({store.size() / 1024:.0f} KiB on disk)")
        final = store.load(parent)
        print(f"{args.rounds * args.slots} candidates in {time.time() - t0:.1f} s under {folder}")

    model = Round.build(final["width"])
    model.load_state_dict(final["weights"])
    with torch.no_grad():
        out = model(test[0])
        loss = torch.nn.functional.cross_entropy(out, test[1])
        accuracy = (out.argmax(1) == test[1]).float().mean()
    report = {"test_loss": loss.item(), "test_accuracy": accuracy.item(), "diary": diary,
              "rates": final["lineage"]}
    torch.save(model.state_dict(), "grader.pt")
    Path("report.json").write_text(json.dumps(report, indent=1))
    print(f"test loss {report['test_loss']:.4f}  accuracy {report['test_accuracy']:.3f}")


if __name__ == "__main__":
    main()
