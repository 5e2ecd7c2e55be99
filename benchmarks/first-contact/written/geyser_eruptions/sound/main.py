"""Predicts the time to the next eruption of a geyser from the previous ones."""
import json
import logging
import time

import torch
from torch import nn

from archive import load_seasons, windows

SEED = 1883
LENGTH = 12
EPOCHS = 5
VENTS = 3
SEASONS = 8


class NextEruption(nn.Module):
    def __init__(self, hidden=24):
        super().__init__()
        self.gru = nn.GRU(2, hidden, batch_first=True)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        return self.out(self.gru(x)[0][:, -1]).squeeze(1)


def main():
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    begin = time.perf_counter()
    seasons = load_seasons(VENTS, SEASONS)
    logging.info("simulated in %.2f s", time.perf_counter() - begin)

    everything = torch.cat(seasons)
    mean, scale = everything.mean(0), everything.std(0)
    parts = [windows((season - mean) / scale, LENGTH) for season in seasons]
    held = len(parts) // 6
    x, y = (torch.cat(column) for column in zip(*parts[:-held]))
    check_x, check_y = (torch.cat(column) for column in zip(*parts[-held:]))

    model = NextEruption()
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    history = []
    for epoch in range(EPOCHS):
        for batch in torch.randperm(len(x)).split(48):
            loss = nn.functional.huber_loss(model(x[batch]), y[batch])
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        with torch.no_grad():
            error = (model(check_x) - check_y).abs().mean().item() * scale[0].item()
        history.append(error)
        print(f"epoch {epoch}: off by {error:.3f} minutes")

    with open("eruptions.json", "w") as stream:
        json.dump(
            {"windows": len(x), "minutes_off": history, "took": round(time.perf_counter() - begin, 3)},
            stream,
        )
    torch.save({"model": model.state_dict(), "mean": mean, "scale": scale}, "geyser.pt")


if __name__ == "__main__":
    main()
