"""A run's log: a header that says how it was started, then a line for each update."""
import json
import platform
import time

import torch


class RunLog:
    def __init__(self, path, settings):
        self.begun = time.time()
        self.stream = open(path, "w", buffering=1)
        self.write(kind="header", **self.describe(), settings=settings)

    @staticmethod
    def describe():
        return {
            "python": platform.python_version(),
            "torch": torch.__version__,
            "threads": torch.get_num_threads(),
            "seed": torch.seed(),
            "dtype": str(torch.get_default_dtype()),
        }

    def write(self, **fields):
        fields["elapsed"] = round(time.time() - self.begun, 3)
        self.stream.write(json.dumps(fields) + "\n")

    def close(self):
        self.stream.close()
