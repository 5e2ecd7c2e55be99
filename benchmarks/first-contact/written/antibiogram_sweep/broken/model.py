import numpy as np
import torch
from torch import nn

DRUGS = ["ampicillin", "cefotaxime", "ciprofloxacin", "gentamicin", "meropenem"]
GENES = 60


def isolates(count, seed=1928):
    """Which resistance genes an isolate has, and which drugs it resists."""
    rng = np.random.default_rng(seed)
    lineage = rng.integers(0, 8, count)
    base = rng.beta(0.5, 2.0, (8, GENES))
    genes = rng.random((count, GENES)) < base[lineage]
    effect = rng.normal(0, 1, (GENES, len(DRUGS))) * (rng.random((GENES, len(DRUGS))) < 0.12) * 3
    score = genes @ effect + rng.logistic(0, 0.7, (count, len(DRUGS)))
    return torch.tensor(genes, dtype=torch.float32), torch.tensor(score > np.median(score, axis=0), dtype=torch.float32)


def build(width, dropout):
    return nn.Sequential(nn.Linear(GENES, width), nn.ReLU(), nn.Dropout(dropout), nn.Linear(width, len(DRUGS)))


def train(config, x, y):
    torch.manual_seed(config["seed"])
    model = build(config["width"], config["dropout"])
    optimizer = torch.optim.AdamW(model.parameters(), lr=config["lr"], weight_decay=0.02)
    for _ in range(config["epochs"]):
        for pick in torch.randperm(len(x)).split(64):
            loss = nn.functional.binary_cross_entropy_with_logits(model(x[pick]), y[pick])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return model.eval()


@torch.no_grad()
def score(model, x, y):
    logits = model(x)
    loss = nn.functional.binary_cross_entropy_with_logits(logits, y).item()
    right = ((logits > 0) == (y > 0.5)).float().mean(0)
    return loss, dict(zip(DRUGS, right.tolist()))
