"""Chemical shifts of four nuclei with one graph network. The nuclei differ in difficulty, so the loss weighs each by its
validation error of the epoch before last.

    python main.py --epochs 30
"""

import argparse
import json
import time
from pathlib import Path

import torch

from model import ShiftNet
from molecules import ELEMENTS, NUCLEI, SCALE, make_molecules, take
from validation import BackgroundValidator, errors, snapshot


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--molecules", type=int, default=640)
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--out", default="out")
    return parser.parse_args()


class NucleusWeights:
    """Loss weight of each element, from the validation errors relative to the spread of its shifts."""

    def __init__(self, smoothing=0.5):
        self.smoothing = smoothing
        self.table = torch.ones(len(ELEMENTS))

    def update(self, result):
        relative = torch.tensor([result[nucleus] / SCALE[kind] for nucleus, kind in NUCLEI.items()])
        wanted = (relative / relative.mean()).clamp(0.3, 3.0).float()
        for weight, kind in zip(wanted, NUCLEI.values()):
            self.table[kind] += self.smoothing * (weight - self.table[kind])


class Best:
    """The snapshot with the smallest mean relative error so far."""

    def __init__(self):
        self.error = float("inf")
        self.epoch = 0
        self.weights = None

    def offer(self, epoch, weights, result):
        error = sum(result[nucleus] / SCALE[kind] for nucleus, kind in NUCLEI.items()) / len(NUCLEI)
        if error < self.error:
            self.error, self.epoch, self.weights = float(error), epoch, weights
        return float(error)


def train_epoch(model, optimizer, molecules, weights, order, batch_size):
    model.train()
    total = 0.0
    parts = torch.randperm(len(molecules.kinds), generator=order).split(batch_size)
    for rows in parts:
        batch = take(molecules, rows)
        predicted = model(batch.kinds, batch.links)
        error = torch.nn.functional.smooth_l1_loss(predicted, batch.target, beta=0.2, reduction="none")
        importance = weights.table[batch.kinds] * batch.measured
        loss = (error * importance).sum() / importance.sum()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 2.0)
        optimizer.step()
        total += loss.item()
    return total / len(parts)


def main():
    args = parse_args()
    torch.set_num_threads(1)  # the other core is the validator's
    torch.manual_seed(args.seed)
    molecules = make_molecules(args.molecules, [args.seed, 0])
    validation = make_molecules(512, [args.seed, 1])
    test = make_molecules(256, [args.seed, 2])

    model = ShiftNet()
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs, eta_min=args.lr / 50)
    order = torch.Generator().manual_seed(args.seed + 1)
    validator = BackgroundValidator(model, validation)
    weights, best, history = NucleusWeights(), Best(), []

    def collect(epoch, loss, scored, future):
        result = future.result()
        weights.update(result)
        error = best.offer(epoch, scored, result)
        history.append({"epoch": epoch, "loss": loss, "error": error, **result})
        if epoch % 4 == 0 or epoch == 1:
            ppm = "  ".join(f"{nucleus} {result[nucleus]:.3f}" for nucleus in NUCLEI)
            print(f"epoch {epoch:3d}  loss {loss:.5f}  validation {error:.5f}  ppm: {ppm}")

    began = time.perf_counter()
    pending = None
    for epoch in range(1, args.epochs + 1):
        loss = train_epoch(model, optimizer, molecules, weights, order, args.batch_size)
        schedule.step()
        if pending:
            collect(*pending)
        current = snapshot(model)
        pending = (epoch, loss, current, validator.submit(current))
    collect(*pending)
    validator.close()
    seconds = time.perf_counter() - began

    model.load_state_dict(best.weights)
    tested = errors(model.eval(), best.weights, [test])
    out = Path(args.out)
    out.mkdir(exist_ok=True)
    torch.save({"weights": best.weights, "epoch": best.epoch}, out / "shiftnet.pt")
    report = {"best_epoch": best.epoch, "test_ppm": tested, "history": history, "seconds": round(seconds, 2)}
    (out / "report.json").write_text(json.dumps(report, indent=2))
    print(f"best epoch {best.epoch}, test ppm: " + "  ".join(f"{k} {v:.3f}" for k, v in tested.items()))
    print(f"{seconds:.1f} s, of which validation {validator.seconds:.1f} s alongside")


if __name__ == "__main__":
    main()
