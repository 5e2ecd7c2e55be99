"""Trains the danger level model of the daily bulletin."""
import dataclasses
import json
import logging
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch.utils.data import DataLoader, TensorDataset

from network import DangerNet, ordinal_loss, predicted_level
from stations import WeatherSeason, build_network, observe

FEATURES = ["elevation", "temperature", "new_snow", "depth", "wind", "loading"]
HERE = Path(__file__).resolve().parent

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
log = logging.getLogger("bulletin")


@dataclass
class Config:
    seed: int = 11
    stations: int = 24
    seasons: int = 3
    window: int = 7
    batch_size: int = 64
    epochs: int = 4
    lr: float = 2e-3
    out: Path = HERE / "out"


def seed_all(seed):
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(1)


def load_observations(cfg):
    rng = np.random.default_rng(cfg.seed)
    network = build_network(cfg.stations, rng)
    frames = []
    for season in range(2019, 2019 + cfg.seasons):
        weather = WeatherSeason(season, cfg.seed)
        frames.extend(observe(spec, weather) for spec in network)
    table = pd.concat(frames, ignore_index=True)
    aspects = {spec.aspect for spec in network if spec.aspect is not None}
    log.info("%d stations, aspects %s, %d rows", len(network), sorted(aspects), len(table))
    return table


def windows(table, cfg):
    x, y, season = [], [], []
    for (_, year), group in table.groupby(["station", "season"]):
        values = group[FEATURES].to_numpy(dtype=np.float32)
        level = group["danger"].to_numpy()
        for end in range(cfg.window, len(group)):
            x.append(values[end - cfg.window:end])
            y.append(level[end])
            season.append(year)
    return np.stack(x), np.array(y), np.array(season)


def evaluate(model, x, y):
    model.eval()
    with torch.no_grad():
        logits = model(x)
        loss = ordinal_loss(logits, y).item()
        level = predicted_level(logits)
    exact = (level == y).float().mean().item()
    within = ((level - y).abs() <= 1).float().mean().item()
    return {"loss": loss, "exact": exact, "within_one": within}


def main():
    cfg = Config()
    seed_all(cfg.seed)
    cfg.out.mkdir(exist_ok=True)
    started = time.time()

    table = load_observations(cfg)
    x, y, season = windows(table, cfg)
    test = season == season.max()
    mean, std = x[~test].mean((0, 1)), x[~test].std((0, 1)) + 1e-6
    x = (x - mean) / std
    train_set = TensorDataset(torch.from_numpy(x[~test]), torch.from_numpy(y[~test]))
    x_test, y_test = torch.from_numpy(x[test]), torch.from_numpy(y[test])
    log.info("%d windows for training, %d for the last season", len(train_set), len(x_test))

    loader = DataLoader(
        train_set, batch_size=cfg.batch_size, shuffle=True, drop_last=True,
        generator=torch.Generator().manual_seed(cfg.seed),
    )
    model = DangerNet(len(FEATURES))
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, cfg.lr * 3, total_steps=cfg.epochs * len(loader))

    history = []
    for epoch in range(cfg.epochs):
        model.train()
        tick = time.perf_counter()
        for xb, yb in loader:
            optimizer.zero_grad()
            loss = ordinal_loss(model(xb), yb)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
        scores = evaluate(model, x_test, y_test)
        history.append(scores)
        log.info("epoch %d  %s  (%.1f s)", epoch, {k: round(v, 5) for k, v in scores.items()},
                 time.perf_counter() - tick)

    torch.save(model.state_dict(), cfg.out / "danger_net.pt")
    config = {k: str(v) for k, v in dataclasses.asdict(cfg).items() if k != "out"}
    report = {"config": config, "history": history, "trained_on": time.strftime("%Y-%m-%d %H:%M:%S")}
    (cfg.out / "report.json").write_text(json.dumps(report, indent=2))
    print(f"final within_one {history[-1]['within_one']:.6f} loss {history[-1]['loss']:.8f}")
    log.info("done in %.1f s", time.time() - started)


if __name__ == "__main__":
    main()
