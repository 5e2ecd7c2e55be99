"""Tooth damage of a gearbox from vibration spectra.

Usage: python main.py [key=value ...]      e.g. python main.py epochs=30 lr=0.001
"""

import logging
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

import numpy as np
import torch
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedShuffleSplit
from torch import nn

from spectra import SpectrumExtractor

DEFAULTS = {
    "seed": 512,
    "recordings": 420,
    "length": 40960,
    "threads": 4,
    "epochs": 30,
    "batch": 32,
    "lr": 2e-3,
    "label_smoothing": 0.05,
    "out": "gear_models",
}
STATES = ("healthy", "pitting", "crack", "missing tooth")


def read_config(arguments):
    config = dict(DEFAULTS)
    for argument in arguments:
        key, _, value = argument.partition("=")
        config[key] = type(DEFAULTS[key])(value)
    return config


def record(number, config):
    """A simulated recording of the test rig, and its state."""
    rng = np.random.default_rng([config["seed"], number])
    state = number % len(STATES)
    t = np.arange(config["length"]) / 20_480
    speed = rng.uniform(18, 22)
    mesh = 23 * speed
    signal = sum(np.sin(2 * np.pi * mesh * k * t + rng.uniform(0, 6)) / k for k in (1, 2, 3))
    signal *= 1 + 0.12 * state * np.sin(2 * np.pi * speed * t)
    if state >= 2:
        signal += 0.35 * (state - 1) * (np.sin(2 * np.pi * speed * t) > 0.98) * np.sin(2 * np.pi * 3100 * t)
    return signal + rng.normal(0, 0.8, len(t)), state


class DamageNet(nn.Module):
    def __init__(self, bands, states):
        super().__init__()
        self.norm = nn.LayerNorm(bands)
        self.body = nn.Sequential(
            nn.Linear(bands, 64), nn.GELU(), nn.Dropout(0.15),
            nn.Linear(64, 64), nn.GELU(),
        )
        self.head = nn.Linear(64, states)

    def forward(self, x):
        return self.head(self.body(self.norm(x)))


def extract(config, log):
    extractor = SpectrumExtractor()
    began = time.perf_counter()

    def job(number):
        signal, state = record(number, config)
        return extractor(signal), state

    with ThreadPoolExecutor(config["threads"], thread_name_prefix="spectra") as pool:
        results = list(pool.map(job, range(config["recordings"])))
    log.info("%d spectra with %d threads in %.1f s", len(results), config["threads"], time.perf_counter() - began)
    spectra, states = zip(*results)
    return torch.from_numpy(np.stack(spectra)), torch.tensor(states)


def main():
    config = read_config(sys.argv[1:])
    os.makedirs(config["out"], exist_ok=True)
    stamp = datetime.now().strftime("%m%d_%H%M%S")
    logging.basicConfig(level=logging.INFO, format="%(relativeCreated)6d ms  %(message)s", handlers=[
        logging.StreamHandler(sys.stdout),
        logging.FileHandler(os.path.join(config["out"], f"log_{stamp}_{os.getpid()}.txt")),
    ])
    log = logging.getLogger()
    torch.manual_seed(config["seed"])

    spectra, states = extract(config, log)
    splitter = StratifiedShuffleSplit(1, test_size=0.25, random_state=config["seed"])
    train, test = (torch.from_numpy(rows) for rows in next(splitter.split(spectra, states)))

    model = DamageNet(spectra.shape[1], len(STATES))
    optimizer = torch.optim.AdamW(model.parameters(), lr=config["lr"], weight_decay=0.02)
    criterion = nn.CrossEntropyLoss(label_smoothing=config["label_smoothing"])
    for epoch in range(config["epochs"]):
        model.train()
        for rows in train[torch.randperm(len(train))].split(config["batch"]):
            loss = criterion(model(spectra[rows]), states[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if epoch % 10 == 9:
            model.eval()
            with torch.no_grad():
                guesses = model(spectra[test]).argmax(1)
            log.info("epoch %d: balanced accuracy %.3f", epoch, balanced_accuracy_score(states[test], guesses))
    torch.save(model.state_dict(), os.path.join(config["out"], "damage_net.pt"))


if __name__ == "__main__":
    main()
