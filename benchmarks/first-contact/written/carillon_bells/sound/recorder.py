"""Records all bells of a tower, several at a time."""
import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from strike import ring, spectrum

log = logging.getLogger("recorder")


class Recorder:
    def __init__(self, seed, threads=4):
        self.seed = seed
        self.threads = threads
        self.lock = threading.Lock()
        self.busy = {}

    def take(self, bell, strikes, source):
        """All strikes of one bell, with the third partial's error as the target."""
        began = time.perf_counter()
        rng = np.random.default_rng(source)
        rows = np.stack([spectrum(ring(bell, rng)) for _ in range(strikes)])
        with self.lock:
            name = threading.current_thread().name
            self.busy[name] = self.busy.get(name, 0.0) + time.perf_counter() - began
        log.info("bell %02d by %s in %.0f ms", bell.number, threading.current_thread().name,
                 1000.0 * (time.perf_counter() - began))
        return rows, np.full(strikes, bell.off_cents[2] / 25.0, dtype=np.float32)

    def record(self, bells, strikes):
        sources = np.random.SeedSequence(self.seed).spawn(len(bells))
        with ThreadPoolExecutor(self.threads, thread_name_prefix="mic") as pool:
            jobs = [pool.submit(self.take, bell, strikes, source) for bell, source in zip(bells, sources)]
            takes = [job.result() for job in jobs]
        for name, seconds in self.busy.items():
            log.info("%s was busy for %.2f s", name, seconds)
        return np.concatenate([rows for rows, _ in takes]), np.concatenate([y for _, y in takes])
