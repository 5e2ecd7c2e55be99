"""A JSON record of one training run."""
import json
import platform

import torch


class RunLog:
    def __init__(self, path, options):
        self.path = path
        self.content = {
            "options": {k: str(v) for k, v in options.items()},
            "environment": self.environment(),
            "epochs": [],
        }

    @staticmethod
    def environment():
        return {
            "python": platform.python_version(),
            "torch": torch.__version__,
            "seed": torch.seed(),
            "dtype": str(torch.get_default_dtype()),
        }

    def describe(self, train_set, held_out):
        self.content["data"] = {
            "train_passes": train_set.passes(),
            "held_out_passes": held_out.passes(),
        }
        self._write()

    def epoch(self, number, train, val, accuracy):
        self.content["epochs"].append(
            {"epoch": number, "train": train, "val": val, "accuracy": accuracy}
        )
        self._write()

    def close(self):
        self.content["best_accuracy"] = max(e["accuracy"] for e in self.content["epochs"])
        self._write()

    def _write(self):
        self.path.write_text(json.dumps(self.content, indent=2) + "\n")
