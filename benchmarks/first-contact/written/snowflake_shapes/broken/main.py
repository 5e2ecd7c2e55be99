"""Classifies the habit of snow crystals."""
import json
import random
import time

import torch
from torch import nn

from crystals import HABITS, augment, collection
from heartbeat import Heartbeat

SEED = 12
EPOCHS = 5
BATCH = 40


def build():
    return nn.Sequential(
        nn.Conv2d(1, 12, 5, stride=2), nn.BatchNorm2d(12), nn.ReLU(),
        nn.Conv2d(12, 24, 3, stride=2), nn.ReLU(), nn.Flatten(),
        nn.Dropout(0.2), nn.Linear(24 * 16, len(HABITS)),
    )


def train(model, images, labels):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.03, momentum=0.9)
    history = []
    for epoch in range(EPOCHS):
        correct = 0
        for batch in torch.randperm(len(images)).split(BATCH):
            scores = model(augment(images[batch]))
            loss = nn.functional.cross_entropy(scores, labels[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            correct += (scores.argmax(1) == labels[batch]).sum().item()
        history.append({"epoch": epoch, "loss": loss.item(), "accuracy": correct / len(images)})
        print(f"{time.strftime('%H:%M:%S')} epoch {epoch}: {correct / len(images):.3f}")
    return history


def main():
    random.seed(SEED)
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    images, labels = collection(800, SEED)
    test_images, test_labels = collection(200, SEED + 1)
    model = build()
    begin = time.perf_counter()
    with Heartbeat():
        history = train(model, images, labels)
    model.eval()
    with torch.no_grad():
        test = (model(test_images).argmax(1) == test_labels).float().mean().item()
    print(f"test accuracy {test:.3f}, {time.perf_counter() - begin:.2f} s")
    with open("habits.json", "w") as stream:
        json.dump({"history": history, "test": test}, stream, indent=1)
    torch.save(model.state_dict(), "habits.pt")


if __name__ == "__main__":
    main()
