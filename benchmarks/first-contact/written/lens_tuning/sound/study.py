"""The trials of a search, one JSON object per line, readable while it runs."""
import json
from pathlib import Path


class Study:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.path = self.folder / "trials.jsonl"
        self._stream = open(self.path, "w", encoding="utf-8")

    def record(self, number, params, loss):
        self._stream.write(json.dumps({"trial": number, "params": params, "loss": loss}) + "\n")
        self._stream.flush()

    def trials(self):
        with open(self.path, encoding="utf-8") as lines:
            return [json.loads(line) for line in lines if line.strip()]

    def leaders(self, n):
        """The parameters of the n best trials so far, once there are enough to choose from."""
        trials = sorted(self.trials(), key=lambda t: t["loss"])
        return [t["params"] for t in trials[:n]] if len(trials) > 2 * n - 2 else []
