"""Decay of the iodine-125 label."""
import pandas as pd

HALF_LIFE = pd.Timedelta(days=59.4)


def remaining(since, until=None):
    """Fraction of the activity at `since` (a series of dates) that is left at `until`."""
    until = pd.Timestamp.now() if until is None else pd.Timestamp(until)
    return 0.5 ** ((until - since) / HALF_LIFE)
