"""Learns to fill gaps in tree ring series."""
import json
import time
from datetime import date

import torch
from torch.utils.data import DataLoader

from masking import MaskPlan
from network import RingFiller
from rings import RingSeries, grow

YEARS = 120
EPOCHS = 6


def masked_loss(model, values, hidden):
    guess = model(values, hidden)
    return ((guess - values) ** 2)[hidden].mean()


@torch.no_grad()
def validate(model, loader, plan):
    model.eval()
    plan.rewind()
    losses = [masked_loss(model, values, plan.draw(len(values))).item() for values in loader]
    model.train()
    return sum(losses) / len(losses)


def main():
    torch.manual_seed(1859)
    torch.set_num_threads(1)
    widths = grow(count=720, years=YEARS, seed=31)
    train = DataLoader(RingSeries(widths[:600]), batch_size=24, shuffle=True,
                       generator=torch.Generator().manual_seed(5))
    held_out = DataLoader(RingSeries(widths[600:]), batch_size=40)
    model = RingFiller()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    plan = MaskPlan(YEARS, blocks=3, width=8, seed=71)
    held_plan = MaskPlan(YEARS, blocks=3, width=8, seed=72)
    history = []
    print(f"gap filling, {date.today():%d %B %Y}")
    for epoch in range(EPOCHS):
        began = time.perf_counter()
        total = 0.0
        for values in train:
            loss = masked_loss(model, values, plan.draw(len(values)))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        history.append({"train": total / len(train), "held": validate(model, held_out, held_plan)})
        print(f"epoch {epoch}: train {history[-1]['train']:.5f} held {history[-1]['held']:.5f} "
              f"({plan.drawn} cores, {time.perf_counter() - began:.1f} s)")
        plan.rewind()
    torch.save(model.state_dict(), "ring_filler.pt")
    with open("history.json", "w") as handle:
        json.dump(history, handle, indent=1)


if __name__ == "__main__":
    main()
