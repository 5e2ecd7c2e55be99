"""Decides what is practised next: the piece whose practice pays best at the moment."""

from dataclasses import dataclass

import numpy as np


@dataclass
class Record:
    piece: str
    turns: int = 0
    pay: float = 0.0        # what practice of this piece brought lately
    last_loss: float = 0.0
    seconds: float = 0.0
    notes: int = 0


class Teacher:
    def __init__(self, pieces, seed, keep=0.7, warmth=0.4):
        self.records = [Record(piece) for piece in pieces]
        self.rng = np.random.default_rng(seed)
        self.keep = keep
        self.warmth = warmth

    def choose(self):
        for number, record in enumerate(self.records):
            if record.turns < 2:
                return number
        pay = np.array([abs(record.pay) for record in self.records])
        logits = pay / (pay.max() + 1e-12) / self.warmth
        chance = np.exp(logits - logits.max())
        return int(self.rng.choice(len(pay), p=chance / chance.sum()))

    def note(self, number, loss, notes, seconds):
        """Takes down one turn of practice: how it went and what it took."""
        record = self.records[number]
        gain = record.last_loss - loss if record.turns else 0.0
        record.turns += 1
        record.last_loss = loss
        record.seconds += seconds
        record.notes += notes
        effort = record.seconds / record.turns
        record.pay = self.keep * record.pay + (1 - self.keep) * gain / effort

    def report(self):
        for r in self.records:
            print(f"  {r.piece:<10} {r.turns:4d} turns {r.notes:7d} notes {r.seconds:6.2f} s")
