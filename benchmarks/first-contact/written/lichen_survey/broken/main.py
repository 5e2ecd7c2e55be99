"""Estimates air quality from the lichens that were found."""
import json
import time
import uuid
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader
from tqdm import tqdm

from model import AirFromLichens, collate, r_squared
from records import make_checklists, make_species, make_survey
from taxa import Synonymy, Vocabulary

SEED = 7
EPOCHS = 12
OUT = Path("results")


def prepare():
    rng = np.random.default_rng(SEED)
    species = make_species(90, rng)
    synonymy = Synonymy()
    for checklist in make_checklists(species, rng):
        synonymy.read(checklist)
    vocabulary = Vocabulary(synonymy.resolve())
    survey = make_survey(species, rng)
    items = [(vocabulary.encode(names), air) for _, names, air in survey]
    items = [item for item in items if item[0]]
    print(f"{len(synonymy.links)} names, {len(vocabulary)} taxa, {len(items)} sites")
    cut = int(0.8 * len(items))
    return vocabulary, items[:cut], items[cut:]


def predict(model, items):
    model.eval()
    with torch.no_grad():
        flat, offsets, target = collate(items)
        return model(flat, offsets), target


def main():
    run = uuid.uuid4().hex[:8]
    began = time.time()
    torch.manual_seed(SEED)
    vocabulary, train, test = prepare()
    loader = DataLoader(train, batch_size=16, shuffle=True, collate_fn=collate)
    model = AirFromLichens(len(vocabulary))
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 8e-3, total_steps=EPOCHS * len(loader))
    scores = []
    for epoch in range(EPOCHS):
        model.train()
        bar = tqdm(loader, desc=f"epoch {epoch}", leave=False)
        for flat, offsets, target in bar:
            loss = nn.functional.mse_loss(model(flat, offsets), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            bar.set_postfix(loss=f"{loss.item():.3f}")
        score = r_squared(*predict(model, test))
        scores.append(score)
        print(f"epoch {epoch}  r2 {score:.5f}")

    OUT.mkdir(exist_ok=True)
    torch.save({"weights": model.state_dict(), "terms": vocabulary.terms}, OUT / "lichens.pt")
    (OUT / "metrics.json").write_text(json.dumps(
        {"run": run, "r2": scores, "best": max(scores), "took_s": round(time.time() - began, 1)}))
    print(f"run {run}: best r2 {max(scores):.5f} at epoch {scores.index(max(scores))}")


if __name__ == "__main__":
    main()
