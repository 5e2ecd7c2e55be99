"""A small cache of expensive results in one JSON file."""

import json
import os
from pathlib import Path


class JsonCache:
    """Results by key; whatever is in it at the end of the block is what the next run finds."""

    def __init__(self, path):
        self.path = Path(path)
        self.entries = {}

    def __enter__(self):
        if self.path.exists():
            self.entries = json.loads(self.path.read_text(encoding="utf-8"))
        return self

    def get(self, key, build):
        """The entry of that key, made by build() if there is none."""
        if key not in self.entries:
            self.entries[key] = build()
        return self.entries[key]

    def __exit__(self, kind, error, trace):
        if kind is not None:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        scratch = self.path.with_suffix(".tmp")
        scratch.write_text(json.dumps(self.entries), encoding="utf-8")
        os.replace(scratch, self.path)
