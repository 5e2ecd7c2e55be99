"""Trains the classifier of a lentil sorting line; validation runs beside the training."""
import argparse
import hashlib
import logging
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from grains import KINDS, trays

log = logging.getLogger("lentils")


@dataclass(frozen=True)
class Score:
    step: int
    accuracy: float
    loss: float


def network():
    return nn.Sequential(
        nn.Conv2d(3, 12, 3, padding=1), nn.BatchNorm2d(12), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(12, 24, 3, padding=1), nn.BatchNorm2d(24), nn.ReLU(), nn.AdaptiveAvgPool2d(2),
        nn.Flatten(), nn.Dropout(0.3), nn.Linear(96, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, len(KINDS)))


@torch.no_grad()
def validate(model, step, images, labels, batch=32):
    model.eval()
    right, total = 0, 0.0
    for part, truth in zip(images.split(batch), labels.split(batch)):
        logits = model(part)
        total += nn.functional.cross_entropy(logits, truth, reduction="sum").item()
        right += (logits.argmax(1) == truth).sum().item()
    model.train()
    return Score(step, right / len(labels), total / len(labels))


def train(model, loader, held_out, args):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True, weight_decay=1e-4)
    pending = []
    step = 0
    model.train()
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="validation") as pool:
        for epoch in range(args.epochs):
            for images, labels in loader:
                loss = nn.functional.cross_entropy(model(images), labels, label_smoothing=0.05)
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                optimizer.step()
                step += 1
                if step % args.validate_every == 0:
                    pending.append(pool.submit(validate, model, step, *held_out))
            log.info("epoch %d done, %d validations queued so far", epoch + 1, len(pending))
        return [future.result() for future in pending]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--validate-every", type=int, default=15)
    parser.add_argument("--seed", type=int, default=31)
    args = parser.parse_args()
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(message)s")

    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    training = TensorDataset(*trays(960, args.seed))
    held_out = trays(320, args.seed + 1)
    loader = DataLoader(training, batch_size=32, shuffle=True, drop_last=True,
                        generator=torch.Generator().manual_seed(args.seed))
    model = network()

    began = time.monotonic()
    scores = train(model, loader, held_out, args)
    log.info("training took %.2f s", time.monotonic() - began)
    for score in scores:
        print(f"step {score.step:3d}  accuracy {score.accuracy:.4f}  loss {score.loss:.6f}")
    final = validate(model, len(loader) * args.epochs, *held_out)
    digest = hashlib.sha256()
    for name, value in model.state_dict().items():
        digest.update(name.encode() + value.numpy().tobytes())
    print(f"final accuracy {final.accuracy:.4f}  loss {final.loss:.6f}  weights {digest.hexdigest()[:16]}")


if __name__ == "__main__":
    main()
