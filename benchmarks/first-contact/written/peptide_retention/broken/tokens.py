"""Residues to numbers."""
import torch

PAD = 0


class Alphabet:
    """The residues that occur in a set of peptides, numbered from 1; 0 is padding."""

    def __init__(self, peptides):
        seen = set()
        for peptide in peptides:
            seen.update(peptide.residues)
        self.index = {residue: number for number, residue in enumerate(seen, start=1)}

    def __len__(self):
        return len(self.index) + 1

    def encode(self, peptides):
        longest = max(len(peptide.residues) for peptide in peptides)
        codes = torch.full((len(peptides), longest), PAD, dtype=torch.long)
        for row, peptide in enumerate(peptides):
            numbers = [self.index[residue] for residue in peptide.residues]
            codes[row, : len(numbers)] = torch.tensor(numbers)
        return codes, torch.tensor([peptide.minutes for peptide in peptides])
