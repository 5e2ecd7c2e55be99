"""Compare surrogates of girder deflection; writes a table of all repeats and the weights of the best one."""
import argparse

import pandas as pd
import torch

from beams import datasets
from surrogate import evaluate, train
from variants import TABLE


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--train", type=int, default=2048)
    parser.add_argument("--test", type=int, default=512)
    parser.add_argument("--csv", default="repeats.csv")
    parser.add_argument("--weights", default="best.pt")
    return parser.parse_args()


def main():
    args = parse()
    training, test = datasets(args.seed, args.train, args.test)
    rows, best = [], None
    for variant in TABLE:
        for repeat in range(args.repeats):
            model = train(variant, training, variant.seed(args.seed, repeat), args.epochs, args.batch)
            scores = evaluate(model, test)
            rows.append({"variant": variant.label(), "repeat": repeat, **scores})
            if best is None or scores["rmse"] < best[0]:
                best = scores["rmse"], model.state_dict()

    table = pd.DataFrame(rows)
    table.to_csv(args.csv, index=False)
    summary = table.groupby("variant", sort=False)[["rmse", "worst", "midspan"]].mean()
    print(summary.to_string(float_format="%.5f"))
    print(f"best rmse {best[0]:.6f}")
    torch.save(best[1], args.weights)


if __name__ == "__main__":
    main()
