"""Releases of the analyses: one csv for each mount, in one tar."""

import csv
import hashlib
import tarfile
from pathlib import Path

import numpy as np

L238, L235 = 1.55125e-4, 9.8485e-4  # decays per million years
COLUMNS = ["spot", "pb206_u238", "pb207_u235", "th_u", "hf_ppm", "yb_gd", "eu_anomaly", "ti_ppm", "age_ma"]
TERRANES = [(180.0, 25.0), (420.0, 40.0), (1050.0, 90.0), (1750.0, 110.0)]


def write_mounts(folder: Path, mounts: int, spots: int, seed: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for mount in range(mounts):
        rng = np.random.default_rng([seed, mount])
        shares = rng.dirichlet(np.ones(len(TERRANES)))
        with open(folder / f"mount_{mount:02d}.csv", "w", newline="") as out:
            writer = csv.writer(out)
            writer.writerow(COLUMNS)
            for spot in range(spots):
                centre, spread = TERRANES[rng.choice(len(TERRANES), p=shares)]
                age = max(20.0, rng.normal(centre, spread))
                loss = 1.0 - rng.beta(1.0, 12.0)
                evolved = rng.normal(age / 2000.0, 0.35)
                writer.writerow(
                    [spot]
                    + [
                        f"{value:.6g}"
                        for value in (
                            np.expm1(L238 * age) * loss * rng.normal(1.0, 0.015),
                            np.expm1(L235 * age) * loss * rng.normal(1.0, 0.02),
                            np.exp(rng.normal(-0.6 - 0.4 * evolved, 0.3)),
                            9500 + 1800 * evolved + rng.normal(0, 500),
                            np.exp(rng.normal(2.5 + 0.5 * evolved, 0.25)),
                            1 / (1 + np.exp(evolved + rng.normal(0, 0.4))),
                            np.exp(rng.normal(2.3 - 0.3 * evolved, 0.3)),
                            age,
                        )
                    ]
                )


def anonymous(info: tarfile.TarInfo) -> tarfile.TarInfo:
    info.uid = info.gid = 0
    info.uname = info.gname = ""
    info.mode = 0o644
    info.mtime = 0
    return info


def pack(folder: Path, bundle: Path) -> str:
    """Packs the mounts, whoever packs them, and returns the digest that names the release."""
    with tarfile.open(bundle, "w") as tar:
        for path in sorted(folder.glob("mount_*.csv")):
            tar.add(path, arcname=path.name, filter=anonymous)
    return hashlib.sha256(bundle.read_bytes()).hexdigest()


def load(bundle: Path) -> tuple[np.ndarray, np.ndarray]:
    """All spots of a release, and the mount of each."""
    tables, mounts = [], []
    with tarfile.open(bundle) as tar:
        for number, member in enumerate(tar.getmembers()):
            table = np.loadtxt(tar.extractfile(member), delimiter=",", skiprows=1)
            tables.append(table[:, 1:])
            mounts.append(np.full(len(table), number))
    return np.concatenate(tables), np.concatenate(mounts)
