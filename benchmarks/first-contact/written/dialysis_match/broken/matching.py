"""Comparable patients without dialysis for each patient with it."""
from registry import Patient


def comparable(case: Patient, other: Patient) -> bool:
    return (
        case.sex == other.sex
        and case.diabetic == other.diabetic
        and abs(case.age - other.age) <= 4.0
        and abs(case.pressure - other.pressure) <= 12.0
    )


def match(patients: list[Patient], per_case: int = 2) -> list[tuple[Patient, list[Patient]]]:
    """Takes the first controls that fit, each at most once. Cases without enough of them are left out."""
    cases = [patient for patient in patients if patient.dialysis]
    pool = {patient for patient in patients if not patient.dialysis}
    matched = []
    for case in cases:
        found = []
        for other in pool:
            if comparable(case, other):
                found.append(other)
                if len(found) == per_case:
                    break
        if len(found) < per_case:
            continue
        for other in found:
            pool.remove(other)
        matched.append((case, found))
    return matched
