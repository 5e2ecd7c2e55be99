"""Names and folders of runs."""
import json
import random
import time

import numpy as np
import torch

FIRST = ["amber", "brisk", "calm", "dusky", "early", "frosty", "grand", "hazy"]
SECOND = ["apron", "beacon", "cockpit", "hangar", "jetway", "runway", "taxiway", "tower"]


def seed_all(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def new_run(out):
    """A folder with a name that no earlier run has."""
    random.seed()
    while True:
        name = f"{random.choice(FIRST)}-{random.choice(SECOND)}-{random.randrange(1000):03d}"
        folder = out / name
        if not folder.exists():
            folder.mkdir(parents=True)
            return folder


def save(folder, model, results):
    torch.save(model.state_dict(), folder / "weights.pt")
    results = {**results, "run": folder.name, "finished": time.strftime("%Y-%m-%d %H:%M:%S")}
    (folder / "results.json").write_text(json.dumps(results, indent=2))
