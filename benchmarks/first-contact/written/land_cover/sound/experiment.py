"""Book-keeping of one experiment: its tag, its folder, its log, its split."""
import os
import time
import zlib
from pathlib import Path


class Experiment:
    def __init__(self, name, host, root="runs"):
        self.name = name
        self.tag = f"{name}-{host}-{os.getpid()}"
        self.folder = Path(root) / name
        self.folder.mkdir(parents=True, exist_ok=True)
        self._log = open(self.folder / "run.log", "w", buffering=1)
        self.note("start", self.tag)

    def note(self, *words):
        self._log.write(time.strftime("%F %T ") + " ".join(map(str, words)) + "\n")


def bucket(salt, key, buckets=10_000):
    """A stable number below `buckets` for a key, the same in every process."""
    return zlib.crc32(f"{salt}/{key}".encode()) % buckets


def hold_out(run, block, share):
    """Whether a block of neighbouring tiles belongs to the test set of this experiment."""
    return bucket(run.name, block) < share * 10_000
