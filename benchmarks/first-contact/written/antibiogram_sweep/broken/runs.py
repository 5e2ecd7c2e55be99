"""Runs of the sweep: a folder and a seed for each configuration."""
import hashlib
import json
import os
import platform
import secrets
from datetime import datetime, timezone
from pathlib import Path

VOLATILE = {"started", "host", "pid"}


def fingerprint(config):
    """Names a configuration by what can change its result."""
    stable = {key: value for key, value in config.items() if key not in VOLATILE}
    return hashlib.sha256(json.dumps(stable, sort_keys=True).encode()).hexdigest()


def open_run(root, **settings):
    config = dict(settings)
    config["started"] = datetime.now(timezone.utc).isoformat()
    config["host"] = platform.node()
    config["pid"] = os.getpid()
    config["folder"] = str(Path(root) / f"run-{secrets.token_hex(3)}")
    config["seed"] = int(fingerprint(config)[:8], 16)
    Path(config["folder"]).mkdir(parents=True)
    (Path(config["folder"]) / "config.json").write_text(json.dumps(config, indent=1))
    return config
