"""Classify quilt patterns; training patches are worn more and more as training goes on."""

import csv
import json
import tempfile
import time
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader

from curriculum import WearCurriculum
from patches import PATTERNS, QuiltPatches

HERE = Path(__file__).resolve().parent
EPOCHS = 5


def build_model():
    return nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(32 * 36, 48),
        nn.ReLU(),
        nn.Linear(48, len(PATTERNS)),
    )


@torch.no_grad()
def accuracy(model, patches):
    model.eval()
    predicted = model(patches.images).argmax(dim=1)
    model.train()
    return (predicted == patches.labels).float().mean().item()


def main():
    torch.manual_seed(5)
    torch.set_num_threads(1)

    curriculum = WearCurriculum(low=0.05, high=0.8)
    train = QuiltPatches(576, seed=10, curriculum=curriculum)
    test = QuiltPatches(200, seed=11)
    loader = DataLoader(
        train,
        batch_size=32,
        shuffle=True,
        num_workers=2,
        prefetch_factor=2,
        persistent_workers=True,
        multiprocessing_context="fork",
        generator=torch.Generator().manual_seed(17),
    )

    model = build_model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    criterion = nn.CrossEntropyLoss()
    total_steps = EPOCHS * len(loader)

    history = []
    step = 0
    began = time.time()
    with tempfile.TemporaryDirectory(prefix="quilt-") as scratch:
        best = -1.0
        for epoch in range(EPOCHS):
            curriculum.update(step / total_steps)
            losses = []
            for images, labels in loader:
                loss = criterion(model(images), labels)
                optimizer.zero_grad(set_to_none=True)
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
                step += 1
            score = accuracy(model, test)
            if score >= best:
                best = score
                torch.save(model.state_dict(), Path(scratch) / "best.pt")
            history.append((epoch, sum(losses) / len(losses), score))
            print(f"epoch {epoch}  wear {curriculum.strength:.2f}  loss {history[-1][1]:.4f}  "
                  f"accuracy {score:.3f}  [{time.time() - began:.1f} s]")
        weights = torch.load(Path(scratch) / "best.pt")

    torch.save(weights, HERE / "quilts.pt")
    with open(HERE / "history.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["epoch", "loss", "accuracy"])
        writer.writerows(history)
    (HERE / "result.json").write_text(json.dumps({"best_accuracy": best, "steps": step}))


if __name__ == "__main__":
    main()
