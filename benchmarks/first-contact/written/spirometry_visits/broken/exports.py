"""The clinics' exports: one archive for each clinic, a folder for each patient, a file for each visit."""
import io
import tarfile
import zlib
from pathlib import Path

import numpy as np

from blows import patient_visits


def write_exports(target: Path, clinics: int, patients: int, seed: int) -> list[Path]:
    target.mkdir(exist_ok=True)
    written = []
    for clinic in range(clinics):
        rng = np.random.default_rng([seed, clinic])
        archive = target / f"clinic_{clinic:02d}.tar"
        with tarfile.open(archive, "w") as tar:
            for patient in range(patients):
                for visit, (curve, fev1) in enumerate(patient_visits(rng)):
                    buffer = io.BytesIO()
                    np.savez(buffer, curve=curve, fev1=fev1)
                    info = tarfile.TarInfo(f"c{clinic:02d}p{patient:03d}/visit_{visit}.npz")
                    info.size = buffer.tell()
                    buffer.seek(0)
                    tar.addfile(info, buffer)
        written.append(archive)
    return written


def unpack(archives: list[Path], scratch: Path) -> list[Path]:
    for archive in archives:
        with tarfile.open(archive) as tar:
            tar.extractall(scratch, filter="data")
    return sorted(folder for folder in scratch.iterdir() if folder.is_dir())


def held_out(patient: Path, share: float = 0.2) -> bool:
    """All visits of a patient fall on one side, and stay there when further patients come in."""
    return zlib.crc32(bytes(patient)) / 2**32 < share


def load(patients: list[Path]):
    sides = {False: [], True: []}
    for patient in patients:
        side = sides[held_out(patient)]
        for visit in sorted(patient.glob("visit_*.npz")):
            with np.load(visit) as record:
                side.append((record["curve"], record["fev1"]))
    return [tuple(np.stack(part) for part in zip(*sides[out])) for out in (False, True)]
