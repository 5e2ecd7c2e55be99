"""Process-wide settings, applied on import."""
import os
import random
import time

import numpy
import torch

SEED = int(os.environ.get("SPOTTER_SEED", "20"))

random.seed(SEED)
numpy.random.seed(SEED)
torch.manual_seed(SEED)
torch.set_num_threads(1)


def logger(path):
    start = time.time()
    stream = open(path, "w")

    def log(message):
        stream.write(f"{time.time() - start:9.3f} [{os.getpid()}] {message}\n")
        stream.flush()

    return log
