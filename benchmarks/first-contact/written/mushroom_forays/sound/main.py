import csv
import json
import math
import random
import sqlite3

import pandas as pd
import torch
from torch import nn

torch.set_num_threads(1)

DB = "forays.sqlite"
N_FOLDS = 5
HABITATS = ["beech", "birch", "pine", "meadow", "bog"]

SCHEMA = """
create table foray (
    id integer primary key, habitat text not null, leader text not null, week integer not null
);
create table find (
    id integer primary key,
    foray integer not null references foray(id),
    cap_cm real, stem_cm real, gill_gap real, bruises integer, spore text, altitude real,
    edible integer not null,
    fold integer
);
"""

# a find goes to one of the folds once and for all, so that all notebooks use the same split
ASSIGN_FOLDS = "update find set fold = abs(id * 2654435761 % 1000003) % ? where fold is null"

FINDS = """
select f.fold, f.cap_cm, f.stem_cm, f.gill_gap, f.bruises, f.spore, f.altitude, f.edible,
       y.habitat, y.week
from find f join foray y on y.id = f.foray
order by f.id
"""


def fill(con, rnd):
    con.executescript(SCHEMA)
    n = 0
    for foray in range(1, 81):
        habitat = rnd.choice(HABITATS)
        week = rnd.randint(30, 46)
        con.execute(
            "insert into foray values (?, ?, ?, ?)",
            (foray, habitat, rnd.choice(["Agnes", "Bruno", "Carla"]), week),
        )
        for _ in range(rnd.randint(10, 24)):
            n += 1
            cap = rnd.lognormvariate(1.8, 0.4)
            gap = rnd.gauss(1.2, 0.3)
            bruises = int(rnd.random() < 0.3)
            spore = rnd.choice(["white", "brown", "rust", "black"])
            score = (
                0.9 * (spore == "brown") - 1.1 * (spore == "white") + 1.5 * (gap - 1.2)
                - 0.8 * bruises + 0.5 * math.sin(week / 2) + 0.3 * (habitat == "beech")
            )
            edible = int(score + rnd.gauss(0, 0.6) > 0)
            stem = cap * rnd.uniform(0.6, 1.4)
            con.execute(
                "insert into find values (?, ?, ?, ?, ?, ?, ?, ?, ?, null)",
                (n, foray, cap, stem, gap, bruises, spore, rnd.uniform(100, 1900), edible),
            )
    con.execute(ASSIGN_FOLDS, (N_FOLDS,))
    con.commit()


def features(df):
    numeric = df[["cap_cm", "stem_cm", "gill_gap", "altitude"]]
    numeric = (numeric - numeric.mean()) / numeric.std()
    flags = pd.get_dummies(df[["spore", "habitat"]], dtype=float)
    season = pd.DataFrame(
        {"s": (df.week / 2).map(math.sin), "c": (df.week / 2).map(math.cos), "b": df.bruises}
    )
    table = pd.concat([numeric, flags, season], axis=1)
    return torch.tensor(table.to_numpy(), dtype=torch.float32)


def fit(x, y, epochs=12):
    net = nn.Sequential(nn.Linear(x.shape[1], 32), nn.GELU(), nn.Dropout(0.1), nn.Linear(32, 1))
    opt = torch.optim.RMSprop(net.parameters(), lr=2e-3)
    bce = nn.BCEWithLogitsLoss()
    for _ in range(epochs):
        for rows in torch.randperm(len(y)).split(48):
            opt.zero_grad()
            loss = bce(net(x[rows]).squeeze(1), y[rows])
            loss.backward()
            opt.step()
    return net.eval()


def main():
    torch.manual_seed(31)
    con = sqlite3.connect(DB)
    fill(con, random.Random(31))
    df = pd.read_sql_query(FINDS, con)
    con.close()
    print(len(df), "finds,", f"{df.edible.mean():.3f} edible")

    x = features(df)
    y = torch.tensor(df.edible.to_numpy(), dtype=torch.float32)
    fold = torch.tensor(df.fold.to_numpy())
    results = []
    for k in range(N_FOLDS):
        test = fold == k
        net = fit(x[~test], y[~test])
        with torch.no_grad():
            p = torch.sigmoid(net(x[test]).squeeze(1))
        brier = (p - y[test]).square().mean().item()
        poisoned = ((p > 0.5) & (y[test] < 0.5)).sum().item()
        results.append({"fold": k, "finds": int(test.sum()), "brier": brier, "poisoned": poisoned})
        print(f"fold {k}: {int(test.sum())} finds, brier {brier:.5f}, eaten by mistake {poisoned}")
        torch.save(net.state_dict(), f"fold{k}.pt")

    with open("folds.csv", "w", newline="") as f:
        writer = csv.DictWriter(f, ["fold", "finds", "brier", "poisoned"])
        writer.writeheader()
        writer.writerows(results)
    mean = sum(r["brier"] for r in results) / N_FOLDS
    with open("summary.json", "w") as f:
        json.dump({"brier": mean, "folds": N_FOLDS}, f)
    print(f"mean brier {mean:.6f}")


if __name__ == "__main__":
    main()
