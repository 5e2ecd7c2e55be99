"""Consolidates what several readers thought of one statement."""
import pandas as pd

TONES = ["certain", "hedging", "hostile", "fearful"]


def consensus(votes):
    """The tone that most readers chose."""
    return max(sorted(set(votes)), key=votes.count)


def agreement(votes):
    return max(votes.count(v) for v in votes) / len(votes)


def consolidate(readings: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for statement_id, group in readings.groupby("statement_id", sort=True):
        votes = group["tone"].tolist()
        rows.append((statement_id, consensus(votes), agreement(votes)))
    return pd.DataFrame(rows, columns=["statement_id", "tone", "agreement"])
