"""Keyword spotting on one-second synthetic utterances: log-mel features, small GRU."""
import json
import random
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

import corpus
import frontend
import runtime

CONFIG = {"words": 5, "train": 320, "test": 100, "batch": 32, "epochs": 4, "lr": 3e-3, "hidden": 40}


class Spotter(nn.Module):
    def __init__(self, mels, hidden, words):
        super().__init__()
        self.norm = nn.LayerNorm(mels)
        self.gru = nn.GRU(mels, hidden, batch_first=True)
        self.drop = nn.Dropout(0.2)
        self.out = nn.Linear(hidden, words)

    def forward(self, x):
        _, h = self.gru(self.norm(x))
        return self.out(self.drop(h[-1]))


def batches(n, size):
    order = list(range(n))
    random.shuffle(order)
    for start in range(0, n, size):
        yield order[start:start + size]


def fit(model, waves, labels, cfg, log):
    opt = torch.optim.Adam(model.parameters(), lr=cfg["lr"])
    curve = []
    for epoch in range(cfg["epochs"]):
        model.train()
        since, loss_sum = time.time(), 0.0
        for pick in batches(len(labels), cfg["batch"]):
            mixed = frontend.mix_noise(waves[pick], labels[pick])
            feats = frontend.mask(frontend.log_mel(mixed))
            loss = F.cross_entropy(model(feats), labels[pick])
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 2.0)
            opt.step()
            loss_sum += loss.item() * len(pick)
        curve.append(loss_sum / len(labels))
        print(f"epoch {epoch + 1}/{cfg['epochs']} loss {curve[-1]:.5f}")
        log(f"epoch {epoch + 1} took {time.time() - since:.2f} s")
    return curve


def main():
    log = runtime.logger("spotter.log")
    log(f"python {sys.version.split()[0]}, torch {torch.__version__}")
    waves, labels = corpus.utterances(CONFIG["train"], CONFIG["words"], seed=5)
    test_waves, test_labels = corpus.utterances(CONFIG["test"], CONFIG["words"], seed=6)
    model = Spotter(frontend.MELS, CONFIG["hidden"], CONFIG["words"])
    curve = fit(model, waves, labels, CONFIG, log)

    model.eval()
    with torch.no_grad():
        clean = model(frontend.log_mel(test_waves))
        noisy = model(frontend.log_mel(frontend.mix_noise(test_waves, test_labels)))
    report = {"loss": curve}
    for name, logits in (("clean", clean), ("noisy", noisy)):
        report[name] = (logits.argmax(1) == test_labels).float().mean().item()
        print(f"{name} accuracy {report[name]:.3f}")
    with open("metrics.json", "w") as f:
        json.dump(report, f)
    torch.save({"model": model.state_dict(), "logits": clean}, "spotter.pt")


if __name__ == "__main__":
    main()
