"""Episodes kept on disk, so that many more can be made than memory holds."""
import shutil
import tempfile
from pathlib import Path

import numpy as np


class Spool:
    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="episodes-"))
        self.shards = []

    def put(self, episodes):
        """Writes a shard of episodes under a name of its own; writers need not agree on numbers."""
        keys = episodes[0].keys()
        with tempfile.NamedTemporaryFile(dir=self.folder, prefix="shard-", suffix=".npz", delete=False) as file:
            np.savez(file, **{k: np.stack([e[k] for e in episodes]) for k in keys})

        self.shards.append(Path(file.name))

    def size(self):
        return sum(path.stat().st_size for path in self.folder.iterdir())

    def __iter__(self):
        for path in self.shards:
            with np.load(path) as shard:
                arrays = {k: shard[k] for k in shard.files}
            for i in range(len(arrays["sx"])):
                yield {k: a[i] for k, a in arrays.items()}

    def __len__(self):
        return len(self.shards)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder)
