"""Paste pH of ripening wheels. The cellar's queue gives short slots, so the job saves itself and goes on."""
import json
import logging
import shutil
import tempfile
import time
import uuid
from datetime import datetime
from pathlib import Path

import torch

import cellar
import job as jobs
from slots import mean_error, run_slot


def main():
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    started = time.perf_counter()
    cfg = json.loads(Path(__file__).with_name("config.json").read_text())
    out = Path("out")
    out.mkdir(exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix="ripening-"))
    name = f"wheel-{uuid.uuid4().hex[:8]}"
    print(f"run {name}, {datetime.now():%Y-%m-%d %H:%M}")

    torch.set_num_threads(1)
    torch.manual_seed(cfg["seed"])
    x, y = cellar.simulate(cfg["wheels"], cfg["days"], cfg["seed"])
    train, test = cellar.divide(x, y, cfg["seed"])
    print(f"{len(train[0])} wheels to learn from, {len(test[0])} held out, pH {y.min():.2f} to {y.max():.2f}")

    checkpoint = scratch / "slot.pt"
    job = jobs.build(cfg, len(cellar.CHANNELS))
    slots = 1
    while not run_slot(job, train, test, cfg):
        jobs.save(job, checkpoint)
        del job
        job = jobs.resume(cfg, len(cellar.CHANNELS), checkpoint)
        slots += 1
    logging.info("finished in %d slots", slots)
    shutil.rmtree(scratch)

    final = {"mae": mean_error(job.ema, test), "mae_raw": mean_error(job.model.eval(), test)}
    print(f"pH error: averaged weights {final['mae']:.5f}, last weights {final['mae_raw']:.5f}")
    torch.save({"ema": job.ema.state_dict(), "model": job.model.state_dict()}, out / "ripening.pt")
    report = {"run": name, "history": job.history, **final, "seconds": time.perf_counter() - started}
    (out / "metrics.json").write_text(json.dumps(report, indent=1))
    print(f"done in {report['seconds']:.1f} s")


if __name__ == "__main__":
    main()
