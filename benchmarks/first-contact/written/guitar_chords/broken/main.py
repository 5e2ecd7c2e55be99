"""Recognise guitar chords in short strums; a loader thread synthesises and distorts the next batches."""
import sys

import torch
from chords import CHORDS
from feed import StrumFeed
from model import ChordNet, count_parameters

CONFIG = dict(seed=23, steps=120, batch=32, lr=2e-3, ahead=3, report=30)


def train(model, feed, cfg):
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg["lr"])
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, cfg["lr"] * 3, total_steps=cfg["steps"])
    model.train()
    window = []
    for step, (sound, chord) in enumerate(feed, start=1):
        loss = torch.nn.functional.cross_entropy(model(sound), chord, label_smoothing=0.05)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        window.append(loss.item())
        if step % cfg["report"] == 0:
            print(f"step {step:4d}  loss {sum(window) / len(window):.6f}")
            window.clear()


@torch.no_grad()
def test(model, feed):
    model.eval()
    table = torch.zeros(len(CHORDS), len(CHORDS), dtype=torch.long)
    for sound, chord in feed:
        for truth, guess in zip(chord.tolist(), model(sound).argmax(1).tolist()):
            table[truth, guess] += 1
    return table


def main():
    cfg = CONFIG
    torch.manual_seed(cfg["seed"])
    torch.set_num_threads(1)
    model = ChordNet(len(CHORDS))
    print(f"{count_parameters(model)} parameters, {len(CHORDS)} chords")

    with StrumFeed(cfg["steps"], cfg["batch"], cfg["seed"], ahead=cfg["ahead"]) as feed:
        train(model, feed, cfg)
    with StrumFeed(12, cfg["batch"], cfg["seed"] + 1, ahead=cfg["ahead"]) as feed:
        table = test(model, feed)

    right = table.diagonal().sum().item() / table.sum().item()
    print(f"accuracy {right:.4f}")
    for name, row in zip(CHORDS, table.tolist()):
        print(f"{name:4s}", " ".join(f"{n:3d}" for n in row))
    torch.save({"weights": model.state_dict(), "confusion": table}, "chords.pt")
    return 0


if __name__ == "__main__":
    sys.exit(main())
