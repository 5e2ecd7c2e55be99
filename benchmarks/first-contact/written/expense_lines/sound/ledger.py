import json
import random
from pathlib import Path

ACCOUNTS = {
    "travel": ["taxi", "rail", "flight", "hotel", "parking", "tolls", "airport", "ticket"],
    "office": ["paper", "toner", "desk", "chair", "pens", "printer", "stapler", "lamp"],
    "software": ["licence", "cloud", "hosting", "subscription", "domain", "seats", "backup"],
    "meals": ["lunch", "coffee", "catering", "dinner", "bakery", "restaurant", "team"],
    "telecom": ["mobile", "sim", "broadband", "roaming", "line", "router", "data"],
}
FILLER = ["invoice", "ref", "monthly", "for", "ltd", "payment", "order", "q1", "q2", "site", "north", "city"]


def month_lines(month, n, seed):
    rnd = random.Random(seed * 100 + month)
    for _ in range(n):
        account = rnd.choice(list(ACCOUNTS))
        words = rnd.sample(ACCOUNTS[account], 2) + rnd.sample(FILLER, 3)
        if rnd.random() < 0.25:
            words[0] = rnd.choice(ACCOUNTS[rnd.choice(list(ACCOUNTS))])
        rnd.shuffle(words)
        yield {
            "month": month,
            "text": " ".join(words),
            "amount": round(rnd.lognormvariate(3.5 + 0.4 * len(account) / 8, 0.8), 2),
            "account": account,
        }


def export_year(path: Path, per_month: int, seed: int):
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    for month in range(1, 13):
        with open(path, "a", encoding="utf-8") as f:
            for line in month_lines(month, per_month, seed):
                f.write(json.dumps(line) + "\n")


def load(path: Path):
    with open(path, encoding="utf-8") as f:
        return [json.loads(line) for line in f]
