"""Grades the wear of bank notes."""
import json
import time
import uuid
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader

from augment import SortingBelt
from notes import GRADES, NoteScans, print_notes
from settings import SETTINGS


def build():
    return nn.Sequential(
        nn.Conv2d(1, 12, 3, padding=1), nn.BatchNorm2d(12), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(12, 24, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d((2, 8)),
        nn.Flatten(), nn.Dropout(0.2), nn.Linear(24 * 16, len(GRADES)),
    )


@torch.no_grad()
def accuracy(model, loader):
    model.eval()
    hits = sum((model(scans).argmax(1) == grades).sum().item() for scans, grades in loader)
    model.train()
    return hits / len(loader.dataset)


def main():
    training = SETTINGS["training"]
    torch.manual_seed(training["seed"])
    torch.set_num_threads(1)
    scans, grades = print_notes(**SETTINGS["notes"])
    cut = int(0.8 * len(scans))
    data = NoteScans(scans[:cut], grades[:cut], SortingBelt(SETTINGS["augment"]))
    loader = DataLoader(data, batch_size=training["batch"], shuffle=True,
                        num_workers=training["workers"])
    held_out = DataLoader(NoteScans(scans[cut:], grades[cut:]), batch_size=64)
    model = build()
    optimizer = torch.optim.AdamW(model.parameters(), lr=training["rate"])
    report = []
    for epoch in range(training["epochs"]):
        began = time.time()
        data.set_epoch(epoch)
        total = 0.0
        for batch, wear in loader:
            loss = nn.functional.cross_entropy(model(batch), wear)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item() * len(wear)
        report.append({"loss": total / cut, "accuracy": accuracy(model, held_out)})
        print(f"epoch {epoch}: loss {report[-1]['loss']:.4f}, "
              f"accuracy {report[-1]['accuracy']:.3f}, {time.time() - began:.1f} s")
    folder = Path("runs") / uuid.uuid4().hex[:8]
    folder.mkdir(parents=True)
    torch.save(model.state_dict(), folder / "sorter.pt")
    (folder / "report.json").write_text(json.dumps(report, indent=1))
    print(f"saved in {folder}")


if __name__ == "__main__":
    main()
