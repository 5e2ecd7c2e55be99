"""Soiling loss of solar strings from SCADA features.

The operating regime (a KMeans cluster) is an extra categorical input of the network.
"""
import argparse
import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from data import load_strings, prepare
from trainer import Trainer, seed_all


@dataclass
class Settings:
    seed: int = 42
    regimes: int = 8
    hidden: int = 32
    epochs: int = 20
    batch_size: int = 64
    lr: float = 3e-3
    patience: int = 6


def parse():
    parser = argparse.ArgumentParser()
    for name, value in asdict(Settings()).items():
        parser.add_argument("--" + name.replace("_", "-"), type=type(value), default=value)
    return Settings(**vars(parser.parse_args()))


def main():
    settings = parse()
    began = time.time()
    seed_all(settings.seed)
    splits = prepare(load_strings(), settings.regimes)
    print({name: len(part[0]) for name, part in splits.items()}, time.strftime("%d %b %Y"))

    trainer = Trainer(settings, n_features=splits["train"][0].shape[1])
    trainer.fit(splits["train"], splits["val"])
    mae = trainer.mae(splits["test"])
    print(f"test MAE {mae:.6f} percentage points after {time.time() - began:.1f} s")

    trainer.save(Path("soiling.pt"))
    Path("metrics.json").write_text(json.dumps({"test_mae": mae, "settings": asdict(settings)}, indent=2))


if __name__ == "__main__":
    main()
