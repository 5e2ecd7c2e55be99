"""Trains a surrogate for the sag of line spans on Monte Carlo results."""
import argparse
import csv
import json
import multiprocessing
import time
import uuid

import torch

import surrogate
from spans import features, route
from weather import simulate, start_worker


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--spans", type=int, default=120)
    parser.add_argument("--hours", type=int, default=20000)
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=20)
    return parser.parse_args()


def main():
    args = parse()
    run = f"sag-{uuid.uuid4().hex[:8]}"
    spans = route(args.spans)
    begin = time.perf_counter()
    context = multiprocessing.get_context("fork")
    with context.Pool(args.workers, start_worker, (args.seed, args.hours)) as pool:
        sags = pool.map(simulate, spans, chunksize=1)
    print(f"{run}: {len(sags)} spans simulated in {time.perf_counter() - begin:.2f} s")

    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    x = torch.tensor([features(span) for span in spans])
    y = torch.tensor(sags)
    mean, scale = y.mean(0), y.std(0)
    model = surrogate.build(x.shape[1])
    cut = int(0.8 * len(spans))
    losses = surrogate.fit(model, x[:cut], ((y - mean) / scale)[:cut], args.epochs, args.seed)
    model.eval()
    with torch.no_grad():
        predicted = model(x[cut:]) * scale + mean
    errors = (predicted - y[cut:]).abs().mean(0)
    print(f"last loss {losses[-1]:.5f}, mean error {errors[0]:.3f} m, extreme {errors[1]:.3f} m")

    with open("sags.csv", "w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["span", "mean_sag", "extreme_sag"])
        writer.writerows([span.number, *sag] for span, sag in zip(spans, sags))
    with open("summary.json", "w") as stream:
        json.dump({"run": run, "losses": losses, "errors": errors.tolist()}, stream, indent=1)
    torch.save({"model": model.state_dict(), "mean": mean, "scale": scale}, "surrogate.pt")


if __name__ == "__main__":
    main()
