"""Synthetic peptides and their retention times on a reversed-phase column."""
import random
from dataclasses import dataclass

HYDROPHOBICITY = {
    "A": 1.1, "C": 0.9, "D": -0.6, "E": -0.4, "F": 4.2, "G": 0.1, "H": -1.2, "I": 3.5, "K": -1.6, "L": 3.7,
    "M": 2.3, "N": -0.9, "P": 0.6, "Q": -0.5, "R": -1.4, "S": -0.2, "T": 0.2, "V": 2.4, "W": 4.6, "Y": 2.0,
}
MODIFIED = {"M[ox]": 0.8, "C[cam]": 0.5, "S[ph]": -1.1, "T[ph]": -0.8, "Y[ph]": 0.7, "K[ac]": 0.6}


@dataclass(frozen=True)
class Peptide:
    residues: tuple
    minutes: float


def digest(count: int, rng: random.Random) -> list[Peptide]:
    """Peptides as trypsin leaves them: they end in K or R, some residues carry a modification."""
    plain = sorted(HYDROPHOBICITY)
    tables = {**HYDROPHOBICITY, **MODIFIED}
    peptides = []
    for _ in range(count):
        residues = [rng.choice(plain) for _ in range(rng.randint(6, 18))] + [rng.choice("KR")]
        for at, residue in enumerate(residues):
            options = [name for name in MODIFIED if name[0] == residue]
            if options and rng.random() < 0.25:
                residues[at] = options[0]
        total = sum(tables[residue] for residue in residues)
        total += 1.5 * tables[residues[0]] - 0.12 * len(residues)
        peptides.append(Peptide(tuple(residues), 18.0 + 1.4 * total + rng.gauss(0, 0.6)))
    return peptides
