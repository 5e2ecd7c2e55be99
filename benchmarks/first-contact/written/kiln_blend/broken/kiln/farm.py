"""A few processes that take fits from one queue and put what they learnt on another."""
import logging
import multiprocessing as mp
import os
import time

import torch

from .net import descend, predict

log = logging.getLogger("kiln.farm")


def _work(tasks, outbox, x, y, start):
    torch.set_num_threads(1)
    while (job := tasks.get()) is not None:
        t0 = time.perf_counter()
        arrays, _ = descend(start, x[job["fit"]], y[job["fit"]], job["epochs"], job["rate"], job["seed"])
        with torch.no_grad():
            guess = predict({k: torch.from_numpy(v) for k, v in arrays.items()}, torch.from_numpy(x[job["check"]]))
        error = float((guess - torch.from_numpy(y[job["check"]])).square().mean().sqrt())
        outbox.put({"job": job["job"], "error": error, "arrays": arrays,
                    "pid": os.getpid(), "seconds": time.perf_counter() - t0})


class Farm:
    def __init__(self, workers, x, y, start):
        ctx = mp.get_context("fork")
        self.tasks, self.outbox = ctx.Queue(), ctx.Queue()
        self.processes = [ctx.Process(target=_work, args=(self.tasks, self.outbox, x, y, start), daemon=True)
                          for _ in range(workers)]

    def __enter__(self):
        for process in self.processes:
            process.start()
        return self

    def __exit__(self, *exc):
        for _ in self.processes:
            self.tasks.put(None)
        for process in self.processes:
            process.join(timeout=10)

    def run(self, jobs):
        for job in jobs:
            self.tasks.put(job)
        inbox = {}
        while len(inbox) < len(jobs):
            parcel = self.outbox.get()
            inbox[parcel["job"]] = parcel
            log.debug("job %d from %d after %.3f s", parcel["job"], parcel["pid"], parcel["seconds"])
            if len(inbox) % 8 == 0:
                log.info("%d/%d", len(inbox), len(jobs))
        return inbox
