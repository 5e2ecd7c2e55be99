import numpy as np
import torch
from sklearn.preprocessing import OrdinalEncoder, StandardScaler

NUMBERS = ["log_amount", "share", "night", "sin_hour", "cos_hour", "abroad", "log_since", "age_years"]
CODES = ["category", "country"]


def derive(frame):
    angle = 2 * np.pi * frame["hour"] / 24
    return frame.assign(
        log_amount=np.log1p(frame["amount"]),
        log_since=np.log1p(frame["since_last"]),
        night=((frame["hour"] < 6) | (frame["hour"] > 23)).astype(float),
        sin_hour=np.sin(angle),
        cos_hour=np.cos(angle),
    )


class Encoder:
    def __init__(self):
        self.scaler = StandardScaler()
        self.codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)

    def fit(self, frame):
        frame = derive(frame)
        self.scaler.fit(frame[NUMBERS])
        self.codes.fit(frame[CODES])
        return self

    @property
    def sizes(self):
        return [len(c) + 1 for c in self.codes.categories_]

    def __call__(self, frame):
        frame = derive(frame)
        numbers = torch.tensor(self.scaler.transform(frame[NUMBERS]), dtype=torch.float32)
        codes = torch.tensor(self.codes.transform(frame[CODES]) + 1, dtype=torch.long)
        return numbers, codes, torch.tensor(frame["is_fraud"].to_numpy(), dtype=torch.float32)
