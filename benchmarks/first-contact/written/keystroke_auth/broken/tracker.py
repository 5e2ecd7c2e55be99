"""A small experiment tracker: one folder per run, a CSV of scalars and a line in the index."""
import csv
import datetime
import json
import random
import sys
from pathlib import Path

ADJECTIVES = ["amber", "brisk", "calm", "dusty", "eager", "fuzzy", "gentle", "hollow", "icy", "jolly", "lucid", "mellow"]
NOUNS = ["anchor", "beacon", "cedar", "dune", "ember", "fjord", "grove", "heron", "inlet", "juniper", "lagoon", "meadow"]


def memorable_name(existing):
    """Something that is easier to talk about than a time stamp."""
    random.seed()
    for _ in range(100):
        name = f"{random.choice(ADJECTIVES)}-{random.choice(NOUNS)}-{random.randrange(1000):03d}"
        if name not in existing:
            return name
    raise RuntimeError("no free name left")


class Tracker:
    def __init__(self, root, config):
        self.root = Path(root)
        self.root.mkdir(parents=True, exist_ok=True)
        existing = {p.name for p in self.root.iterdir() if p.is_dir()}
        self.name = memorable_name(existing)
        self.folder = self.root / self.name
        self.folder.mkdir()
        self.started = datetime.datetime.now()
        (self.folder / "config.json").write_text(json.dumps(config, indent=2, sort_keys=True))
        self._file = open(self.folder / "scalars.csv", "w", newline="")
        self._writer = csv.writer(self._file)
        self._writer.writerow(["step", "name", "value"])

    def scalar(self, step, name, value):
        self._writer.writerow([step, name, repr(float(value))])

    def scalars(self, step, **values):
        for name, value in values.items():
            self.scalar(step, name, value)

    def close(self, summary):
        self._file.close()
        took = datetime.datetime.now() - self.started
        with open(self.root / "index.jsonl", "a") as f:
            line = {
                "name": self.name,
                "started": self.started.isoformat(timespec="seconds"),
                "took": took.total_seconds(),
                "python": sys.version.split()[0],
                **summary,
            }
            f.write(json.dumps(line) + "\n")
