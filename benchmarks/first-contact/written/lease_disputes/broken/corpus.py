"""Made-up summaries of tenancy disputes with their outcomes."""
import random

OUTCOMES = ("tenant", "landlord", "settled")

TOPICS = {
    "tenant": "mould damp heating boiler deposit unprotected inspector repair notice defective harassment eviction "
              "unlawful leak withheld hazard uninhabitable abatement",
    "landlord": "arrears unpaid nuisance subletting breach damage forfeiture overdue guarantor default demand "
                "possession abandoned alterations unauthorised lapse",
    "settled": "mediation agreement instalments undertaking compromise surrender withdrawn consent schedule waiver "
               "goodwill costs bailiff adjourned offer",
}
COMMON = ("the a of to in and by on for claimant respondent tribunal premises flat lease clause term rent month "
          "evidence hearing letter agent filed stated claimed counsel noted counted dated found party tenancy").split()


def write_case(rng, outcome):
    other = rng.choice([name for name in OUTCOMES if name != outcome])
    words = []
    for _ in range(rng.randint(24, 44)):
        draw = rng.random()
        if draw < 0.62:
            words.append(rng.choice(COMMON))
        elif draw < 0.80:
            words.append(rng.choice(TOPICS[outcome].split()))
        elif draw < 0.93:
            words.append(rng.choice(TOPICS[other].split()))
        else:
            words.append(f"s{rng.randint(1, 140)}")
    return " ".join(words).capitalize() + "."


def load_cases(count, seed):
    rng = random.Random(seed)
    cases = []
    for index in range(count):
        outcome = OUTCOMES[index % len(OUTCOMES)]
        cases.append((write_case(rng, outcome), OUTCOMES.index(outcome)))
    rng.shuffle(cases)
    return cases
