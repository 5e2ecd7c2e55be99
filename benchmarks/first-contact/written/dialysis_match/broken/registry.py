"""A synthetic registry of patients with kidney disease."""
import math
import random
from dataclasses import dataclass


@dataclass(eq=False)
class Patient:
    number: int
    age: float
    sex: str
    filtration: float
    pressure: float
    albumin: float
    diabetic: bool
    dialysis: bool
    stay: float


def enrol(count: int, seed: int) -> list[Patient]:
    draw = random.Random(seed)
    patients = []
    for number in range(count):
        age = min(92.0, max(24.0, draw.gauss(63, 13)))
        diabetic = draw.random() < 0.3
        filtration = max(6.0, draw.gauss(52 - 0.2 * (age - 60) - 6 * diabetic, 14))
        albumin = draw.gauss(38 + 0.06 * (filtration - 50), 3.5)
        pressure = draw.gauss(136 + 5 * diabetic, 15)
        risk = 1 / (1 + math.exp(0.12 * (filtration - 24)))
        dialysis = draw.random() < risk
        stay = max(0.0, 4 + 0.05 * (age - 60) + 3.0 * dialysis - 0.15 * (albumin - 38) + draw.gauss(0, 1.4))
        patients.append(Patient(number, age, draw.choice("fm"), filtration, pressure, albumin, diabetic, dialysis,
                                stay))
    return patients
