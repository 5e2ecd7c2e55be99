"""From tables to one row of numbers for each appointment."""
import numpy as np
import pandas as pd
import torch

NOT_FEATURES = {"appointment", "patient", "when", "missed", "unreliable"}


def add_history(frame):
    """What was known of the patient before the day: earlier visits, missed ones, days since."""
    frame = frame.sort_values(["patient", "when", "appointment"], kind="stable")
    groups = frame.groupby("patient", sort=True)
    frame["visits_before"] = groups.cumcount()
    frame["missed_before"] = groups["missed"].cumsum() - frame["missed"]
    frame["missed_share"] = (frame["missed_before"] + 0.2) / (frame["visits_before"] + 1)
    frame["days_since"] = groups["when"].diff().dt.days.fillna(365).clip(upper=365)
    return frame.sort_values("appointment")


def assemble(booked, patients):
    frame = booked.drop_duplicates(subset="appointment", keep="first")
    frame = add_history(frame.merge(patients, on="patient", how="left", validate="many_to_one"))
    hour = frame["when"].dt.hour
    frame["hour_sin"], frame["hour_cos"] = np.sin(hour / 24 * 2 * np.pi), np.cos(hour / 24 * 2 * np.pi)
    frame["weekday"] = frame["when"].dt.dayofweek
    load = frame.groupby(["department", frame["when"].dt.date])["appointment"].transform("count")
    frame["department_load"] = load
    return pd.get_dummies(frame, columns=["department", "channel"], dtype=float).reset_index(drop=True)


def model_columns(frame):
    return list(frame.columns.difference(NOT_FEATURES))


def scale(part, mean=None, std=None):
    values = torch.tensor(part.to_numpy(dtype=np.float32))
    if mean is None:
        mean, std = values.mean(dim=0), values.std(dim=0).clamp_min(1e-6)
    return (values - mean) / std, mean, std
