"""Which picture belongs to which part of the data."""
import zlib
from pathlib import Path

import pandas as pd


def part_of(path: Path, valid_percent: int) -> str:
    """By a checksum, so that a picture stays in its part when others are added."""
    bucket = zlib.crc32(path.as_posix().encode("utf-8")) % 100
    return "valid" if bucket < valid_percent else "train"


def read_manifest(root: Path, valid_percent: int = 25) -> pd.DataFrame:
    rows = []
    for path in sorted(root.rglob("*.png")):
        rows.append({
            "path": path,
            "species": path.parent.name,
            "piece": int(path.stem.split("_")[-1]),
            "part": part_of(path, valid_percent),
        })
    frame = pd.DataFrame(rows)
    frame["label"] = frame["species"].astype("category").cat.codes.astype("int64")
    return frame
