"""Predicts bowel disease from the composition of the gut flora, by repeated stratified cross-validation."""
import argparse
import json
import random
import time
from dataclasses import asdict
from datetime import datetime
from pathlib import Path

import numpy as np
import torch
from sklearn.metrics import brier_score_loss

from cohort import simulate_cohort
from crossval import Settings, cross_validate


def parse_settings():
    parser = argparse.ArgumentParser()
    for name, value in asdict(Settings()).items():
        parser.add_argument(f"--{name}", type=type(value), default=value)
    return Settings(**vars(parser.parse_args()))


def main():
    settings = parse_settings()
    random.seed(settings.seed)
    torch.manual_seed(settings.seed)
    torch.set_num_threads(1)

    cohort = simulate_cohort()
    print(f"{datetime.now():%Y-%m-%d %H:%M}  {len(cohort.counts)} samples, {cohort.counts.shape[1]} taxa")
    started = time.perf_counter()
    outcome = cross_validate(cohort, settings)
    print(f"{len(outcome.models)} fits in {time.perf_counter() - started:.1f} s")

    ensemble = outcome.scores.mean(0)
    report = {"settings": asdict(settings), "auc": outcome.auc,
              "brier": brier_score_loss(cohort.disease, ensemble)}
    Path("report.json").write_text(json.dumps(report, indent=1))
    torch.save([model.state_dict() for model in outcome.models], "models.pt")
    print(f"AUC {np.mean(outcome.auc):.6f} +- {np.std(outcome.auc):.6f}  Brier score {report['brier']:.6f}")


if __name__ == "__main__":
    main()
