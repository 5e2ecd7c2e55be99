import argparse
import json
import time
from pathlib import Path

import torch
from torch import nn

from chorus import BANDS, FRAMES, SPECIES, season
from store import ClipStore

HERE = Path(__file__).resolve().parent


def parse_args():
    parser = argparse.ArgumentParser(description="Which frog calls loudest in a clip?")
    parser.add_argument("--fold", type=int, default=2)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--batch-size", type=int, default=48)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=31)
    return parser.parse_args()


def build_model():
    return nn.Sequential(
        nn.Unflatten(1, (1, BANDS, FRAMES)),
        nn.Conv2d(1, 12, 5, padding=2), nn.BatchNorm2d(12), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(12, 24, 3, padding=1), nn.BatchNorm2d(24), nn.ReLU(), nn.AdaptiveAvgPool2d((8, 1)),
        nn.Flatten(), nn.Dropout(0.2), nn.Linear(24 * 8, len(SPECIES)),
    )


def tensors(species, patches):
    return torch.from_numpy(patches), torch.tensor([SPECIES.index(s) for s in species])


def main():
    args = parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    began = time.perf_counter()

    store = ClipStore(HERE / "data" / "chorus.db")
    run = store.start_run()
    store.reload(season())
    x, y = tensors(*store.fold(args.fold, args.folds, held_out=False))
    x_test, y_test = tensors(*store.fold(args.fold, args.folds, held_out=True))
    print(f"run {run}: {len(y)} clips to train on, {len(y_test)} held out, {time.perf_counter() - began:.1f} s")

    model = build_model()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs)
    history = []
    for epoch in range(args.epochs):
        model.train()
        running = 0.0
        for index in torch.randperm(len(y)).split(args.batch_size):
            loss = nn.functional.cross_entropy(model(x[index]), y[index], label_smoothing=0.05)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            running += loss.item() * len(index)
        schedule.step()
        model.eval()
        with torch.no_grad():
            accuracy = (model(x_test).argmax(1) == y_test).float().mean().item()
        history.append({"loss": running / len(y), "accuracy": accuracy})
        print(f"epoch {epoch}: loss {running / len(y):.4f}, held out {accuracy:.3f} ({time.perf_counter() - began:.1f} s)")

    store.finish_run(run, accuracy)
    out = HERE / "out"
    out.mkdir(exist_ok=True)
    torch.save(model.state_dict(), out / "frogs.pt")
    (out / "results.json").write_text(json.dumps({"run": run, "seconds": time.perf_counter() - began, "history": history}, indent=2))


if __name__ == "__main__":
    main()
