"""The cohort: one CSV file per site, bundled in a tar archive with a fingerprint."""
import hashlib
import io
import tarfile
from pathlib import Path

import numpy as np
import pandas as pd

SITES = ["Aarhus", "Basel", "Cork", "Dresden", "Espoo"]
MARKERS = ["crp", "il6", "ferritin", "albumin", "nt_probnp", "egfr", "hba1c", "ldl"]


def draw_site(rng, site, size):
    frame = pd.DataFrame(rng.lognormal(0.0, 0.5, size=(size, len(MARKERS))).round(4), columns=MARKERS)
    frame.insert(0, "patient", [f"{site[:2].upper()}{number:04d}" for number in range(size)])
    frame["arm"] = rng.integers(0, 2, size=size)
    signal = 0.9 * np.log(frame["crp"]) - 0.7 * np.log(frame["albumin"]) + 0.8 * frame["arm"] * np.log(frame["il6"])
    frame["responder"] = (signal + rng.logistic(0, 0.4, size=size) > 0).astype(int)
    return frame


def _anonymous(info):
    info.uid = info.gid = 0
    info.uname = info.gname = ""
    info.mode = 0o644
    return info


def write_bundle(folder: Path, seed: int, size: int = 140) -> Path:
    rng = np.random.default_rng(seed)
    bundle = folder / "cohort.tar"
    with tarfile.open(bundle, "w") as tar:
        for site in SITES:
            path = folder / f"{site.lower()}.csv"
            draw_site(rng, site, size).to_csv(path, index=False)
            tar.add(path, arcname=f"cohort/{path.name}", filter=_anonymous)
            path.unlink()
    return bundle


def fingerprint(bundle: Path) -> str:
    with open(bundle, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_bundle(bundle: Path) -> pd.DataFrame:
    frames = []
    with tarfile.open(bundle) as tar:
        for member in tar.getmembers():
            frame = pd.read_csv(io.BytesIO(tar.extractfile(member).read()))
            frames.append(frame.assign(site=Path(member.name).stem))
    return pd.concat(frames, ignore_index=True)
