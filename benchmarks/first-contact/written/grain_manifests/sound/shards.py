"""Compressed shards of kernel measurements, with a manifest of what they contain."""
import csv
import gzip
import hashlib
import json

import numpy as np

COLUMNS = ["length", "width", "crease", "redness", "gloss", "variety"]


def write_shards(folder, shards, rows, seed):
    rng = np.random.default_rng(seed)
    centres = rng.normal(0, 1.2, (4, 5))
    for number in range(shards):
        variety = rng.integers(0, 4, rows)
        values = centres[variety] + rng.normal(0, 1.0, (rows, 5))
        with gzip.open(folder / f"kernels-{number:03d}.csv.gz", "wt", newline="") as sink:
            writer = csv.writer(sink)
            writer.writerow(COLUMNS)
            for row, label in zip(values, variety):
                writer.writerow([f"{v:.5f}" for v in row] + [int(label)])


def write_manifest(folder):
    files = {}
    for path in sorted(folder.glob("*.csv.gz")):
        with gzip.open(path, "rb") as source:
            content = source.read()
        files[path.name] = {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
    version = hashlib.sha256(json.dumps(files, sort_keys=True).encode()).hexdigest()[:16]
    manifest = {"files": files, "columns": COLUMNS, "version": version}
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1))
    return manifest


def read_shards(folder):
    manifest = json.loads((folder / "manifest.json").read_text())
    parts = []
    for name in sorted(manifest["files"]):
        with gzip.open(folder / name, "rt", newline="") as source:
            parts.append(np.loadtxt(source, delimiter=",", skiprows=1, dtype=np.float32))
    return np.concatenate(parts), manifest
