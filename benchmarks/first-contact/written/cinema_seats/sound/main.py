"""Which seats of a show will sell? Booked places against empty ones."""

import argparse
import random
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from sklearn.metrics import roc_auc_score
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from store import Store


class SeatModel(nn.Module):
    def __init__(self, films, lines, places, width=12):
        super().__init__()
        self.film = nn.Embedding(films, width)
        self.weekday = nn.Embedding(7, width)
        self.hour = nn.Embedding(24, width)
        self.line = nn.Embedding(lines, width)
        self.place = nn.Embedding(places, width)
        self.head = nn.Sequential(nn.Linear(2 * width, 24), nn.ReLU(), nn.Dropout(0.1), nn.Linear(24, 1))

    def forward(self, rows):
        film, weekday, hour, line, place = rows.unbind(1)
        show = self.film(film) + self.weekday(weekday) + self.hour(hour)
        seat = self.line(line) + self.place(place)
        return self.head(torch.cat([show, seat], 1)).squeeze(1)


def features(pairs, shows, seats):
    return torch.tensor([shows[show] + seats[seat] for show, seat in pairs])


def seed_all(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--shows", type=int, default=90)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=2024)
    args = parser.parse_args()
    seed_all(args.seed)
    torch.set_num_threads(1)
    lines, places = 9, 14

    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "box_office.db", args.seed) as store:
        store.fill(args.shows, lines, places)
        shows = {show: rest for show, *rest in store.table("shows")}
        seats = {seat: rest for seat, *rest in store.table("seats")}
        booked = store.booked()
        known = [pair for pair in booked if pair[0] % 6]
        positives = features(known, shows, seats)
        print(f"{len(booked)} bookings, {len(known)} to learn from")

        model = SeatModel(9, lines, places)
        optimizer = torch.optim.Adagrad(model.parameters(), lr=0.05)
        shuffle = torch.Generator().manual_seed(args.seed)
        for epoch in range(args.epochs):
            begun = time.perf_counter()
            negatives = features([p for p in store.free(len(known)) if p[0] % 6], shows, seats)
            rows = torch.cat([positives, negatives])
            sold = torch.cat([torch.ones(len(positives)), torch.zeros(len(negatives))])
            loader = DataLoader(TensorDataset(rows, sold), batch_size=128, shuffle=True, generator=shuffle)
            total = 0.0
            for batch, wanted in loader:
                loss = nn.functional.binary_cross_entropy_with_logits(model(batch), wanted)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total += loss.item()
            print(f"epoch {epoch}: loss {total / len(loader):.6f} in {time.perf_counter() - begun:.2f} s")

        every = [(show, seat) for show in shows if show % 6 == 0 for seat in seats]
        taken = set(booked)
        model.eval()
        with torch.no_grad():
            scores = model(features(every, shows, seats)).numpy()
        print("auc", roc_auc_score([pair in taken for pair in every], scores))
    print("weights", sum(p.double().abs().sum().item() for p in model.parameters()))


if __name__ == "__main__":
    main()
