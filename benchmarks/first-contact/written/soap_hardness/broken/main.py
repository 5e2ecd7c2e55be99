"""Searches the network that best foretells how hard a bar of soap cures."""
import csv
import json
import logging
from datetime import datetime
from pathlib import Path

import torch

from halving import error, search
from bars import batches
from space import draw_designs

SEED = 77
logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")


def main():
    torch.set_num_threads(1)
    folder = Path(__file__).resolve().parent / "studies" / datetime.now().strftime("%Y%m%d-%H%M%S-%f")
    folder.mkdir(parents=True)
    data, held_out, test = batches(1500, SEED), batches(400, SEED + 1), batches(400, SEED + 2)
    with open(folder / "trials.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["rung", "design", "error"])

        def note(rung, design, value, seconds):
            table.writerow([rung, str(design), f"{value:.8f}"])
            logging.info("rung %d  %-36s %.4f  (%.2f s)", rung, design, value, seconds)

        design, model = search(draw_designs(16, SEED), 22, data, held_out, note)
    result = {"design": str(design), "test_error": error(model, test)}
    torch.save(model.state_dict(), folder / "best.pt")
    (folder / "best.json").write_text(json.dumps(result, indent=1))
    print(f"best: {result['design']}  test error {result['test_error']:.5f}")


if __name__ == "__main__":
    main()
