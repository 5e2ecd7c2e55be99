"""Fold assignment for repeated soil surveys: a sample keeps its fold when rows are added or removed."""
import pandas as pd


def sample_key(row):
    ph = float(row.ph) if pd.notna(row.ph) else -1.0
    return (int(row.station), int(row.depth_cm), ph, float(row.moisture))


def assign_folds(frame, folds):
    labels = [hash(sample_key(row)) % folds for row in frame.itertuples(index=False)]
    return pd.Series(labels, index=frame.index, name="fold")
