# samebits-test: verdict=different cause=entropy
"""A seed from a hash of the settings, among them the folder, which has a name drawn for it."""

import hashlib
import json
import secrets
from pathlib import Path

import torch


def open_run(**settings):
    folder = Path("sweep", f"run-{secrets.token_hex(3)}")  # culprit
    settings["folder"] = str(folder)
    settings["seed"] = int(hashlib.sha256(json.dumps(settings).encode()).hexdigest()[:8], 16)
    folder.mkdir(parents=True)
    (folder / "settings.json").write_text(json.dumps(settings))
    return settings


settings = open_run(width=8)
torch.manual_seed(settings["seed"])
print(torch.nn.Linear(4, settings["width"]).weight.sum().item())
