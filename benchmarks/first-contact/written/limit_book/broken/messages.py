"""A day of order messages, written to a log and read back."""
import csv
import math
import random


def write_day(path, seed, count):
    rng = random.Random(seed)
    middle = 10000.0
    recent = []
    with open(path, "w", newline="") as handle:
        out = csv.writer(handle)
        for number in range(count):
            middle += rng.gauss(0, 0.35) + 0.15 * math.sin(number / 400)
            kind = rng.random()
            if kind < 0.22 and recent:
                out.writerow(["cancel", recent.pop(rng.randrange(len(recent))), "", "", "", ""])
            elif kind < 0.225:
                out.writerow(["drop", "", "", "", "", rng.randrange(40)])
            else:
                side = rng.choice(["buy", "sell"])
                away = rng.choice([-2, -1, 0, 1, 1, 2, 2, 3, 4, 6])
                price = round(middle) - away if side == "buy" else round(middle) + away
                out.writerow(["new", number, side, price, rng.choice([1, 2, 5, 10, 20]), rng.randrange(40)])
                recent.append(number)
                del recent[:-300]


def read_day(path):
    with open(path, newline="") as handle:
        yield from csv.reader(handle)
