"""Grades oboe reeds by their sound, under a curriculum of growing noise."""
import argparse
import hashlib
import logging
import sys
import time

import torch
from torch import nn
from torch.utils.data import DataLoader

from reeds import GRADES, Curriculum, ReedTones

log = logging.getLogger("reeds")


def train(model, loader, curriculum, epochs):
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    for epoch in range(epochs):
        began = time.perf_counter()
        total, right, seen = 0.0, 0, 0
        for features, grade in loader:
            scores = model(features)
            loss = nn.functional.cross_entropy(scores, grade)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(grade)
            right += (scores.argmax(1) == grade).sum().item()
            seen += len(grade)
            curriculum.update(total / seen)
        schedule.step()
        log.info("epoch %d  %.0f tones/s", epoch, seen / (time.perf_counter() - began))
        print(f"epoch {epoch}  loss {total / seen:.6f}  right {right / seen:.3f}  noise now {curriculum.level:.5f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tones", type=int, default=480)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=5)
    args = parser.parse_args()
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(relativeCreated)d ms %(message)s")
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    dataset = ReedTones(args.tones, args.seed)
    loader = DataLoader(dataset, batch_size=24, shuffle=True, num_workers=args.workers, persistent_workers=True,
                        generator=torch.Generator().manual_seed(args.seed), multiprocessing_context="fork")
    model = nn.Sequential(nn.LayerNorm(256), nn.Linear(256, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, len(GRADES)))
    train(model, loader, Curriculum(dataset), args.epochs)
    digest = hashlib.blake2b(digest_size=8)
    for parameter in model.parameters():
        digest.update(parameter.detach().numpy().tobytes())
    print("weights", digest.hexdigest())


if __name__ == "__main__":
    main()
