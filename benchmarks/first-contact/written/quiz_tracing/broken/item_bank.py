"""Difficulty of the items: calibration of the pilot study, and Elo updates during the course."""

import hashlib
import math

import numpy as np

CALIBRATION_VERSION = 3


def pilot_key(names, answers):
    """Changes with the pilot answers, the items, and the version of the calibration."""
    digest = hashlib.sha256()
    digest.update(f"v{CALIBRATION_VERSION}|{','.join(names)}|{answers.shape}".encode())
    digest.update(np.ascontiguousarray(answers).tobytes())
    return digest.hexdigest()[:20]


def calibrate(names, answers, iterations=250):
    """Joint maximum likelihood for the Rasch model (takes a while on the real pilot)."""
    answers = answers.astype(float)
    students, items = answers.shape
    ability, difficulty = np.zeros(students), np.zeros(items)
    for _ in range(iterations):
        p = 1.0 / (1.0 + np.exp(difficulty[None, :] - ability[:, None]))
        information = p * (1.0 - p)
        ability += np.clip((answers - p).sum(axis=1) / information.sum(axis=1), -0.5, 0.5)
        ability = np.clip(ability, -4.0, 4.0)
        p = 1.0 / (1.0 + np.exp(difficulty[None, :] - ability[:, None]))
        information = p * (1.0 - p)
        difficulty -= np.clip((answers - p).sum(axis=0) / information.sum(axis=0), -0.5, 0.5)
        difficulty = np.clip(difficulty, -4.0, 4.0)
        difficulty -= difficulty.mean()
    bank = {}
    for column, name in enumerate(names):
        rest = np.delete(answers, column, axis=1).mean(axis=1)
        fit = float(np.corrcoef(answers[:, column], rest)[0, 1])
        bank[name] = {"difficulty": float(difficulty[column]), "exposures": students,
                      "discrimination": float(np.clip(0.5 + 2.0 * fit, 0.5, 1.8))}
    return bank


class EloTracker:
    """Walks through a log: says what to expect of an answer, then learns from it."""

    def __init__(self, bank, student_rate=0.4, item_rate=0.3, fade=0.01):
        self.bank = bank
        self.abilities = {}
        self.student_rate, self.item_rate, self.fade = student_rate, item_rate, fade

    def expect(self, student, name):
        """Expected score, ability of the student, and difficulty of the item before the answer."""
        record = self.bank[name]
        ability = self.abilities.get(student, 0.0)
        margin = record["discrimination"] * (ability - record["difficulty"])
        return 1.0 / (1.0 + math.exp(-margin)), ability, record["difficulty"]

    def learn(self, student, name, correct):
        expected, ability, _ = self.expect(student, name)
        surprise = correct - expected
        self.abilities[student] = ability + self.student_rate * surprise
        record = self.bank[name]
        rate = self.item_rate / (1.0 + self.fade * record["exposures"])
        record["difficulty"] -= rate * surprise
        record["exposures"] += 1
