"""Validation in a background thread, so that training need not wait for it."""
import copy
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import torch


def delta_e(pred, true):
    return (pred - true).square().sum(1).sqrt().mean().item()


class BackgroundEvaluator:
    def __init__(self, build, spectra, lab, keep):
        self.model = build().eval()
        self.spectra, self.lab = spectra, lab
        self.keep = keep
        self.best = []
        self.seconds = 0.0
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="eval")
        self._lock = threading.Lock()
        self._jobs = []

    def submit(self, step, model):
        snapshot = {k: v.detach() for k, v in model.state_dict().items()}
        self._jobs.append(self._pool.submit(self._evaluate, step, snapshot))

    def _evaluate(self, step, snapshot):
        started = time.perf_counter()
        self.model.load_state_dict(snapshot)
        with torch.no_grad():
            score = sum(delta_e(self.model(x), y) for x, y in
                        zip(self.spectra.split(500), self.lab.split(500)))
            score /= len(self.spectra.split(500))
        with self._lock:
            self.best.append((score, step, copy.deepcopy(self.model.state_dict())))
            self.best = sorted(self.best, key=lambda entry: entry[:2])[: self.keep]
            self.seconds += time.perf_counter() - started
        return {"step": step, "delta_e": score}

    def averaged(self):
        """Mean of the best weights; counters are taken from the very best."""
        states = [state for _, _, state in self.best]
        return {k: torch.stack([s[k] for s in states]).mean(0) if v.is_floating_point() else v
                for k, v in states[0].items()}

    def close(self):
        """The scores of all validations in the order in which they were submitted."""
        scores = [job.result() for job in self._jobs]
        self._pool.shutdown()
        return scores
