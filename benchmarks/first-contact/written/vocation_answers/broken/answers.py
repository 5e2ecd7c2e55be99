# made-up answers to "What is your main occupation? Please describe what you do."
import hashlib

import numpy as np
import pandas as pd

GROUPS = {
    "managers": "manager director head owner branch team budget staff strategy shop department runs",
    "professionals": "teacher engineer nurse doctor lawyer analyst research patients pupils software designs court",
    "clerical": "secretary clerk receptionist office phone filing data entry letters accounts bookings payroll",
    "services": "waiter cook hairdresser carer cashier customers kitchen salon shop care home till",
    "crafts": "carpenter welder electrician plumber builder wood metal wiring pipes site repairs machines",
    "operators": "driver lorry bus forklift machine factory line assembly delivery van press warehouse",
}
FILLER = ("i am a the in at for and work with my mostly also part time full small large company local "
          "now since years sometimes other people different things every day").split()
ENDINGS = ["", "", "", "s", "ing", "er"]


def garble(word, rng):
    if len(word) > 4 and rng.random() < 0.15:       # typing errors
        k = int(rng.integers(1, len(word) - 1))
        word = word[:k] + word[k + 1:]
    return word + ENDINGS[rng.integers(len(ENDINGS))]


def collect(n, seed):
    rng = np.random.default_rng(seed)
    names = list(GROUPS)
    pools = [GROUPS[g].split() for g in names]
    everything = [w for p in pools for w in p]
    rows = []
    for i in range(n):
        g = int(rng.choice(len(names), p=[0.1, 0.25, 0.15, 0.2, 0.15, 0.15]))
        words = []
        for _ in range(int(rng.integers(4, 13))):
            u = rng.random()
            pool = FILLER if u < 0.5 else pools[g] if u < 0.78 else everything
            words.append(garble(pool[rng.integers(len(pool))], rng))
        rows.append((f"R{i:05d}", int(rng.integers(1, 5)), " ".join(words).capitalize() + ".", names[g]))
    return pd.DataFrame(rows, columns=["respondent", "wave", "answer", "group"])


def in_holdout(respondent, share=0.2):
    # the same respondents in every wave and on every machine
    digest = hashlib.md5(respondent.encode()).hexdigest()
    return int(digest[:8], 16) / 0xFFFFFFFF < share
