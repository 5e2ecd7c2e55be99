"""Simulated answers: a pilot study in which everybody sees every item, and the log of a course."""

from dataclasses import dataclass

import numpy as np

SKILLS = ("alg", "fra", "geo", "per", "pro", "rat", "sta", "unit")


@dataclass(frozen=True)
class Answer:
    student: int
    position: int
    item: int
    correct: int


def item_parameters(items, skills, seed):
    rng = np.random.default_rng([seed, 1])
    skill = np.arange(items) % skills
    difficulty = rng.normal(0.0, 1.1, size=items) + 0.15 * skill
    discrimination = rng.uniform(0.7, 1.5, size=items)
    names = [f"{SKILLS[s]}-{number:02d}" for number, s in enumerate(skill)]
    return names, skill, difficulty, discrimination


def chance(ability, difficulty, discrimination):
    return 1.0 / (1.0 + np.exp(-discrimination * (ability - difficulty)))


def pilot_matrix(items, skills, seed, students=240):
    names, _, difficulty, discrimination = item_parameters(items, skills, seed)
    rng = np.random.default_rng([seed, 2])
    ability = rng.normal(0.0, 1.0, size=(students, 1))
    answers = rng.random((students, items)) < chance(ability, difficulty, discrimination)
    return names, answers.astype(np.int8)


def course_log(students, questions, items, skills, seed):
    _, skill, difficulty, discrimination = item_parameters(items, skills, seed)
    rng = np.random.default_rng([seed, 3])
    # The course has been revised since the pilot: some items are easier or harder now.
    difficulty = difficulty + rng.normal(0.3, 0.5, size=items)
    ability = rng.normal(0.0, 0.9, size=(students, 1)) + rng.normal(0.0, 0.5, (students, skills))
    order = np.stack([rng.permutation(items)[:questions] for _ in range(students)])
    luck = rng.random((students, questions))
    log = []
    for position in range(questions):
        for student in range(students):
            item = int(order[student, position])
            p = chance(ability[student, skill[item]], difficulty[item], discrimination[item])
            correct = int(luck[student, position] < p)
            ability[student, skill[item]] += 0.12 if correct else 0.06
            log.append(Answer(student, position, item, correct))
    return log
