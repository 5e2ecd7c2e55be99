"""Tells drum hits apart: each epoch hears all of them again, in other rooms."""
import contextlib
import json
import os
import threading
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

from rooms import BANDS, Rooms
from synth import KINDS, kit

HERE = Path(__file__).resolve().parent
SEED, EPOCHS, BATCH = 23, 6, 32


@contextlib.contextmanager
def heartbeat(path, every=0.25):
    """Writes the age of this process to a file, for whoever watches it."""
    done, started = threading.Event(), time.time()

    def beat():
        while not done.wait(every):
            path.write_text(f"pid {os.getpid()} age {time.time() - started:.2f}\n")

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        path.unlink(missing_ok=True)


def build():
    return nn.Sequential(
        nn.Conv1d(BANDS, 24, 3, padding=1), nn.ReLU(), nn.MaxPool1d(2),
        nn.Conv1d(24, 24, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool1d(1),
        nn.Flatten(), nn.Dropout(0.1), nn.Linear(24, len(KINDS)))


def confusion(scores, labels):
    table = np.zeros((len(KINDS), len(KINDS)), dtype=int)
    np.add.at(table, (labels.numpy(), scores.argmax(1).numpy()), 1)
    return table.tolist()


def main():
    torch.manual_seed(SEED)
    hits, labels = kit(360, SEED)
    test_hits, test_labels = kit(160, SEED + 1)
    rooms, test_rooms = Rooms(hits, SEED), Rooms(test_hits, SEED + 2)
    labels, test_labels = torch.tensor(labels), torch.tensor(test_labels)
    test = torch.tensor(test_rooms.dry())
    model = build()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    history = []
    for epoch in range(EPOCHS):
        started = time.perf_counter()
        heard = torch.tensor(rooms.epoch(epoch))
        seconds = time.perf_counter() - started
        total = 0.0
        for rows in torch.randperm(len(heard)).split(BATCH):
            loss = nn.functional.cross_entropy(model(heard[rows]), labels[rows])
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 2.0)
            optimizer.step()
            total += loss.item() * len(rows)
        history.append(total / len(heard))
        print(f"epoch {epoch}: loss {history[-1]:.7f} (rooms took {seconds:.2f} s)")
    model.eval()
    with torch.no_grad():
        scores = model(test)
    table = confusion(scores, test_labels)
    print("test loss", f"{nn.functional.cross_entropy(scores, test_labels).item():.7f}")
    for kind, row in zip(KINDS, table):
        print(f"{kind:>6} {row}")
    rooms.close()
    test_rooms.close()
    torch.save(model.state_dict(), HERE / "drums.pt")
    (HERE / "drums.json").write_text(json.dumps({"history": history, "confusion": table}))


if __name__ == "__main__":
    with heartbeat(HERE / "alive.txt"):
        main()
