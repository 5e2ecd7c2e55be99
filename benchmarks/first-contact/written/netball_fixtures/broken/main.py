# Predicts the goal margin of netball fixtures from who plays whom, where, and after how much rest.
# Cross-validated over match days: fixtures of one day share weather, courts and umpires and stay together.
import csv
import datetime as dt
import math
import random
from dataclasses import dataclass
from itertools import combinations

import torch
from rich.console import Console
from rich.table import Table
from torch import nn

CLUBS = ["Ashby", "Brackley", "Colne", "Dunmow", "Evesham", "Frome", "Goole", "Hexham", "Ilkley", "Jarrow", "Kelso",
         "Ludlow"]
FOLDS = 5
EPOCHS = 40


@dataclass(frozen=True)
class Fixture:
    day: dt.date
    home: int
    away: int
    rest_home: int
    rest_away: int
    indoor: bool
    margin: int


def play_seasons(rng: random.Random, seasons: int = 4) -> list[Fixture]:
    strength = [rng.gauss(0, 6) for _ in CLUBS]
    fixtures = []
    for season in range(seasons):
        strength = [s * 0.85 + rng.gauss(0, 2) for s in strength]
        pairs = [pair for a, b in combinations(range(len(CLUBS)), 2) for pair in ((a, b), (b, a))]
        rng.shuffle(pairs)
        day = dt.date(2019 + season, 9, 7)
        last_played = dict.fromkeys(range(len(CLUBS)), day - dt.timedelta(days=14))
        while pairs:
            busy: set[int] = set()
            damp = rng.random() < 0.3
            for pair in pairs[:]:
                if busy & set(pair):
                    continue
                busy.update(pair)
                pairs.remove(pair)
                home, away = pair
                rest = [(day - last_played[club]).days for club in pair]
                indoor = rng.random() < 0.5
                mean = strength[home] - strength[away] + 3.0 + 0.25 * (min(rest[0], 14) - min(rest[1], 14))
                if damp and not indoor:
                    mean *= 0.6
                margin = round(rng.gauss(mean, 7))
                fixtures.append(Fixture(day, home, away, rest[0], rest[1], indoor, margin))
            for club in sorted(busy):
                last_played[club] = day
            day += dt.timedelta(days=rng.choice([3, 4, 7, 7]))
    return fixtures


class MarginNet(nn.Module):
    def __init__(self, clubs: int, width: int = 12):
        super().__init__()
        self.attack = nn.Embedding(clubs, width)
        self.defence = nn.Embedding(clubs, width)
        self.context = nn.Sequential(nn.Linear(3 + 2 * width, 32), nn.Tanh(), nn.Dropout(0.1), nn.Linear(32, 2))

    def forward(self, home, away, context):
        home_side = self.attack(home) - self.defence(away)
        away_side = self.attack(away) - self.defence(home)
        mean, log_scale = self.context(torch.cat([home_side, away_side, context], dim=1)).unbind(1)
        return 10 * mean, 2.0 + log_scale


def as_tensors(fixtures: list[Fixture]):
    home = torch.tensor([f.home for f in fixtures])
    away = torch.tensor([f.away for f in fixtures])
    context = torch.tensor([[min(f.rest_home, 14) / 14, min(f.rest_away, 14) / 14, float(f.indoor)] for f in fixtures])
    margin = torch.tensor([float(f.margin) for f in fixtures])
    return home, away, context, margin


def negative_log_likelihood(mean, log_scale, margin):
    return (log_scale + 0.5 * ((margin - mean) / log_scale.exp()) ** 2).mean() + 0.5 * math.log(2 * math.pi)


def match_day_folds(fixtures: list[Fixture], count: int, seed: int) -> list[set[dt.date]]:
    days = list({fixture.day for fixture in fixtures})
    random.Random(seed).shuffle(days)
    return [set(days[number::count]) for number in range(count)]


def fit(fixtures: list[Fixture], seed: int) -> MarginNet:
    torch.manual_seed(seed)
    model = MarginNet(len(CLUBS))
    optimizer = torch.optim.Adam(model.parameters(), lr=6e-3, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS)
    home, away, context, margin = as_tensors(fixtures)
    model.train()
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(margin)).split(48):
            loss = negative_log_likelihood(*model(home[rows], away[rows], context[rows]), margin[rows])
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()
        schedule.step()
    return model.eval()


@torch.no_grad()
def judge(model: MarginNet, fixtures: list[Fixture]) -> dict[str, float]:
    home, away, context, margin = as_tensors(fixtures)
    mean, log_scale = model(home, away, context)
    return {
        "error": (mean - margin).abs().mean().item(),
        "surprise": negative_log_likelihood(mean, log_scale, margin).item(),
        "winners": ((mean > 0) == (margin > 0)).float().mean().item(),
    }


def main() -> None:
    fixtures = play_seasons(random.Random(2019))
    table = Table(title=f"{len(fixtures)} fixtures, {FOLDS} folds of match days")
    for heading in ("fold", "days", "fixtures", "mean error", "surprise", "winners right"):
        table.add_column(heading, justify="right")

    scores, states = [], []
    for number, held_out in enumerate(match_day_folds(fixtures, FOLDS, seed=7)):
        inside = [f for f in fixtures if f.day not in held_out]
        outside = [f for f in fixtures if f.day in held_out]
        model = fit(inside, seed=100 + number)
        score = judge(model, outside)
        scores.append(score)
        states.append(model.state_dict())
        table.add_row(str(number), str(len(held_out)), str(len(outside)), f"{score['error']:.4f}",
                      f"{score['surprise']:.4f}", f"{score['winners']:.1%}")
    average = {key: sum(s[key] for s in scores) / FOLDS for key in scores[0]}
    table.add_section()
    table.add_row("all", "", str(len(fixtures)), f"{average['error']:.4f}", f"{average['surprise']:.4f}",
                  f"{average['winners']:.1%}")
    Console(width=88).print(table)

    with open("folds.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=["fold", *scores[0]])
        writer.writeheader()
        for number, score in enumerate(scores):
            writer.writerow({"fold": number, **score})
    torch.save(states, "folds.pt")


if __name__ == "__main__":
    main()
