"""Writes service logs of varying length as text files."""
import os
import random

WORDS = ("request response timeout retry upstream cache miss hit token refresh user session "
         "queue depth worker started stopped shard replica lag commit rollback").split()
LEVELS = ["DEBUG", "INFO", "INFO", "INFO", "WARN", "ERROR"]


def _line(rng, service, clock):
    body = " ".join(rng.choice(WORDS) for _ in range(rng.randint(2, 6)))
    return f"{clock // 60:02d}:{clock % 60:02d} {rng.choice(LEVELS)} {service} {body} id={rng.randrange(999)}\n"


def write_corpus(folder, seed, count=24):
    rng = random.Random(seed)
    os.mkdir(folder)
    paths = []
    for i in range(count):
        service = rng.choice(["auth", "billing", "search", "mailer"])
        path = os.path.join(folder, f"{service}-{i:02d}.log")
        clock = rng.randrange(600)
        with open(path, "w") as f:
            for _ in range(rng.randint(40, 80)):
                f.write(_line(rng, service, clock))
                clock += rng.randint(0, 3)
        paths.append(path)
    return paths
