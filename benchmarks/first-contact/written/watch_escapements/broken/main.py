"""Rates of watches from the ticks of the escapement; trained in slices of the night queue."""
import json
import multiprocessing as mp
import time
from datetime import datetime
from pathlib import Path

from train import run_slice

HERE = Path(__file__).resolve().parent
SLICES = 2


def main():
    began = time.time()
    out = HERE / "out"
    out.mkdir(exist_ok=True)
    for old in out.glob("*.pt"):
        old.unlink()
    for number in range(SLICES):
        print(f"{datetime.now():%H:%M:%S} slice {number + 1} of {SLICES}", flush=True)
        job = mp.get_context("fork").Process(target=run_slice, args=(out, number + 1, SLICES))
        job.start()
        job.join()
        if job.exitcode:
            raise SystemExit(f"slice {number + 1} ended with {job.exitcode}")
    results = json.loads((out / "results.json").read_text())
    print(f"error {results['error']:.3f} s/day after {results['epochs']} epochs, "
          f"{time.time() - began:.1f} s in all")


if __name__ == "__main__":
    main()
