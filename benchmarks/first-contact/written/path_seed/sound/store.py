"""A content-addressed cache of preprocessed arrays below a folder of this run."""
import hashlib
import json
import os
import pickle
import time
import uuid
from pathlib import Path


class Cache:
    def __init__(self, root):
        self.root = Path(root)
        self.root.mkdir(parents=True, exist_ok=True)
        self.hits = self.misses = 0

    def key(self, function, arguments):
        text = json.dumps([function.__name__, arguments], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:20]

    def __call__(self, function, **arguments):
        path = self.root / f"{self.key(function, arguments)}.pkl"
        if path.exists():
            self.hits += 1
            return pickle.loads(path.read_bytes())["value"]
        self.misses += 1
        value = function(**arguments)
        part = path.with_name(f"{uuid.uuid4().hex}.{os.getpid()}.part")
        part.write_bytes(pickle.dumps({"value": value, "made": time.time(), "by": os.getpid()}))
        part.rename(path)
        return value
