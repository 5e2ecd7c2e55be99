"""From the readings table to windows for training."""

from itertools import groupby

import torch

QUERY = """
SELECT session.id, session.showcase, humidity, temperature, visitors
FROM reading JOIN session ON session.id = reading.session_id
ORDER BY session.id, minute
"""


def sessions(database):
    for _, rows in groupby(database.execute(QUERY), key=lambda row: row[0]):
        rows = list(rows)
        yield rows[0][1], torch.tensor([row[2:] for row in rows], dtype=torch.float32)


def cut(database, past, ahead, stride):
    """All windows with the change of humidity that follows, and the showcase of each."""
    inputs, targets, cases = [], [], []
    names = sorted({name for (name,) in database.execute("SELECT showcase FROM session")})
    for showcase, values in sessions(database):
        for start in range(0, len(values) - past - ahead + 1, stride):
            end = start + past
            inputs.append(values[start:end])
            targets.append(values[end + ahead - 1, 0] - values[end - 1, 0])
            cases.append(names.index(showcase))
    return torch.stack(inputs), torch.stack(targets), torch.tensor(cases), names
