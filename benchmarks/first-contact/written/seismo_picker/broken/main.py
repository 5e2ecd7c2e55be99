import argparse
import json
import logging
import shutil
import tempfile
import time
from pathlib import Path

import torch

from picker.model import Picker
from picker.record import RunRecord
from picker.traces import make_traces
from picker.trainer import Trainer


def main():
    ap = argparse.ArgumentParser("picker", description="finds the first arrival in synthetic seismograms")
    ap.add_argument("--experiment", default="p-wave-small")
    ap.add_argument("--steps", type=int, default=8)
    ap.add_argument("--micro-batch", type=int, default=8)
    ap.add_argument("--accumulate", type=int, default=4)
    ap.add_argument("--samples", type=int, default=128)
    ap.add_argument("--lr", type=float, default=3e-3)
    ap.add_argument("--no-amp", action="store_true")
    ap.add_argument("--out", type=Path, default=Path("."))
    args = ap.parse_args()

    run = RunRecord(args.experiment)
    scratch = Path(tempfile.mkdtemp(prefix=run.name + "-"))
    logging.basicConfig(level=logging.INFO, format="%(asctime)s " + run.name + " %(message)s")
    log = logging.getLogger("picker")
    log.info("scratch folder %s", scratch)

    traces, onsets = make_traces(256, args.samples, run)
    model = Picker(args.samples, run)
    log.info("%d parameters", sum(p.numel() for p in model.parameters()))
    trainer = Trainer(model, args, run)

    clock = time.perf_counter()
    losses = []
    for step in range(args.steps):
        losses.append(trainer.step(traces, onsets))
        if step % 4 == 3:
            torch.save(model.state_dict(), scratch / f"step{step:03d}.pt")
            rate = (step + 1) * args.micro_batch * args.accumulate / (time.perf_counter() - clock)
            log.info("step %d loss %.4f (%.0f traces/s)", step, losses[-1], rate)

    metrics = trainer.validate(*make_traces(64, args.samples, run, part="validation"))
    metrics.update(experiment=run.experiment, losses=losses)
    last = sorted(scratch.glob("step*.pt"))[-1]
    torch.save(torch.load(last, weights_only=True), args.out / "picker.pt")
    (args.out / "metrics.json").write_text(json.dumps(metrics, indent=2) + "\n")
    shutil.rmtree(scratch)
    log.info("mean error %.2f samples", metrics["mean_error"])


if __name__ == "__main__":
    main()
