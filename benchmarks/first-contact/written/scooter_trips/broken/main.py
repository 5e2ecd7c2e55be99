import os
import random

import numpy as np
import torch

from demand import DemandNet, evaluate, train
from lake import append_day, load_trips
from city import simulate_day, ZONES

DAYS = 28
ROOT = "lake/trips"


def main():
    random.seed(2)
    np.random.seed(2)
    torch.manual_seed(2)
    torch.use_deterministic_algorithms(True)

    for day in range(DAYS):
        append_day(ROOT, day, simulate_day(day))

    trips = load_trips(ROOT)
    print(f"{len(trips)} rows from {trips['zone'].nunique()} zones, "
          f"{int(trips['trips'].sum())} trips in all")

    fit_rows = trips[trips["day"] < DAYS - 7].reset_index(drop=True)
    test_rows = trips[trips["day"] >= DAYS - 7].reset_index(drop=True)

    model = DemandNet(len(ZONES))
    for epoch, loss in enumerate(train(model, fit_rows, epochs=12, batch_size=96)):
        print(f"epoch {epoch:2d}  poisson nll {loss:.6f}")

    report = evaluate(model, test_rows)
    print(report.to_string(float_format=lambda v: f"{v:.5f}"))
    os.makedirs("results", exist_ok=True)
    report.to_csv("results/by_zone.csv")
    torch.save(model.state_dict(), "results/demand.pt")


if __name__ == "__main__":
    main()
