"""Writes a copy of the global model after each round, off the training thread."""
import json
import os
import queue
import threading
import time
from pathlib import Path

import torch


def snapshot(net):
    """The state to archive, free of the graph and on the CPU."""
    return {name: value.detach().cpu().clone() for name, value in net.state_dict().items()}


class Archive:
    def __init__(self, folder, log):
        self.folder, self.log = Path(folder), log
        self.folder.mkdir(exist_ok=True)
        self.jobs = queue.Queue()
        self.written, self.seconds = 0, 0.0
        self.thread = threading.Thread(target=self._run, name="archive", daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *error):
        self.jobs.put(None)
        self.thread.join()

    def put(self, number, net, facts):
        self.jobs.put((number, snapshot(net), facts))

    def path(self, number):
        return self.folder / f"round-{number:03d}.pt"

    def load(self, number):
        return torch.load(self.path(number), weights_only=True)

    def _write(self, number, state, facts):
        with open(self.path(number).with_suffix(".json"), "w") as f:
            json.dump(facts, f)
            f.flush()
            os.fsync(f.fileno())
        partial = self.path(number).with_suffix(".tmp")
        torch.save(state, partial)
        os.replace(partial, self.path(number))

    def _run(self):
        while (job := self.jobs.get()) is not None:
            began = time.perf_counter()
            self._write(*job)
            self.written += 1
            self.seconds += time.perf_counter() - began
            self.log("wrote round", job[0])
