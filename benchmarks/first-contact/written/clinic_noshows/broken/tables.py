"""Made-up patients and appointments, with the double bookings that the real export has."""
import numpy as np
import pandas as pd

DEPARTMENTS = ("dermatology", "ent", "eye", "general", "orthopaedics", "physio")
CHANNELS = ("phone", "portal", "referral", "walkin")


def make_patients(count, seed):
    rng = np.random.default_rng(seed)
    return pd.DataFrame({
        "patient": np.arange(count),
        "age": rng.integers(18, 90, count),
        "distance_km": rng.gamma(2.0, 4.0, count).round(1),
        "has_portal": rng.integers(0, 2, count),
        "unreliable": rng.beta(1.2, 5.0, count),
    })


def make_appointments(patients, count, seed):
    rng = np.random.default_rng(seed)
    start = pd.Timestamp("2025-01-06")
    who = rng.integers(0, len(patients), count)
    lead = rng.gamma(1.5, 9.0, count).astype(int)
    hour = rng.integers(8, 18, count)
    frame = pd.DataFrame({
        "appointment": np.arange(count),
        "patient": patients["patient"].to_numpy()[who],
        "when": start + pd.to_timedelta(rng.integers(0, 340, count), unit="D") + pd.to_timedelta(hour, unit="h"),
        "lead_days": lead,
        "department": rng.choice(DEPARTMENTS, count),
        "channel": rng.choice(CHANNELS, count),
        "reminder_sent": rng.integers(0, 2, count),
    })
    risk = -2.6 + 5.0 * patients["unreliable"].to_numpy()[who] + 0.04 * lead - 0.7 * frame["reminder_sent"].to_numpy()
    risk = risk + 0.03 * patients["distance_km"].to_numpy()[who] + 0.5 * (hour < 9)
    frame["missed"] = (rng.random(count) < 1 / (1 + np.exp(-risk))).astype(int)
    doubled = frame.sample(frac=0.03, random_state=seed)
    return pd.concat([frame, doubled], ignore_index=True)
