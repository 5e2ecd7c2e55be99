"""Learns the sight reduction table: latitude and longitude from three star altitudes."""
import argparse
import json
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from validation import Cadence, Keeper


@dataclass
class Settings:
    seed: int = 5
    steps: int = 550
    batch_size: int = 128
    rate: float = 6e-3
    patience: int = 1


def altitudes(latitude, longitude, stars):
    """Altitude of each star (declination, hour angle) above the horizon of an observer."""
    declination, hour = stars[:, 0], stars[:, 1]
    angle = longitude[:, None] + hour
    sine = (torch.sin(latitude)[:, None] * torch.sin(declination)
            + torch.cos(latitude)[:, None] * torch.cos(declination) * torch.cos(angle))
    return torch.asin(sine.clamp(-1, 1))


def make_sights(count, generator):
    stars = torch.tensor([[0.2, -0.5], [0.8, 0.3], [-0.1, 0.9]])
    latitude = 0.4 + 0.5 * torch.rand(count, generator=generator)
    longitude = -0.5 + torch.rand(count, generator=generator)
    seen = altitudes(latitude, longitude, stars)
    seen = seen + 0.004 * torch.randn(seen.shape, generator=generator)
    return TensorDataset(seen, torch.stack([latitude, longitude], dim=1))


def batches(loader):
    while True:
        yield from loader


@torch.no_grad()
def validate(model, data):
    model.eval()
    sights, places = data.tensors
    score = nn.functional.mse_loss(model(sights), places).sqrt().item()
    model.train()
    return score


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=Settings.steps)
    parser.add_argument("--seed", type=int, default=Settings.seed)
    args = parser.parse_args()
    settings = Settings(seed=args.seed, steps=args.steps)

    torch.manual_seed(settings.seed)
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(settings.seed)
    train, held = make_sights(6000, generator), make_sights(1500, generator)
    loader = DataLoader(train, settings.batch_size, shuffle=True, drop_last=True,
                        generator=torch.Generator().manual_seed(settings.seed + 1))

    model = nn.Sequential(nn.Linear(3, 96), nn.SiLU(), nn.Linear(96, 96), nn.SiLU(), nn.Linear(96, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=settings.rate)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(
        optimizer, factor=0.6, patience=settings.patience, threshold=1e-2)
    cadence = Cadence(every=10)
    keeper = Keeper()

    for step, (sights, places) in enumerate(batches(loader), start=1):
        loss = nn.functional.mse_loss(model(sights), places)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        if cadence.due(step):
            score = validate(model, held)
            scheduler.step(score)
            keeper.offer(step, score, model)
        if step == settings.steps:
            break
    keeper.offer(step, validate(model, held), model)

    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "history.json"
        log.write_text(json.dumps({"settings": asdict(settings), "history": keeper.history}))
        print(f"log of {len(keeper.history)} validations, {keeper.history[-1]['seconds']:.2f} s of training")
    model.load_state_dict(keeper.state)
    print(f"learning rate at the end {optimizer.param_groups[0]['lr']:.3e}")
    print(f"best error {validate(model, held):.9f} rad")


if __name__ == "__main__":
    main()
