import json

import torch

from trial import Trial


def read_trials(folder):
    for path in sorted(folder.glob("*/result.json")):
        record = json.loads(path.read_text())
        record.pop("seconds")
        yield Trial(**record)


def ranking(folder):
    """Best first; equal scores have a fixed order."""
    return sorted(read_trials(folder), key=lambda trial: (-trial.score, trial.name))


class Committee:
    """The best trials, which vote with their mean probabilities."""

    def __init__(self, folder, size):
        self.trials = ranking(folder)[:size]
        self.models = []
        for trial in self.trials:
            model = trial.build()
            model.load_state_dict(torch.load(folder / trial.name / "weights.pt"))
            self.models.append(model.eval())

    @torch.no_grad()
    def predict(self, x):
        return torch.stack([model(x).softmax(1) for model in self.models]).mean(0)

    def save(self, path):
        torch.save([model.state_dict() for model in self.models], path)
