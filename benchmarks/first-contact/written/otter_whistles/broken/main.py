"""Tell otter calls apart."""
import csv
import datetime
import time

import numpy as np
import torch
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

from model import CallNet
from recordings import CALLS, make_recordings
from spectra import BANDS, Spectrograph

SEED = 7
EPOCHS = 8


def prepare():
    clips, labels = make_recordings(900, SEED)
    began = time.perf_counter()
    pictures = torch.from_numpy(Spectrograph().all(clips))
    seconds = sum(map(len, clips)) / 8000
    print(f"{len(clips)} clips, {seconds:.0f} s of sound, read in "
          f"{time.perf_counter() - began:.2f} s")
    data = TensorDataset(pictures, torch.from_numpy(labels))
    order = np.random.default_rng(SEED + 1).permutation(len(data))
    subsets = order[:720].tolist(), order[720:].tolist()
    return [torch.utils.data.Subset(data, part) for part in subsets]


def evaluate(model, loader):
    model.eval()
    loss = hits = 0
    with torch.no_grad():
        for x, y in loader:
            scores = model(x)
            loss += F.cross_entropy(scores, y, reduction="sum").item()
            hits += (scores.argmax(1) == y).sum().item()
    return loss / len(loader.dataset), hits / len(loader.dataset)


def main():
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    train_set, test_set = prepare()
    train = DataLoader(train_set, batch_size=48, shuffle=True)
    test = DataLoader(test_set, batch_size=90)
    model = CallNet(BANDS, len(CALLS))
    optimizer = torch.optim.Adam(model.parameters(), lr=1.5e-3)
    rows = []
    for epoch in range(1, EPOCHS + 1):
        model.train()
        running = 0.0
        for x, y in train:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            running += loss.item()
        rows.append((epoch, running / len(train), *evaluate(model, test)))
        print("epoch {} train {:.6f} test {:.6f} accuracy {:.3f}".format(*rows[-1]))
    torch.save(model.state_dict(), f"callnet-{datetime.date.today():%Y%m%d}.pt")
    with open("scores.csv", "w", newline="") as file:
        csv.writer(file).writerows([("epoch", "train", "test", "accuracy"), *rows])


if __name__ == "__main__":
    main()
