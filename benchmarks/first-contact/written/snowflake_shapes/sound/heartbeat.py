"""Tells the job scheduler that the training is alive, by a file that it looks at."""
import json
import os
import random
import tempfile
import threading
import time


class Heartbeat(threading.Thread):
    def __init__(self, period=0.05):
        super().__init__(name="heartbeat", daemon=True)
        self.period = period
        self.jitter = random.Random()
        self.stopped = threading.Event()
        handle, self.path = tempfile.mkstemp(prefix="alive-", suffix=".json")
        os.close(handle)
        self.since = time.time()

    def pause(self):
        return self.period * self.jitter.uniform(0.8, 1.2)

    def run(self):
        while not self.stopped.wait(self.pause()):
            with open(self.path, "w") as stream:
                json.dump({"pid": os.getpid(), "up": time.time() - self.since}, stream)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *error):
        self.stopped.set()
        self.join()
        os.unlink(self.path)
